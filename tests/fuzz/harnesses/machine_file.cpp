#include "app/run/machine_file.hpp"

#include <cmath>

#include "core/error.hpp"
#include "fuzz/harness.hpp"

namespace spmv::fuzz {

void machine_file(std::string_view input) {
  Machine machine;
  try {
    machine = parse_machine(std::string(input), "m.json");
  } catch (const Error& error) {
    require(error.code() == ExitCode::input, error.what());
    return;
  }
  require(machine.ranks_per_node >= 1 && machine.ranks_per_node <= 1 << 20, "no number of ranks");
  for (const double rate : {machine.memory, machine.near_exchange, machine.far_exchange})
    require(std::isfinite(rate) && rate > 0, "a rate at which nothing moves");
  for (const double seconds :
       {machine.near_message_s, machine.far_message_s, machine.product_s, machine.thread_s})
    require(std::isfinite(seconds) && seconds >= 0, "a time that ends before it begins");
  PartShare share;
  share.rows = share.nonzeros = share.columns = 1000;
  share.halo = share.near_halo = share.neighbours = share.near_neighbours = 1;
  const ModeTimes times = predict_modes({share, share}, {}, machine);
  for (const double seconds : {times.vector, times.naive, times.task, times.device})
    require(!(seconds < 0) && !std::isnan(seconds), "a product of no time");
}

}  // namespace spmv::fuzz
