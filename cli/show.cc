// norn show: what is known of the races of a run that is kept.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/string_sink.h"
#include "casebook/runs.h"
#include "cli/renderings.h"
#include "cli/terminal.h"
#include "cli/verb.h"

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
    const std::string races = findings ? fmt::format("{} races", findings->counts().total()) : "unreadable";
    fmt::print("{:>4}  {}  {:>10}  {}\n", run.number, run.started, run.ended ? races : "going on", joined(run.command));
  }
  return 0;
}

// "bank.cpp:14 write"
std::string access_words(const report::Access& access) {
  const report::Frame& site = report::site_of(access);
  const std::string place = !site.file.empty()
                                ? fmt::format("{}:{}", view(report::base_name(site.file)), site.line)
                                : fmt::format("{}+{:#x}", view(report::base_name(site.module)), site.offset);
  return fmt::format("{} {}", place, view(report::name_of(access.op)));
}

// Below its line, if somebody tried: what came of it, and how to see it again.
template <class Finding>
void print_confirmation(const Finding& finding, const report::RunSummary& run) {
  const report::Confirmation& confirmation = finding.confirmation;
  if (!confirmation.tried()) return;
  fmt::print("    {}", collect([&](Sink sink) { put_standing(finding, sink); }));
  if (!confirmation.token.empty())
    fmt::print("; replay: norn replay {} --{}", view(confirmation.token), collect([&](Sink sink) {
                 for (const Text word : run.command) {
                   sink.put(' ');
                   report::put_shell_word(word, sink);
                 }
               }));
  fmt::print("\n");
}

void list_races(const report::Findings& findings, const std::vector<const Race*>& races) {
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
               counts[i], count_width, names[i], name_width, access_words(race.accesses[0]),
               access_words(race.accesses[1]),
               race.suppressed ? fmt::format("  (suppressed by {})", view(race.suppressed_by)) : "");
    print_confirmation(race, findings.run);
  }
  for (const report::Hazard& hazard : findings.hazards) {
    fmt::print("R{}  {:<11}  {}{}  {}\n", view(hazard.id.text()), view(name_of(standing_of(hazard))),
               view(hazard.title), has_happened(hazard.kind) ? view(words_of(hazard.kind)) : "", view(hazard.places));
    print_confirmation(hazard, findings.run);
  }
  std::fflush(stdout);
  const TextRendering rendering{.color = wants_color(1, options::ColorMode::kAuto)};
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

int show_race(const report::Findings& findings, const std::string& asked) {
  std::string_view id = asked;
  if (id.starts_with("R") || id.starts_with("r")) id.remove_prefix(1);
  const std::vector<const Race*> found = races_beginning(findings, id);
  const std::vector<const report::Hazard*> hazards = hazards_beginning(findings, id);
  const size_t count = found.size() + hazards.size();
  if (count == 1 && !hazards.empty()) {
    fmt::print("{}", text_of_hazard(*hazards[0]));
    return 0;
  }
  if (count == 1) {
    const TextRendering rendering{.color = wants_color(1, options::ColorMode::kAuto),
                                  .full = true,
                                  .suppressed = true,
                                  .width = terminal_width(1),
                                  .next = next_after(findings, report::Next::kReport)};
    fmt::print("{}", text_of_race(findings, *found[0], rendering));
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
  CLI::App app;
  int number = 0;
  bool last = false, runs = false, flags = false;
  CLI::Option* run = app.add_option("--run", number, "the run of that number")->type_name("N");
  app.add_flag("--last", last, "the last run (the default)")->excludes(run);
  app.add_flag("--runs", runs, "list the runs that are kept");
  app.add_flag("--flags", flags, "the variables that loops wait for though they are not atomic");
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  if (runs) return show_runs();
  const std::vector<std::string> asked = app.remaining();
  if (asked.size() > 1) {
    complain("one race at a time: norn show R…");
    return kMisuse;
  }
  std::string error;
  const auto kept = casebook::find_run(*run ? std::optional(number) : std::nullopt, error);
  if (!kept) {
    complain(error);
    return kMisuse;
  }
  const auto findings = casebook::load_findings(*kept, error);
  if (!findings) {
    complain(error);
    return kMisuse;
  }
  if (flags) return show_flags(*findings);
  if (!asked.empty()) return show_race(*findings, asked[0]);
  std::vector<const Race*> all;
  for (const Race& race : findings->races) all.push_back(&race);
  list_races(*findings, all);
  return 0;
}

}  // namespace norn::cli
