#pragma once

#include <string>

namespace spmv {

/// What the processor of this machine calls itself, such as "AMD EPYC"; "unknown processor" where it does not say.
/// With family, model and stepping where these are told, since names are often those of whole families. Local.
std::string processor_name();

}  // namespace spmv
