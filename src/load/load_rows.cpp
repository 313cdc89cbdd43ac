#include "load/load_rows.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/value_types.hpp"
#include "io/generate/generator.hpp"
#include "load/host_memory.hpp"
#include "load/open_matrix.hpp"
#include "load/sample.hpp"

namespace spmv {
namespace {

/// Refuses a file if `mine` differs from rank 0's, or `on_node` from that of the node's first rank. Nodes may have copies
/// of a file; the ranks of a node must open the same one. Collective.
void require_same_file(const Communicator& communicator, const OpenMatrix& open, const std::string& mine,
                       const std::string& on_node) {
  const bool other = communicator.broadcast(mine) != mine;
  const bool other_on_node = communicator.node().broadcast(on_node) != on_node;
  communicator.together([&] {
    if (other || other_on_node)
      throw Error(
          ExitCode::input,
          fmt::format("{}: rank {} has opened another file than the first rank: it was replaced, or the "
                      "nodes have different ones; run again when nobody writes it",
                      printable(open.text.name), communicator.rank()));
  });
}

/// Table row: a kind of file.
struct FileKind {
  const char* name;
  bool (*begins)(std::string_view first_bytes);  // whether these are the first bytes of such a file
  MatrixContents (*open)(const Communicator& communicator,
                         const Text& text);  // Collective; throws AgreedError
};

/// The first kind that fits is taken. Matrix Market is last and fits anything: its reader says what other files are.
const std::vector<FileKind>& file_kinds() {
  static const std::vector<FileKind> table = {
      {"spmv", is_binary_matrix, open_binary},
      {"PETSc", is_petsc_matrix, open_petsc},
      {"Matrix Market", [](std::string_view) { return true; }, open_market},
  };
  return table;
}

const FileKind& kind_of(const Text& text) {
  constexpr std::size_t telling_bytes = 64;
  const std::string first = first_bytes(text, telling_bytes);
  return *std::find_if(file_kinds().begin(), file_kinds().end(),
                       [&](const FileKind& kind) { return kind.begins(first); });
}

template <class T>
RowBlock<T> make_rows(const Communicator& communicator, const std::string& specification,
                      const RowPartition& rows, const LoadProgress& progress) {
  const auto source = make_generator(specification);
  constexpr gidx looked_at = 4096;  // rows
  check_host_memory<T>(communicator, source->shape(),
                       estimate_nonzeros(*source, 0, source->shape().rows, looked_at), false);
  const int me = communicator.rank();
  return communicator.together([&] {
    return generate_rows<T>(*source, rows.first(me), rows.count(me),
                            counted(progress.stage, "generating " + specification));
  });
}

/// Reads the header of a file that is open on all ranks. Collective; throws AgreedError.
MatrixSource look_at(const Communicator& communicator, const std::shared_ptr<OpenMatrix>& open) {
  const FileKind* const kind = communicator.together([&] { return &kind_of(open->text); });
  const FileState& s = open->state;
  require_same_file(communicator, *open, kind->name,
                    fmt::format("{} {} {}", s.device, s.inode, s.written_ns));
  open->contents = kind->open(communicator, open->text);
  MatrixSource source;
  source.name = open->text.file_name();
  const std::string fingerprint =
      std::visit([&](const auto& contents) { return describe(source, contents); }, open->contents);
  require_same_file(communicator, *open, fingerprint, "");
  source.file = open;
  return source;
}

}  // namespace

MatrixSource find_file(const Communicator& communicator, const std::string& path) {
  return look_at(communicator, communicator.together([&] {
    auto mine = std::make_shared<OpenMatrix>(OpenMatrix{in_archive(held_open(path)), {}, {}});
    mine->state = state_of(mine->text);
    return mine;
  }));
}

MatrixSource look_again(const Communicator& communicator, const MatrixSource& source) {
  return look_at(communicator,
                 std::make_shared<OpenMatrix>(OpenMatrix{source.file->text, source.file->state, {}}));
}

void require_only_one(const Communicator& communicator, const MatrixSource& source) {
  communicator.together([&] {
    if (communicator.rank() == 0 && source.file && !source.file->text.member.empty())
      read_to_end(source.file->text);
  });
}

MatrixSource find_generator(const Communicator& communicator, const std::string& specification) {
  return communicator.together([&] {
    const auto generator = make_generator(specification);
    MatrixSource source;
    source.generated = true;
    source.value = value_name<double>();
    source.name = specification;
    source.shape = generator->shape();
    source.description = generator->describe();
    return source;
  });
}

template <class T>
RowBlock<T> load_rows(const Communicator& communicator, const MatrixSource& source, const RowPartition& rows,
                      const LoadProgress& progress) {
  if (source.generated) return make_rows<T>(communicator, source.name, rows, progress);
  const OpenMatrix& open = *source.file;
  if (const auto* binary = std::get_if<BinaryMatrix>(&open.contents))
    return read_binary<T>(communicator, open, *binary, rows, progress);
  if (const auto* petsc = std::get_if<PetscMatrix>(&open.contents))
    return read_petsc<T>(communicator, open, *petsc, rows, progress);
  return read_market<T>(communicator, open, std::get<MatrixMarketHeader>(open.contents), rows, progress);
}

SPMV_INSTANTIATE(load_rows);

}  // namespace spmv
