// The shortest way to the same end: a schedule with as few preemptions as can be found that still shows it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schedule/switches.h"

namespace norn::schedule {

// The threads of a log in turn, each with its steps.
[[nodiscard]] std::vector<LogEntry> segments_of(const std::vector<LogEntry>& log);

// Delta debugging (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, TSE 2002) on the segments:
// parts are left out, and ends are left open, as long as `still_shows` says that the rest shows it. Calls it at most
// `budget` times.
[[nodiscard]] std::vector<LogEntry> minimize(std::vector<LogEntry> segments, unsigned budget,
                                             const std::function<bool(const std::vector<LogEntry>&)>& still_shows);

}  // namespace norn::schedule
