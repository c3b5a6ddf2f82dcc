// A confirmed run, made short and put in words.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/confirmation.h"
#include "schedule/log.h"

namespace norn::experiment {

struct Story {
  std::string text;  // one line for each stretch of one thread
  std::string file;  // the schedule, for norn replay; empty if it could not be kept
};

// The most harmful run of a verdict, with as few preemptions as are found in a few hundred runs. Nothing and one line
// in `error` if its schedule does not show the same again when it is followed.
[[nodiscard]] std::optional<Story> minimized(const Stage& stage, const Verdict& verdict, const Reference& reference,
                                             std::string& error);

// A schedule file, the long form of a token:
//
//   norn schedule 1
//   n2…                the token of the run it was made from: program, sites
//   5d7a9c01 123       hash and number of the decisions
//   2 17               thread 2 goes on for 17 steps
//   1 *                thread 1 for as long as it can
struct ScheduleFile {
  schedule::Token token;
  uint32_t hash = 0;
  uint64_t decisions = 0;
  std::vector<schedule::LogEntry> segments;
};
[[nodiscard]] std::string text_of(const ScheduleFile& file, const std::string& token);
[[nodiscard]] std::optional<ScheduleFile> parse_schedule(const std::string& text, std::string& error);

}  // namespace norn::experiment
