// Messages to the user beside the report.
#pragma once

#include <functional>
#include <string>

namespace spmv {

/// Prints one line on stderr, with control characters made visible, in place of what rewrite_line() has put there. Errors are
/// ignored: there is nowhere to report them. Local.
void say(const std::string& line);

/// Sends what libraries print on stdout to stderr, in C and in C++: stdout is for results, which write_stdout() writes. Call it
/// once, at the start of a program. Local.
void let_libraries_say();

/// Writes a table to standard output, or where that is `taken` by a file that the user named, to stderr. Throws as
/// write_stdout(). Local.
void show_table(const std::string& text, bool taken);

/// Whether stderr is a terminal on which a line can be rewritten. Local.
bool says_on_terminal();

/// How many columns that terminal has. Local.
int terminal_columns();

/// Puts `text`, printable and shorter than a line of the terminal, in place of the line of the cursor, without a line end.
/// Returns false, and writes nothing, if the terminal accepts no output at the moment, or another process is in the
/// foreground. Local.
bool rewrite_line(const std::string& text);

/// For a process that is about to leave whatever happens: calls `speak` in another thread, and returns when it has ended or
/// after so many seconds, because a file may be on a disk that does not answer. Local.
void last_words(const std::function<void()>& speak, double at_most_s);

}  // namespace spmv
