#include "cli/casebook_file.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/string_sink.h"
#include "casebook/times.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "options/options.h"
#include "report/record_reader.h"

namespace norn::cli {
namespace {

namespace fs = std::filesystem;
using casebook::Acceptance;
using casebook::Casebook;
using casebook::CasebookError;
using casebook::KnownRace;

std::string environment_name() {
  const char* named = std::getenv("NORN_CASEBOOK");
  return named != nullptr ? named : "";
}

// What earlier norns kept is the beginning of a new casebook.
void import_kept_runs(Casebook& casebook) {
  for (const casebook::KeptRun& run : casebook::kept_runs()) {
    if (!run.ended) continue;
    try {
      casebook.import_findings(run.findings());
    } catch (const CasebookError&) {
      continue;  // no findings, or not norn's: norn show says it if asked
    }
  }
}

std::string words_of(const Acceptance& acceptance) {
  std::string words = acceptance.reason;
  if (!acceptance.owner.empty()) words += fmt::format(", owner: {}", acceptance.owner);
  if (!acceptance.until.empty()) words += fmt::format(", until {}", acceptance.until);
  return words;
}

// What is said of a race behind its line.
std::string marks_of(const KnownRace& race, const std::string& today) {
  std::string marks;
  if (race.classification) marks += fmt::format("  [{}]", race.classification->name);
  if (race.acceptance && race.acceptance->in_force(today)) {
    marks += fmt::format("  (accepted: {})", words_of(*race.acceptance));
  } else if (!race.suppressed_by.empty()) {
    marks += fmt::format("  (suppressed by {})", race.suppressed_by);
  }
  return marks;
}

}  // namespace

void CasebookFile::add_option(Arguments& app) {
  app.add_option("--casebook", named_,
                 "where what is known of races is kept (default: NORN_CASEBOOK, or .norn/casebook.db; none: nowhere)")
      ->type_name("FILE");
}

bool CasebookFile::is_named() const { return !named_.empty() || !environment_name().empty(); }

std::string CasebookFile::path() const {
  std::string path = named_.empty() ? environment_name() : named_;
  if (path.empty()) path = casebook::home_directory() + "/casebook.db";
  return path == "none" ? "" : path;
}

bool CasebookFile::exists() const {
  std::error_code error;
  return !path().empty() && fs::exists(path(), error);
}

std::string CasebookFile::full_path() const {
  std::error_code error;
  return path().empty() ? "" : fs::absolute(path(), error).string();
}

void CasebookFile::adopt(Casebook& casebook) const {
  for (const casebook::KeptRun& run : casebook::untold_runs(full_path())) {
    try {
      casebook.import_findings(run.findings());
    } catch (const CasebookError&) {
      continue;  // its program had only begun: nothing is known of it
    }
    mark_told(run);
  }
}

void CasebookFile::adopt_first() const {
  if (casebook::untold_runs(full_path()).empty()) return;
  try {
    Casebook writer(path(), casebook::Access::kWrite);
    adopt(writer);
  } catch (const CasebookError&) {
    return;  // what is wrong with it is said by who wants to look
  }
}

int CasebookFile::use(casebook::Access access, const std::function<int(Casebook&)>& body) const {
  if (path().empty()) {
    complain("--casebook=none: there is none to look at");
    return kMisuse;
  }
  adopt_first();
  if (!exists()) {
    complain(fmt::format("no casebook {}; norn run -- ./program begins one", path()));
    return kMisuse;
  }
  try {
    Casebook casebook(path(), access);
    return body(casebook);
  } catch (const CasebookError& error) {
    complain(error.what());
    return kMisuse;
  }
}

bool CasebookFile::attempt(const std::function<void(Casebook&)>& body) {
  if (has_failed_ || path().empty()) return path().empty();
  try {
    if (!casebook_) {
      std::error_code code;
      if (!is_named()) fs::create_directories(casebook::home_directory(), code);
      casebook_.emplace(path(), casebook::Access::kWrite);
      if (casebook_->is_new() && !is_named()) import_kept_runs(*casebook_);
      adopt(*casebook_);
    }
    body(*casebook_);
    return true;
  } catch (const CasebookError& error) {
    has_failed_ = true;
    complain(fmt::format("{}; what was found is not in it", error.what()));
    return false;
  }
}

void CasebookFile::look(const std::function<void(Casebook&)>& body) const {
  if (!exists()) return;
  try {
    Casebook casebook(path(), casebook::Access::kRead);
    body(casebook);
  } catch (const CasebookError& error) {
    complain(error.what());
  }
}

std::map<std::string, Acceptance> accepted_today(const Casebook& casebook) {
  auto accepted = casebook.acceptances();
  const std::string today = casebook::local_day(casebook::now());
  std::erase_if(accepted, [&](const auto& entry) { return !entry.second.in_force(today); });
  return accepted;
}

size_t mark_accepted(report::Findings& findings, const Casebook& casebook) {
  const std::map<std::string, Acceptance> accepted = accepted_today(casebook);
  size_t marked = 0;
  for (report::Race& race : findings.races) {
    const auto found = accepted.find(std::string(view(race.id.text())));
    if (found == accepted.end() || race.suppressed) continue;
    race.suppressed = true;
    race.suppressed_by = findings.pool.keep(fmt::format("norn accept: {}", words_of(found->second)));
    ++marked;
  }
  if (marked > 0) report::sort_for_reading(findings.races);
  std::erase_if(findings.hazards, [&](const report::Hazard& hazard) {
    const bool is_accepted = accepted.contains(std::string(view(hazard.id.text())));
    if (is_accepted) findings.accepted_hazards.push_back(hazard);
    return is_accepted;
  });
  return marked;
}

std::string accepted_words(size_t races, size_t hazards) {
  const auto counted = [](size_t number, const char* what) {
    return number == 0 ? "" : fmt::format("{} accepted {}{}", number, what, number == 1 ? "" : "s");
  };
  if (races + hazards == 0) return "";
  return fmt::format("{}{}{} not counted; norn list --accepted says why", counted(races, "race"),
                     races > 0 && hazards > 0 ? " and " : "", counted(hazards, "hazard"));
}

casebook::RunFacts facts_of_command(const char* verb, const std::vector<std::string>& command,
                                    const std::string& program) {
  std::error_code error;
  return {.verb = verb,
          .command = command,
          .directory = fs::current_path(error).string(),
          .build = casebook::build_of(program),
          .started = casebook::now()};
}

std::string id_in(const std::string& asked) {
  return asked.starts_with("R") || asked.starts_with("r") ? asked.substr(1) : asked;
}

std::optional<KnownRace> find_race(const Casebook& casebook, const std::string& asked) {
  const std::string id = id_in(asked);
  std::vector<KnownRace> found = casebook.races(id);
  std::erase_if(found, [&](const KnownRace& race) { return !race.id.starts_with(id); });
  if (found.size() == 1 && !id.empty()) return std::move(found[0]);
  if (found.size() > 1) {
    std::string names;
    for (size_t i = 0; i < found.size() && i < 3; ++i) names += (i > 0 ? ", R" : "R") + found[i].id;
    complain(fmt::format("{} is the beginning of {} races; say more of it: {}", asked, found.size(), names));
    return std::nullopt;
  }
  std::pair<size_t, std::string> nearest(~size_t{0}, "");
  for (const KnownRace& race : casebook.races())
    nearest = std::min(nearest, {options::edit_distance(text_of(id), text_of(race.id.substr(0, id.size()))), race.id});
  complain(fmt::format("no race {} in {}{}", asked, casebook.path(),
                       nearest.second.empty() ? ": it has none"
                                              : fmt::format("; the nearest: R{} (norn list has all)", nearest.second)));
  return std::nullopt;
}

Casebook open_other(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);  // its file format, section 1.2
  std::string begin(kMagic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin == kMagic) return Casebook(path, casebook::Access::kRead);
  Casebook casebook(path, casebook::Access::kMemory);
  casebook.import_findings(path);
  return casebook;
}

