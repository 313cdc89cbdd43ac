// Commands that make a file that can be read of one that cannot: words for other_files. In them stand {in} for the file, {out}
// for a Matrix Market file to be made in the working directory, {stem} for its name without an ending, and {unpacked} for the
// file's name without the ending of a packer. Pure.
#pragma once

#include <string>

namespace spmv {

/// `command` writes what it unpacks to its output.
std::string unpack_by(const std::string& command);

/// `matrix`: an expression for anything that scipy makes a sparse matrix of; `before`: statements that it needs. {in} is f there.
std::string write_by_scipy(const std::string& before, const std::string& matrix);
/// `table`: an expression for an array with a line "row column" or "row column value" for every entry.
std::string write_entries(const std::string& before, const std::string& table);
/// Of a group with data, of real or complex numbers. `matrix`: an expression with the group, g, and these, d.
std::string write_hdf5_group(const std::string& matrix);
/// `kind`: numpy's of its numbers; `header_bytes` before them.
std::string write_petsc_vector(const std::string& kind, int header_bytes);
/// `kind`: that of the module array for integers of so many bytes.
std::string swap_petsc_matrix(const std::string& kind, int integer_bytes);
std::string write_harwell_boeing();
std::string write_metis_graph();

}  // namespace spmv
