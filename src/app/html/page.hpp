// A page about runs, complete in itself: it needs no other file and no network. Made of the runs' JSON alone, so that a page of a run
// and one of the file that it wrote are the same.
#pragma once

#include <string>
#include <vector>

#include "app/html/saved_run.hpp"

namespace spmv::html {

/// A page of at most two megabytes, as HTML in UTF-8: runs of one matrix together, first how it scales, then a run's figures, those on most
/// ranks first. What does not fit is named. Pure.
std::string page(const std::vector<SavedRun>& runs);

}  // namespace spmv::html
