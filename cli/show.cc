// norn show: what is known of the races of a run that is kept.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/string_sink.h"
#include "casebook/runs.h"
#include "casebook/times.h"
#include "cli/casebook_file.h"
#include "cli/renderings.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "options/options.h"
#include "report/record_reader.h"

namespace norn::cli {
namespace {

using report::Race;

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

int show_runs() {
  const std::vector<casebook::KeptRun> runs = casebook::kept_runs();
  if (runs.empty()) fmt::print("no runs are kept; type: norn run -- ./program\n");
  for (const casebook::KeptRun& run : runs) {
    std::string error;
    const auto findings = casebook::load_findings(run, error);
    const uint64_t count = findings ? findings->counts().total() : 0;
    const std::string races = findings ? fmt::format("{} race{}", count, count == 1 ? "" : "s") : "unreadable";
    const bool goes_on = !run.ended && casebook::is_going_on(run);
    fmt::print("{:>4}  {}  {:>10}  {}{}\n", run.number, run.started, goes_on ? "going on" : races, joined(run.command),
               run.ended || goes_on ? "" : "  (its norn was killed)");
  }
  return 0;
}

void print_replay(Text token, const report::RunSummary& run) {
  if (token.empty()) return;
  fmt::print("; replay: norn replay {} --{}", view(token), collect([&](Sink sink) {
               for (const Text word : run.command) {
                 sink.put(' ');
                 report::put_shell_word(word, sink);
               }
             }));
}

// Below its line, if somebody tried: what came of it, and how to see it again.
template <class Finding>
void print_confirmation(const Finding& finding, const report::RunSummary& run) {
  const report::Confirmation& confirmation = finding.confirmation;
  if (!confirmation.tried()) return;
  fmt::print("    {}", collect([&](Sink sink) { put_standing(finding, sink); }));
  print_replay(confirmation.token, run);
  fmt::print("\n");
}

// Likewise, if somebody classified it.
void print_classification(const Race& race, const report::RunSummary& run) {
  const report::Classification& what = race.classification;
  if (!what.known()) return;
  fmt::print("    {}{}{}", view(what.name), what.consequence.empty() ? "" : ": ", view(what.consequence));
  if (what.k != 0) fmt::print(", k = {}", what.k);
  print_replay(what.evidence, run);
  fmt::print("\n");
}

void list_races(const report::Findings& findings, const std::vector<const Race*>& races, size_t accepted) {
  size_t name_width = 0, count_width = 0;
  std::vector<std::string> names, counts;
  for (const Race* race : races) {
    names.push_back(collect([&](Sink sink) { put_location_name(race->location, sink); }));
    counts.emplace_back(view(Decimal(race->count, true).text()));
    name_width = std::max(name_width, names.back().size());
    count_width = std::max(count_width, counts.back().size());
  }
  name_width = std::min<size_t>(name_width, 40);
  for (size_t i = 0; i < races.size(); ++i) {
    const Race& race = *races[i];
    fmt::print("R{}  {:<11}  {:>{}}×  {:<{}}  {} / {}{}\n", view(race.id.text()), view(name_of(standing_of(race))),
               counts[i], count_width, names[i], name_width, casebook::access_words(race.accesses[0]),
               casebook::access_words(race.accesses[1]),
               race.suppressed ? fmt::format("  (suppressed by {})", view(race.suppressed_by)) : "");
    print_confirmation(race, findings.run);
    print_classification(race, findings.run);
  }
  for (const report::Hazard& hazard : findings.hazards) {
    fmt::print("R{}  {:<11}  {}{}  {}\n", view(hazard.id.text()), view(name_of(standing_of(hazard))),
               view(hazard.title), has_happened(hazard.kind) ? view(words_of(hazard.kind)) : "", view(hazard.places));
    print_confirmation(hazard, findings.run);
  }
  std::fflush(stdout);
  const TextRendering rendering{.color = wants_color(1, options::ColorMode::kAuto), .accepted = accepted};
  fmt::print("{}", text_of_summary(findings, rendering));
}

std::vector<const Race*> races_beginning(const report::Findings& findings, std::string_view id) {
  std::vector<const Race*> found;
  for (const Race& race : findings.races)
    if (view(race.id.text()).starts_with(id)) found.push_back(&race);
  return found;
}

std::vector<const report::Hazard*> hazards_beginning(const report::Findings& findings, std::string_view id) {
  std::vector<const report::Hazard*> found;
  for (const report::Hazard& hazard : findings.hazards)
    if (view(hazard.id.text()).starts_with(id)) found.push_back(&hazard);
  return found;
}

// What the casebook knows of it, over all runs.
void print_history(const CasebookFile& file, const std::string& id) {
  constexpr size_t kFirst = 3, kLast = 20;  // of many events
  file.look([&](const casebook::Casebook& casebook) {
    const std::vector<casebook::Event> events = casebook.history(id);
    if (events.empty()) return;
    fmt::print("  history ({}):\n", file.path());
    for (size_t i = 0; i < events.size(); ++i) {
      if (i == kFirst && events.size() > kFirst + kLast + 1) {
        i = events.size() - kLast;
        fmt::print("    … {} more (norn export has all)\n", i - kFirst);
      }
      fmt::print("    {}  {}\n", casebook::local_time(events[i].time), events[i].words);
    }
  });
}

int show_race(const report::Findings& findings, const std::string& asked, const CasebookFile& file) {
  const std::string id = id_in(asked);
  const std::vector<const Race*> found = races_beginning(findings, id);
  const std::vector<const report::Hazard*> hazards = hazards_beginning(findings, id);
  const size_t count = found.size() + hazards.size();
  if (count == 1 && !hazards.empty()) {
    fmt::print("{}", text_of_hazard(*hazards[0]));
    print_history(file, std::string(view(hazards[0]->id.text())));
    return 0;
  }
  if (count == 1) {
    const TextRendering rendering{.color = wants_color(1, options::ColorMode::kAuto),
                                  .full = true,
                                  .suppressed = true,
                                  .width = terminal_width(1),
                                  .next = next_after(findings, report::Next::kReport)};
    fmt::print("{}", text_of_race(findings, *found[0], rendering));
    print_history(file, std::string(view(found[0]->id.text())));
    return 0;
  }
  // Near ones: those it could mean, or those that begin most alike or are a typo away.
  std::vector<std::pair<size_t, std::string>> near;
  const auto add = [&](const report::RaceId& other) {
    const std::string_view full = view(other.text());
    near.emplace_back(options::edit_distance(report::text_of(id), report::text_of(full.substr(0, id.size()))),
                      "R" + std::string(full));
  };
  for (const Race& race : findings.races) add(race.id);
  for (const report::Hazard& hazard : findings.hazards) add(hazard.id);
  std::sort(near.begin(), near.end());
  std::string names;
  for (size_t i = 0; i < near.size() && i < 3; ++i) names += (i > 0 ? ", " : "") + near[i].second;
  if (count > 1) {
    complain(fmt::format("{} is the beginning of {} races; say more of it: {}", asked, count, names));
  } else if (near.empty()) {
    complain(fmt::format("no race {} in this run: it has none", asked));
  } else {
    complain(fmt::format("no race {} in this run; the nearest: {} (norn show lists all)", asked, names));
  }
  return kMisuse;
}

bool has_race(const report::Findings& findings, const std::string& asked) {
  return !races_beginning(findings, id_in(asked)).empty() || !hazards_beginning(findings, id_in(asked)).empty();
}

// As the casebook has it, if it knows one race of that name.
std::optional<report::Findings> known_before(const CasebookFile& file, const std::string& asked) {
  std::optional<report::Findings> findings;
  file.look([&](const casebook::Casebook& casebook) {
    const std::vector<casebook::KnownRace> known = casebook.races(id_in(asked));
    if (known.size() == 1) findings = casebook.findings_of(known[0].id);
  });
  return findings;
}

int show_flags(const report::Findings& findings) {
  const TextRendering rendering{.color = wants_color(1, options::ColorMode::kAuto),
                                .width = terminal_width(1),
                                .next = next_after(findings, report::Next::kReport)};
  const std::string text = text_of_flags(findings, rendering);
  fmt::print("{}", text.empty() ? "no variable was used as a flag without being atomic in this run\n" : text);
  return 0;
}

}  // namespace

int show(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  int number = 0;
  bool last = false, runs = false, flags = false;
  Argument* run = app.add_option("--run", number, "the run of that number")->type_name("N");
  app.add_flag("--last", last, "the last run (the default)")->excludes(run);
  app.add_flag("--runs", runs, "list the runs that are kept");
  app.add_flag("--flags", flags, "the variables that loops wait for though they are not atomic");
  CasebookFile file;
  file.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  if (runs) return show_runs();
  const std::vector<std::string> asked = app.remaining();
  if (asked.size() > 1) {
    complain("one race at a time: norn show R…");
    return kMisuse;
  }
  std::string error;
  const bool any_run = !run->is_given() && asked.size() == 1;
  const auto kept = casebook::find_run(run->is_given() ? std::optional(number) : std::nullopt, error);
  if (!kept) {
    if (const auto known = any_run ? known_before(file, asked[0]) : std::nullopt; known)
      return show_race(*known, asked[0], file);
    complain(error);
    return kMisuse;
  }
  auto findings = casebook::load_findings(*kept, error);
  if (!findings) {
    complain(error);
    return kMisuse;
  }
  if (flags) return show_flags(*findings);
  if (any_run && !has_race(*findings, asked[0])) {
    if (const auto known = known_before(file, asked[0]); known) return show_race(*known, asked[0], file);
  }
  if (!asked.empty()) return show_race(*findings, asked[0], file);
  size_t accepted = 0;
  report::Findings& found = *findings;
  file.look([&](const casebook::Casebook& casebook) { accepted = mark_accepted(found, casebook); });
  std::vector<const Race*> all;
  for (const Race& race : findings->races) all.push_back(&race);
  list_races(*findings, all, accepted);
  return 0;
}

}  // namespace norn::cli
