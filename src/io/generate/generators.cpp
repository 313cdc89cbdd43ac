#include <fmt/format.h>

#include "core/error.hpp"
#include "core/pick.hpp"
#include "io/generate/block_stencil.hpp"
#include "io/generate/generator.hpp"
#include "io/generate/holstein_hubbard.hpp"
#include "io/generate/powerlaw.hpp"
#include "io/generate/shuffled.hpp"
#include "io/generate/stencil.hpp"

namespace spmv {

const std::vector<Generator>& generators() {
  static const std::vector<Generator> table = {
      {"holstein-hubbard", "SITES,UP,DOWN,PHONONS[,t=1][,u=4][,omega=1][,g=1]", "6,3,3,15",
       "electrons with phonons on a ring, energies in units of t", make_holstein_hubbard},
      {"stencil7", "NX,NY,NZ", "200,200,200", "7-point Laplacian on a grid, 6 and -1", make_stencil7},
      {"stencil27", "NX,NY,NZ", "128,128,128", "27-point operator on a grid, 26 and -1", make_stencil27},
      {"elasticity", "NX,NY,NZ", "100,100,100", "3 displacements a point, 27-point stencil of 3 x 3 blocks",
       make_elasticity},
      {"blocks", "NX,NY,NZ[,B]", "64,64,64,5",
       "27-point stencil of dense B x B blocks, random-looking values", make_blocks},
      {"powerlaw", "ROWS,MEAN,MAX[,exponent=2.2][,seed=1]", "4000000,7.4,4000",
       "a network: lengths of rows and columns follow a power law", make_powerlaw},
      {"shuffled", "SEED,GENERATOR:PARAMETERS", "1,stencil27:128,128,128",
       "another generator's matrix, rows and columns renumbered at random", make_shuffled},
  };
  return table;
}

std::unique_ptr<RowSource> make_generator(const std::string& specification) {
  const std::size_t colon = specification.find(':');
  const Generator& generator = pick(generators(), specification.substr(0, colon), "generator");
  try {
    return generator.make(colon == std::string::npos ? "" : specification.substr(colon + 1));
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("--generate {0}: {1}; expected {2}:{3}, for example {2}:{4}", specification,
                            error.what(), generator.name, generator.parameters, generator.example));
  }
}

}  // namespace spmv
