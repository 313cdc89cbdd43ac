// In which layouts a mode is measured, and which of its results is reported.
#pragma once

#include <string>
#include <vector>

#include "app/report/run_report.hpp"
#include "dist/layouts.hpp"

namespace spmv {

/// What --layout says where the faster one is to be found.
inline constexpr const char* auto_layout = "auto";

/// Of a mode that has `layouts`, the standard one first: those to measure it in. `asked` is --layout's; a
/// mode that lacks what was asked has its standard one. Without a halo all are the same. Pure.
std::vector<Layout> layouts_to_measure(const std::vector<Layout>& layouts, const std::string& asked,
                                       bool halo);

/// Which of two results of one mode over one transport stands for both, with the other's time: the faster by
/// median, but one that is wrong before one that is right. `earlier` may stand for others already. Pure.
ModeResult faster_layout(ModeResult earlier, ModeResult later);

}  // namespace spmv