std::string lines_of(const std::vector<const KnownRace*>& races, const std::string& before) {
  size_t name_width = 0, count_width = 0;
  std::vector<std::string> counts;
  counts.reserve(races.size());
  for (const KnownRace* race : races) {
    counts.emplace_back(view(Decimal(race->count, true).text()));
    name_width = std::max(name_width, race->variable.size());
    count_width = std::max(count_width, counts.back().size());
  }
  name_width = std::min<size_t>(name_width, 40);
  const std::string today = casebook::local_day(casebook::now());
  fmt::memory_buffer lines;
  for (size_t i = 0; i < races.size(); ++i) {
    const KnownRace& race = *races[i];
    fmt::format_to(std::back_inserter(lines), "{}R{}  {:<9}  {:>{}}×  {}  {:<{}}  {}{}{}{}\n", before, race.id,
                   view(name_of(race.standing())), counts[i], count_width, casebook::local_time(race.last),
                   race.variable, name_width, race.accesses[0], race.accesses[1].empty() ? "" : " / ", race.accesses[1],
                   marks_of(race, today));
  }
  return fmt::to_string(lines);
}

std::string author() {
  const struct passwd* entry = getpwuid(getuid());
  return entry != nullptr ? entry->pw_name : "";
}

}  // namespace norn::cli
