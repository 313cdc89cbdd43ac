#include "io/generate/generators.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/pick.hpp"

namespace spmv {

const std::vector<Generator>& generators() {
  static const std::vector<Generator> table = {
      {"holstein-hubbard", "SITES,UP,DOWN,PHONONS[,t=1][,u=4][,omega=1][,g=1]", "6,3,3,15",
       "electrons and phonons on a ring, energies in units of t", make_holstein_hubbard},
      {"anderson", "NX,NY,NZ[,t=1][,w=16.5][,seed=1]", "200,200,200",
       "a particle with random site energies on a periodic lattice, energies in one unit", make_anderson},
      {"stencil5", "NX,NY", "2000,2000", "5-point Laplacian on a plane grid, 4 and -1", make_stencil5},
      {"stencil9", "NX,NY", "2000,2000", "9-point operator on a plane grid, 8 and -1", make_stencil9},
      {"stencil7", "NX,NY,NZ", "200,200,200", "7-point Laplacian on a grid, 6 and -1", make_stencil7},
      {"stencil27", "NX,NY,NZ", "128,128,128", "27-point operator on a grid, 26 and -1", make_stencil27},
      {"diffusion", "NX,NY,NZ[,z=1][,jump=1][,cube=8]", "100,100,100,jump=1e4",
       "diffusion on a grid, faster along z, with coefficients that jump", make_diffusion},
      {"elasticity", "NX,NY,NZ", "100,100,100", "3 displacements per point, 27-point stencil of 3 x 3 blocks",
       make_elasticity},
      {"blocks", "NX,NY,NZ[,B]", "64,64,64,5", "27-point stencil of dense B x B blocks, pseudorandom values",
       make_blocks},
      {"powerlaw", "ROWS,MEAN,MAX[,exponent=2.2][,seed=1]", "4000000,7.4,4000",
       "a network: row and column lengths follow a power law", make_powerlaw},
      {"rmat", "SCALE,EDGES_PER_ROW[,a=0.57][,b=0.19][,c=0.19][,seed=1]", "20,16",
       "a recursive random graph of 2^SCALE rows, as in Graph500", make_rmat},
      {"random", "ROWS,COLS,MEAN[,seed=1]", "2000000,2000000,10",
       "nonzeros anywhere, MEAN per row on average", make_random},
      {"banded", "ROWS,HALFWIDTH[,density=1][,seed=1]", "2000000,20,density=0.5",
       "nonzeros anywhere within a band", make_banded},
      {"dlr1", "[SCALE=1]", "1", "stand-in for DLR1: 278502 rows, 6 x 6 blocks, 141 nonzeros per row",
       make_dlr1},
      {"dlr2", "[SCALE=1]", "1", "stand-in for DLR2: 541980 rows, 5 x 5 blocks, 314 nonzeros per row",
       make_dlr2},
      {"uhbr", "[SCALE=1]", "1", "stand-in for UHBR: 4500000 rows, 5 x 5 blocks, 123 nonzeros per row",
       make_uhbr},
      {"samg", "[SCALE=1]", "1", "stand-in for sAMG: 3.4 million rows, 7.1 nonzeros per row, refined grid",
       make_samg},
      {"shuffled", "SEED,GENERATOR:PARAMETERS", "1,stencil27:128,128,128",
       "another generator's matrix, rows and columns renumbered at random", make_shuffled},
      {"shifted", "SHIFT,GENERATOR:PARAMETERS", "20,anderson:64,64,64",
       "another generator's matrix, SHIFT added to its diagonal: positive definite if large enough",
       make_shifted},
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
