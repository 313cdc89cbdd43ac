// Words of a command line as a shell would have to read them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spmv {

/// The word so that bash takes it for exactly this word, on one line, whatever is in it: as it is where that is safe. It has no
/// zero byte. Pure.
std::string shell_word(std::string_view word);

/// Several of them, with blanks between. Pure.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace spmv
