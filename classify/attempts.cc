#include "classify/attempts.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace norn::classify {

std::vector<StagedRun> Attempts::run(const std::vector<Plan>& plans) const {
  std::vector<StagedRun> runs(plans.size());
  std::atomic<size_t> next{0};
  const auto work = [&](unsigned worker) {
    for (size_t i = next++; i < plans.size(); i = next++) runs[i] = stage_.run(plans[i], worker);
  };
  std::vector<std::thread> workers;
  const auto jobs = static_cast<unsigned>(std::min<size_t>(jobs_, plans.size()));
  for (unsigned worker = 1; worker < jobs; ++worker) workers.emplace_back(work, worker);
  work(0);
  for (std::thread& worker : workers) worker.join();
  return runs;
}

}  // namespace norn::classify
