#include "cli/page_facts.h"

#include <algorithm>

#include "base/string_sink.h"
#include "casebook/runs.h"
#include "casebook/times.h"
#include "cli/casebook_file.h"
#include "cli/verb.h"
#include "report/record_reader.h"
#include "schedule/log_file.h"

namespace norn::cli {
namespace {

using report::PageSchedule;
using schedule::LogEntry;

constexpr size_t kMostSteps = 20000;     // of a schedule: a page is to be opened by a browser
constexpr size_t kMostHistories = 1000;  // races that are shown with their history
constexpr size_t kMostSchedules = 100;

// Empty: its log is not kept.
PageSchedule schedule_of(const std::string& token) {
  const std::string log = casebook::kept_schedule(token);
  if (log.empty()) return {};
  const std::map<uint32_t, std::string> places = casebook::kept_places(token);
  const std::vector<LogEntry> entries = schedule::read_log(log);
  PageSchedule schedule;
  for (const LogEntry& entry : entries) {
    if (entry.op == LogEntry::kPick) continue;  // whom a signal wakes: no step of a thread
    if (++schedule.decisions > kMostSteps) continue;
    const auto place = places.find(entry.site);
    schedule.steps.push_back(
        {.thread = entry.thread + 1u,
         .operation = entry.op < schedule::kOps ? name_of(static_cast<schedule::Op>(entry.op)) : "?",
         .place = place == places.end() ? "" : place->second,
         .site = entry.site,
         .enabled = entry.enabled});
  }
  return schedule;
}

std::vector<report::PageEvent> events_of(const casebook::Casebook& casebook, const std::string& id) {
  std::vector<report::PageEvent> events;
  for (const casebook::Event& event : casebook.history(id))
    events.push_back({casebook::local_time(event.time), event.words});
  return events;
}

}  // namespace

report::PageFacts page_facts(const report::Findings& findings, const Beside& beside, const std::string& base) {
  report::PageFacts facts{.version = NORN_VERSION, .base = base};
  if (beside.run != nullptr) {
    facts.started = beside.run->started;
    facts.directory = beside.run->started_in;
    facts.build = beside.run->build;
    facts.commit = beside.run->commit;
  }
  const auto add_schedule = [&](const std::string& token) {
    if (token.empty() || facts.schedules.size() == kMostSchedules) return;
    if (PageSchedule schedule = schedule_of(token); !schedule.steps.empty())
      facts.schedules.emplace(token, std::move(schedule));
  };
  std::vector<std::string> ids;
  const auto add = [&](const auto& finding) {
    ids.emplace_back(view(finding.id.text()));
    add_schedule(std::string(view(finding.confirmation.token)));
    if constexpr (requires { finding.classification; })
      add_schedule(std::string(view(finding.classification.evidence)));
  };
  std::for_each(findings.races.begin(), findings.races.end(), add);
  std::for_each(findings.hazards.begin(), findings.hazards.end(), add);
  if (beside.casebook == nullptr) return facts;
  beside.casebook->look([&](const casebook::Casebook& casebook) {
    std::map<std::string, casebook::Class> classes;
    for (const casebook::KnownRace& race : casebook.races())
      if (race.classification) classes.emplace(race.id, *race.classification);
    for (size_t i = 0; i < ids.size(); ++i) {
      if (i < kMostHistories) facts.history.emplace(ids[i], events_of(casebook, ids[i]));
      if (const auto known = classes.find(ids[i]); known != classes.end())
        facts.classes.emplace(ids[i], report::PageClass{.name = known->second.name,
                                                        .consequence = known->second.consequence,
                                                        .k = static_cast<uint64_t>(known->second.k),
                                                        .evidence = known->second.evidence});
    }
  });
  return facts;
}

}  // namespace norn::cli
