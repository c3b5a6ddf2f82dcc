#include "experiment/story.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "casebook/runs.h"
#include "schedule/log_file.h"
#include "schedule/minimize.h"

namespace norn::experiment {
namespace {

using schedule::LogEntry;

constexpr unsigned kBudget = 400;

std::string words_of(const LogEntry& entry, const std::map<uint32_t, std::string>& places) {
  const auto found = places.find(entry.site);
  const char* op = entry.op < schedule::kOps ? name_of(static_cast<schedule::Op>(entry.op)) : "?";
  if (entry.op == static_cast<uint8_t>(schedule::Op::kBegin)) return "its beginning";
  return found == places.end() ? std::string(op) : fmt::format("{} ({})", found->second, op);
}

// A line for each stretch: where it begins, and before what it ends.
std::string tell(const std::vector<LogEntry>& log, const std::map<uint32_t, std::string>& places) {
  std::string out;
  size_t number = 0;
  for (size_t at = 0; at < log.size();) {
    if (log[at].op == LogEntry::kPick) {
      ++at;
      continue;
    }
    size_t end = at, steps = 0;
    for (; end < log.size() && (log[end].op == LogEntry::kPick || log[end].thread == log[at].thread); ++end)
      steps += log[end].op == LogEntry::kPick ? 0 : 1;
    size_t next = end;
    while (next < log.size() && (log[next].op == LogEntry::kPick || log[next].thread != log[at].thread)) ++next;
    out += fmt::format("        {}. thread {} runs from {} {}, {} step{}\n", ++number, log[at].thread + 1,
                       words_of(log[at], places),
                       next == log.size() ? std::string("on") : "until before " + words_of(log[next], places), steps,
                       steps == 1 ? "" : "s");
    at = end;
  }
  return out;
}

}  // namespace

std::optional<Story> minimized(const Stage& stage, const Verdict& verdict, const Reference& reference,
                               std::string& error) {
  const SeenConsequence& seen = verdict.consequences[0];
  const auto token = schedule::decode(seen.replay, error);
  if (!token) return std::nullopt;
  Plan plan = *token;
  plan.strategy = schedule::StrategyKind::kReplay;
  const std::string file = stage.log_of(0) + ".segments";
  StagedRun last;
  const auto still_shows = [&](const std::vector<LogEntry>& segments) {
    if (!write_log(file, segments)) return false;
    const StagedRun run = stage.run(plan, 0, file);
    const Consequence consequence = consequence_of(run, reference);
    if (consequence.harm != seen.consequence.harm || !confirms(run, verdict.candidate, consequence)) return false;
    last = run;
    return true;
  };
  const std::vector<LogEntry> whole = schedule::segments_of(schedule::read_log(casebook::kept_schedule(seen.replay)));
  if (whole.empty() || !still_shows(whole)) {
    error = "its schedule does not show the same when it is followed step by step: it is not shortened";
    return std::nullopt;
  }
  const uint64_t preemptions = last.preemptions;
  std::vector<LogEntry> shortest = schedule::minimize(whole, kBudget, still_shows);
  if (!still_shows(shortest)) {
    error = "the shortened schedule does not show the same each time";
    return std::nullopt;
  }
  Story story;
  story.text = fmt::format("        the shortest schedule found: {} preemption{} instead of {}\n", last.preemptions,
                           last.preemptions == 1 ? "" : "s", preemptions) +
               tell(schedule::read_log(stage.log_of(0)), casebook::places_in(last.findings));
  const ScheduleFile schedule = {*token, static_cast<uint32_t>(last.hash), last.decisions, std::move(shortest)};
  story.file = casebook::keep_schedule_file(verdict.candidate.id, text_of(schedule, seen.replay));
  return story;
}

std::string text_of(const ScheduleFile& file, const std::string& token) {
  std::string out = fmt::format("norn schedule 1\n{}\n{:08x} {}\n", token, file.hash, file.decisions);
  for (const LogEntry& entry : file.segments)
    out +=
        fmt::format("{} {}\n", entry.thread + 1, entry.site == schedule::kToTheEnd ? "*" : std::to_string(entry.site));
  return out;
}

std::optional<ScheduleFile> parse_schedule(const std::string& text, std::string& error) {
  std::istringstream lines(text);
  std::string title, token, hash;
  ScheduleFile file;
  if (!std::getline(lines, title) || title != "norn schedule 1" || !std::getline(lines, token)) {
    error = "it is not a schedule of norn";
    return std::nullopt;
  }
  const auto decoded = schedule::decode(token, error);
  if (!decoded) return std::nullopt;
  file.token = *decoded;
  unsigned thread = 0;
  std::string steps;
  bool good = static_cast<bool>(lines >> hash >> file.decisions);
  file.hash = static_cast<uint32_t>(std::strtoul(hash.c_str(), nullptr, 16));
  while (good && lines >> thread >> steps) {
    good = thread > 0 && thread <= schedule::kMaxThreads &&
           (steps == "*" || (steps.size() < 10 && steps.find_first_not_of("0123456789") == std::string::npos));
    if (good)
      file.segments.push_back(
          schedule::segment(static_cast<uint16_t>(thread - 1),
                            steps == "*" ? schedule::kToTheEnd : static_cast<uint32_t>(std::stoul(steps))));
  }
  if (good && !file.segments.empty()) return file;
  error = "the schedule was cut off or changed";
  return std::nullopt;
}

}  // namespace norn::experiment
