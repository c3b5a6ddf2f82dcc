// norn diff: which races are new, gone, or still there.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "casebook/times.h"
#include "cli/casebook_file.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {
namespace {

using casebook::Casebook;
using casebook::CasebookError;
using casebook::KnownRace;
using options::FailOn;
using report::Standing;

struct Side {
  std::vector<KnownRace> races;
  std::vector<std::string> programs;
  std::string name;
};

Side side_of(const Casebook& casebook, std::optional<int64_t> run, std::string name) {
  return {.races = casebook.races("", run), .programs = casebook.programs(run), .name = std::move(name)};
}

bool names_a_run(const std::string& word) {
  std::error_code error;
  return !std::filesystem::exists(word, error) && !word.empty() && word.size() < 10 &&
         word.find_first_not_of("0123456789") == std::string::npos;
}

// A run of the casebook at hand, or another file. Throws CasebookError.
Side side_named(const CasebookFile& file, const std::string& word) {
  if (!names_a_run(word)) return side_of(open_other(word), {}, word);
  const Casebook casebook(file.path(), casebook::Access::kRead);
  const auto run = casebook.find_run(std::atoi(word.c_str()));
  if (!run) throw CasebookError(fmt::format("no run {} in {}; norn show --runs lists them", word, file.path()));
  return side_of(casebook, run, "run " + word);
}

// What is compared if only the base is named: with a run the latest run, with a file all that is known here.
Side present_side(const CasebookFile& file, const std::string& base) {
  const Casebook casebook(file.path(), casebook::Access::kRead);
  if (!names_a_run(base)) return side_of(casebook, {}, file.path());
  const auto run = casebook.find_run(std::nullopt);
  if (!run) throw CasebookError(fmt::format("no run in {}; type: norn run -- ./program", file.path()));
  return side_of(casebook, run, "the last run");
}

bool counts(const KnownRace& race, FailOn fail_on, const std::string& today) {
  if (!race.is_race() || !race.suppressed_by.empty()) return false;
  if (race.acceptance && race.acceptance->in_force(today)) return false;
  switch (fail_on) {
    case FailOn::kNone:
      return false;
    case FailOn::kConfirmed:
      return race.standing() == Standing::kConfirmed;
    case FailOn::kObserved:
      return is_certain(race.standing());
    case FailOn::kAny:
      return true;
  }
  return false;
}

std::string text_of(const casebook::Difference& difference, const Side& base, const Side& now) {
  std::string text = lines_of(difference.added, "new    ") + lines_of(difference.gone, "gone   ") +
                     lines_of(difference.stayed, "still  ");
  text += fmt::format("norn: {} new, {} gone, {} still there since {} (now: {})\n", difference.added.size(),
                      difference.gone.size(), difference.stayed.size(), base.name, now.name);
  if (const size_t unseen = difference.unseen.size(); unseen > 0)
    text += fmt::format("norn: {} more of programs that were not run now ({}, …): nothing is known of {}\n", unseen,
                        difference.unseen[0]->program, unseen == 1 ? "it" : "them");
  return text;
}

}  // namespace

int diff(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  CasebookFile file;
  std::string fail_on;
  app.add_option("--fail-on", fail_on,
                 "the weakest new race that makes the exit status 66: any|observed|confirmed|none "
                 "(default: observed)")
      ->type_name("WHAT");
  file.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  const std::vector<std::string> sides = app.remaining();
  options::OptionList list;
  if (!fail_on.empty()) list.on_command_line("fail_on") = fail_on;
  std::string error;
  if (sides.empty() || sides.size() > 2) error = "say what to compare with: norn diff main.db, or norn diff 12 (a run)";
  if (!error.empty() || !resolve(list, error)) {
    complain(error);
    return kMisuse;
  }
  const bool needs_own = sides.size() == 1 || names_a_run(sides[0]) || names_a_run(sides[1]);
  const auto compare_sides = [&] {
    const Side base = side_named(file, sides[0]);
    const Side now = sides.size() == 2 ? side_named(file, sides[1]) : present_side(file, sides[0]);
    const casebook::Difference difference = casebook::compare(base.races, now.races, now.programs);
    fmt::print("{}", text_of(difference, base, now));
    const std::string today = casebook::local_day(casebook::now());
    const bool fails = std::any_of(difference.added.begin(), difference.added.end(), [&](const KnownRace* race) {
      return counts(*race, list.settings().fail_on, today);
    });
    return fails ? static_cast<int>(list.settings().exitcode) : 0;
  };
  if (needs_own) return file.use(casebook::Access::kRead, [&](Casebook&) { return compare_sides(); });
  try {
    return compare_sides();
  } catch (const CasebookError& wrong) {
    complain(wrong.what());
    return kMisuse;
  }
}

}  // namespace norn::cli
