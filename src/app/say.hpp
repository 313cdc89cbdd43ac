// Words to the user beside the report.
#pragma once

#include <string>

namespace spmv {

/// One line on stderr, with everything in it that a terminal would obey made visible; it takes the place of what
/// rewrite_line() has put there. Never fails: there is nowhere left to complain. Local.
void say(const std::string& line);

/// From now on what libraries print on stdout goes to stderr, in C and in C++: stdout is for results, which write_stdout()
/// writes. For programs, once, at their begin. Local.
void let_libraries_say();

/// Writes a table to standard output, or where that is `taken` by a file that the user named, to stderr. Throws as
/// write_stdout(). Local.
void show_table(const std::string& text, bool taken);

/// Whether stderr is a terminal on which a line can be rewritten. Local.
bool says_on_terminal();

/// Whether the report may have colours: stdout is a terminal, and the user has not set NO_COLOR. Open MPI's mpirun gives its
/// ranks a terminal even where its own stdout is a file, but not for stderr: that has to be one, too. Local.
bool prints_in_colour();

/// How many columns that terminal has. Local.
int terminal_columns();

/// Puts `text`, printable and shorter than a line of the terminal, in place of the line that the cursor is in, which it
/// leaves open. Returns whether it is there: a terminal that takes nothing at the moment, as its user has stopped it, is
/// not waited for, and where another process is in the foreground the line is that one's. Local.
bool rewrite_line(const std::string& text);

}  // namespace spmv
