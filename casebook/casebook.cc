#include "casebook/casebook.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <unordered_map>

#include "base/hash.h"
#include "base/string_sink.h"
#include "base/text_hash.h"
#include "casebook/schema.h"
#include "casebook/times.h"
#include "report/json_writer.h"
#include "report/record.h"
#include "report/record_reader.h"
#include "report/source.h"
#include "report/suppression.h"
#include "report/whole_file.h"
#include "report/words/op_names.h"

namespace norn::casebook {
namespace {

namespace fs = std::filesystem;
using report::Detection;

// A key for ever: positive, and never 0.
int64_t key_from(uint64_t bits) { return static_cast<int64_t>(hash_well(bits) >> 1) | 1; }

int64_t new_key() {
  static std::random_device device;
  return key_from(uint64_t{device()} << 32 ^ device());
}

std::string json_list(const std::vector<std::string>& words) {
  return nlohmann::json(words).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> words_in(std::string_view json_text) {
  const auto json = nlohmann::json::parse(json_text, nullptr, false);
  std::vector<std::string> words;
  if (json.is_array())
    for (const auto& word : json)
      if (word.is_string()) words.push_back(word);
  return words;
}

std::string shell_words(const std::vector<std::string>& words) {
  return collect([&](Sink sink) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (i > 0) sink.put(' ');
      report::put_shell_word(text_of(words[i]), sink);
    }
  });
}

std::string program_of(const std::vector<std::string>& command) {
  return command.empty() ? "" : fs::path(command[0]).filename().string();
}

std::string record_of(const report::Hazard& hazard) {
  std::string line(size_t{1} << 16, '\0');
  line.resize(report::format_hazard(hazard, 1, line.data(), line.size()).size);
  return line;
}

std::string record_of(report::Race race) {
  race.suppressed = false;  // that is a fact of one run
  race.suppressed_by = {};
  return collect([&](Sink sink) { report::write_race(race, 1, sink); });
}

std::string times(uint64_t count) {
  return count == 1 ? "once" : fmt::format("{} times", view(Decimal(count, true).text()));
}

// Whoever is asked for by the beginning of an identity: from, and before.
std::pair<std::string, std::string> range_of(const std::string& beginning) { return {beginning, beginning + "g"}; }

// What one run adds to what is known of a race. Runs come in any order.
struct RunRow {
  int64_t started = 0;
  bool is_latest_build = false;
  std::string program;
};

std::unordered_map<int64_t, RunRow> read_runs(const Database& database, std::optional<int64_t> only) {
  std::unordered_map<int64_t, RunRow> runs;
  std::unordered_map<std::string, std::pair<int64_t, int64_t>> latest;  // by program: when, and which build
  std::unordered_map<int64_t, int64_t> builds;
  Statement rows(database, "SELECT id, started, build, program FROM runs ORDER BY id");
  while (rows.step()) {
    const int64_t id = rows.integer(0);
    RunRow& row = runs[id] = {.started = rows.integer(1), .program = rows.text(3)};
    builds[id] = rows.integer(2);
    auto& best = latest[row.program];
    if (builds[id] != 0) best = std::max(best, {row.started, builds[id]});
  }
  for (auto& [id, row] : runs) row.is_latest_build = builds[id] != 0 && builds[id] == latest[row.program].second;
  if (only) std::erase_if(runs, [&](const auto& entry) { return entry.first != *only; });
  return runs;
}

// The races of a query's rows, which come by identity as the races do.
class Cursor {
 public:
  explicit Cursor(std::vector<KnownRace>& races) : races_(races), at_(races.begin()) {}
  KnownRace* find(std::string_view id) {
    while (at_ != races_.end() && at_->id < id) ++at_;
    return at_ != races_.end() && at_->id == id ? &*at_ : nullptr;
  }

 private:
  std::vector<KnownRace>& races_;
  std::vector<KnownRace>::iterator at_;
};

}  // namespace

std::string access_words(const report::Access& access) {
  const report::Frame& site = report::site_of(access);
  const std::string place = !site.file.empty()
                                ? fmt::format("{}:{}", view(report::base_name(site.file)), site.line)
                                : fmt::format("{}+{:#x}", view(report::base_name(site.module)), site.offset);
  return fmt::format("{} {}", place, view(report::name_of(access.op)));
}

int64_t key_of(const KeptRun& run) {
  std::string error;
  const auto description = report::read_whole_file(run.directory + "/run.json", error);
  return description && !description->empty() ? key_from(text_hash(text_of(*description))) : 0;
}

// ---- opening ----

Casebook::Casebook(const std::string& path, Access access) : database_(path, access) {
  if (access != Access::kRead) {
    is_new_ = migrate(database_);
    return;
  }
  if (version_of(database_) == kVersion) return;
  if (is_server(path))
    throw CasebookError(database_.path() + ": an older norn's tables; norn hive serve brings them up to date");
  Database copy(path, Access::kMemory);
  copy.copy(database_);
  migrate(copy);
  database_ = std::move(copy);
}

// ---- adding ----

bool Casebook::has_run(int64_t key) const {
  Statement row(database_, "SELECT 1 FROM runs WHERE id = ?");
  return row.bind(key).step();
}

int64_t Casebook::add_run(const RunFacts& run, const report::Findings* findings) {
  RunFacts facts = run;
  if (facts.key == 0) facts.key = new_key();
  database_.transaction([&] { add_rows(facts, findings); });
  return facts.key;
}

void Casebook::add_rows(const RunFacts& run, const report::Findings* findings) {
  if (run.build)
    Statement(database_, add_to("builds"))
        .bind(run.build->key(), run.build->mark, run.build->path, run.build->modified)
        .run();
  const report::RunSummary summary = findings != nullptr ? findings->run : report::RunSummary{};
  Statement(database_, add_to("runs"))
      .bind(run.key, run.verb, run.number, program_of(run.command), json_list(run.command), run.directory,
            run.build ? run.build->key() : 0, run.started, run.end.seconds, run.end.exit, run.end.signal,
            run.end.timed_out, view(summary.engine), view(summary.front_end),
            findings != nullptr && summary.ended && summary.checked)
      .run();
  if (findings == nullptr) return;

  Statement races(database_, add_to("races"));
  Statement records(database_, add_to("records"));
  Statement detections(database_, add_to("detections"));
  const auto add = [&](const report::RaceId& id, const std::string& record, Detection detection, uint64_t count,
                       Text suppressed_by) {
    records.bind(view(id.text()), record, run.started, run.key).run();
    detections
        .bind(view(id.text()), run.key, view(name_of(detection)), static_cast<int64_t>(count), view(suppressed_by))
        .run();
  };
  for (const report::Race& race : findings->races) {
    const auto& [first, second] = race.accesses;
    races
        .bind(view(race.id.text()), "race", collect([&](Sink sink) { put_location_name(race.location, sink); }),
              access_words(first), access_words(second), report::SourceFiles::path(site_of(first)),
              report::SourceFiles::path(site_of(second)), run.started, run.key)
        .run();
    const Text rule = race.suppressed && race.suppressed_by.empty() ? Text("a rule") : race.suppressed_by;
    add(race.id, record_of(race), race.detection, race.count, rule);
  }
  for (const report::Hazard& hazard : findings->hazards) {
    std::string files[2];
    for (size_t i = 0; i < 2 && i < hazard.steps.size; ++i)
      if (!hazard.steps[i].stack.empty()) files[i] = report::SourceFiles::path(hazard.steps[i].stack[0]);
    races
        .bind(view(hazard.id.text()), view(name_of(hazard.kind)),
              fmt::format("{}{}", view(hazard.title), has_happened(hazard.kind) ? view(words_of(hazard.kind)) : ""),
              view(hazard.places), "", files[0], files[1], run.started, run.key)
        .run();
    add(hazard.id, record_of(hazard), hazard.detection, 1, {});
  }
}

void Casebook::add_confirmation(int64_t run, const std::string& race, int64_t time,
                                const report::Confirmation& confirmation, const std::string& consequence) {
  Statement(database_, add_to("confirmations"))
      .bind(new_key(), race, run, time, static_cast<int64_t>(confirmation.runs),
            static_cast<int64_t>(confirmation.confirmed), view(confirmation.token), view(confirmation.strategy),
            consequence, collect([&](Sink sink) { report::write_met(confirmation, sink); }))
      .run();
}

bool Casebook::add_replay(const RunFacts& run, const std::string& token, bool same) {
  std::string race;
  {
    Statement known(database_, "SELECT race FROM confirmations WHERE token = ?");
    if (!known.bind(token).step()) return false;
    race = known.text(0);
  }
  RunFacts facts = run;
  facts.key = new_key();
  database_.transaction([&] {
    add_rows(facts, nullptr);
    Statement(database_, add_to("replays")).bind(new_key(), race, facts.key, run.started, token, same).run();
  });
  return true;
}

int64_t Casebook::time_of_latest(const char* table, const std::string& race, int64_t time) const {
  Statement row(database_, fmt::format("SELECT max(time) FROM {} WHERE race = ?", table));
  return row.bind(race).step() ? std::max(time, row.integer(0) + 1) : time;
}

void Casebook::add_class(int64_t run, const std::string& race, int64_t time, const Class& classification) {
  database_.transaction([&] {
    Statement(database_, add_to("classes"))
        .bind(new_key(), race, run, time_of_latest("classes", race, time), classification.name,
              classification.consequence, classification.k, classification.evidence)
        .run();
  });
}

void Casebook::add_note(const std::string& race, int64_t time, const std::string& author, const std::string& text) {
  Statement(database_, add_to("notes")).bind(new_key(), race, time, author, text).run();
}

void Casebook::add_acceptance(const std::string& race, const Acceptance& acceptance) {
  database_.transaction([&] {
    Statement(database_, add_to("acceptances"))
        .bind(new_key(), race, time_of_latest("acceptances", race, acceptance.time), acceptance.author,
              acceptance.reason, acceptance.owner, acceptance.until, acceptance.withdrawn)
        .run();
  });
}

void Casebook::merge(Casebook& other) {
  database_.transaction([&] {
    for (size_t i = 0; i < kTableCount; ++i) {
      Statement rows(other.database_, fmt::format("SELECT * FROM {}", kTables[i].name));
      Statement add(database_, kTables[i].add);
      while (rows.step()) {
        add.reset();
        for (int column = 0; column < rows.columns(); ++column) add.bind_from(column + 1, rows, column);
        add.run();
      }
    }
  });
}

void Casebook::import_findings(const std::string& path) {
  const fs::path directory = fs::absolute(path).parent_path();
  std::string error;
  // In .norn/runs/12 there is more to know.
  const bool is_kept = fs::path(path).filename() == "findings.jsonl" && fs::exists(directory / "run.json");
  RunFacts run{.verb = "import"};
  std::optional<report::Findings> findings;
  if (is_kept) {
    const KeptRun kept = kept_run(directory.string());
    findings = load_findings(kept, error);
    run.key = key_of(kept);
    if (run.key == 0) throw CasebookError(path + ": its run has only begun");
    run.number = kept.number;
    run.command = kept.command;
    run.directory = kept.started_in;
    run.started = parse_local_time(kept.started).value_or(0);
    run.end = kept.end;
  } else if (const auto contents = report::read_whole_file(path, error); contents) {
    findings = report::merge_findings({{path, *contents}}, error);
    run.key = key_from(text_hash(text_of(*contents)));
    if (findings)
      for (const Text word : findings->run.command) run.command.emplace_back(view(word));
    if (findings) run.end.exit = findings->run.exit;
  }
  if (!findings) throw CasebookError(error);
  const report::Findings& found = *findings;
  if (struct stat status{}; run.started == 0 && stat(path.c_str(), &status) == 0) run.started = status.st_mtim.tv_sec;
  database_.transaction([&] {
    const bool is_known = has_run(run.key);
    add_rows(run, &found);
    if (is_known) return;  // and what was confirmed of it, too
    const auto confirm = [&](const report::RaceId& id, const report::Confirmation& confirmation) {
      if (confirmation.tried()) add_confirmation(run.key, std::string(view(id.text())), run.started, confirmation, "");
    };
    for (const report::Race& race : found.races) confirm(race.id, race.confirmation);
    for (const report::Hazard& hazard : found.hazards) confirm(hazard.id, hazard.confirmation);
  });
}

// ---- what is known ----

std::vector<KnownRace> Casebook::races(const std::string& beginning, std::optional<int64_t> run) const {
  const auto [from, before] = range_of(beginning);
  std::vector<KnownRace> races;
  Statement known(database_,
                  "SELECT id, kind, variable, access_a, access_b, file_a, file_b FROM races WHERE id >= ? AND id < ? "
                  "ORDER BY id");
  known.bind(from, before);
  while (known.step())
    races.push_back({.id = known.text(0),
                     .kind = known.text(1),
                     .variable = known.text(2),
                     .accesses = {known.text(3), known.text(4)},
                     .files = {known.text(5), known.text(6)}});

  const std::unordered_map<int64_t, RunRow> runs = read_runs(database_, run);
  const auto each = [&](const char* sql, const auto& add) {
    Statement rows(database_, sql);
    rows.bind(from, before);
    Cursor cursor(races);
    while (rows.step())
      if (KnownRace* race = cursor.find(rows.view(0)); race != nullptr) add(*race, rows);
  };
  each("SELECT race, run, standing, count, suppressed_by FROM detections WHERE race >= ? AND race < ? ORDER BY race",
       [&](KnownRace& race, const Statement& row) {
         const auto found = runs.find(row.integer(1));
         if (found == runs.end()) return;
         const RunRow& by = found->second;
         race.first = race.runs == 0 ? by.started : std::min(race.first, by.started);
         ++race.runs;
         race.count += static_cast<uint64_t>(row.integer(3));
         race.is_new = race.is_new && by.is_latest_build;
         if (race.runs == 1) race.detection = Detection::kStatic;
         for (const Detection seen : {Detection::kPredicted, Detection::kProved, Detection::kObserved})
           if (row.view(2) == view(name_of(seen))) race.detection = std::max(race.detection, seen);
         if (by.started < race.last) return;
         race.last = by.started;
         race.program = by.program;
         race.suppressed_by = row.text(4);
       });
  if (run) std::erase_if(races, [](const KnownRace& race) { return race.runs == 0; });
  each("SELECT race, runs, confirmed, token FROM confirmations WHERE race >= ? AND race < ? ORDER BY race, time, id",
       [](KnownRace& race, const Statement& row) {
         race.confirmation.runs += static_cast<uint64_t>(row.integer(1));
         race.confirmation.confirmed += static_cast<uint64_t>(row.integer(2));
         if (!row.view(3).empty()) race.token = row.text(3);
       });
  each("SELECT race, class, consequence, k, evidence FROM classes WHERE race >= ? AND race < ? ORDER BY race, time, id",
       [](KnownRace& race, const Statement& row) {
         race.classification =
             Class{.name = row.text(1), .consequence = row.text(2), .k = row.integer(3), .evidence = row.text(4)};
       });
  const std::map<std::string, Acceptance> accepted = acceptances();
  for (KnownRace& race : races)
    if (const auto found = accepted.find(race.id); found != accepted.end()) race.acceptance = found->second;
  return races;
}

std::map<std::string, Acceptance> Casebook::acceptances() const {
  std::map<std::string, Acceptance> latest;
  Statement rows(database_,
                 "SELECT race, time, author, reason, owner, until, withdrawn FROM acceptances ORDER BY time, id");
  while (rows.step())
    latest[rows.text(0)] = {.time = rows.integer(1),
                            .author = rows.text(2),
                            .reason = rows.text(3),
                            .owner = rows.text(4),
                            .until = rows.text(5),
                            .withdrawn = rows.integer(6) != 0};
  return latest;
}

std::vector<Event> Casebook::history(const std::string& race) const {
  std::multimap<int64_t, std::string> events;  // of one second: in the order of this function
  const auto each = [&](const char* sql, const auto& words) {
    Statement rows(database_, sql);
    rows.bind(race);
    while (rows.step()) events.emplace(rows.integer(0), words(rows));
  };
  const auto by = [](std::string_view who) { return who.empty() ? "" : fmt::format(" by {}", who); };
  each(
      "SELECT started, number, standing, count, suppressed_by, command, mark FROM detections "
      "JOIN runs ON runs.id = run LEFT JOIN builds ON builds.id = build WHERE race = ? ORDER BY started, number",
      [](const Statement& row) {
        std::string words = fmt::format("{} {}", row.view(2), times(static_cast<uint64_t>(row.integer(3))));
        if (!row.view(4).empty()) words += fmt::format(", suppressed by {}", row.view(4));
        if (row.integer(1) != 0) words += fmt::format(", run {}", row.integer(1));
        words += fmt::format(": {}", shell_words(words_in(row.view(5))));
        const std::string_view mark = row.view(6).substr(std::min(row.view(6).find(':') + 1, row.view(6).size()));
        if (!mark.empty()) words += fmt::format("  (build {})", mark.substr(0, 8));
        return words;
      });
  each(
      "SELECT time, confirmed, confirmations.runs, strategy, consequence, token, command FROM confirmations "
      "LEFT JOIN runs ON runs.id = run WHERE race = ?",
      [](const Statement& row) {
        const int64_t confirmed = row.integer(1);
        std::string words = confirmed > 0 ? fmt::format("confirmed in {} of {} runs", confirmed, row.integer(2))
                                          : fmt::format("not met in {} runs", row.integer(2));
        if (!row.view(3).empty()) words += fmt::format(" ({})", row.view(3));
        if (!row.view(4).empty()) words += fmt::format(", {}", row.view(4));
        if (!row.view(5).empty())
          words += fmt::format("; norn replay {} -- {}", row.view(5), shell_words(words_in(row.view(6))));
        return words;
      });
  each("SELECT time, same FROM replays WHERE race = ?", [](const Statement& row) -> std::string {
    return row.integer(1) != 0 ? "replayed, with the same decisions" : "replayed, but other decisions were taken";
  });
  each("SELECT time, class, consequence, k FROM classes WHERE race = ?", [](const Statement& row) {
    return fmt::format("classified: {}{}{} (k = {})", row.view(1), row.view(2).empty() ? "" : ", ", row.view(2),
                       row.integer(3));
  });
  each("SELECT time, author, text FROM notes WHERE race = ?",
       [&](const Statement& row) { return fmt::format("note{}: {}", by(row.view(1)), row.view(2)); });
  each("SELECT time, author, reason, owner, until, withdrawn FROM acceptances WHERE race = ?",
       [&](const Statement& row) {
         if (row.integer(5) != 0)
           return fmt::format("accepted no longer{}{}{}", by(row.view(1)), row.view(2).empty() ? "" : ": ",
                              row.view(2));
         return fmt::format("accepted{}{}: {}{}", by(row.view(1)),
                            row.view(4).empty() ? "" : fmt::format(" until {}", row.view(4)), row.view(2),
                            row.view(3).empty() ? "" : fmt::format(" (owner: {})", row.view(3)));
       });
  std::vector<Event> in_order;
  for (const auto& [time, words] : events) in_order.push_back({time, words});
  return in_order;
}

std::optional<report::Findings> Casebook::findings_of(const std::string& race) const {
  Statement row(database_,
                "SELECT text, command, engine, front_end FROM records JOIN runs ON runs.id = records.run WHERE race = "
                "?");
  if (!row.bind(race).step()) return std::nullopt;
  const std::vector<std::string> command = words_in(row.view(1));
  std::vector<Text> words;
  words.reserve(command.size());
  for (const std::string& word : command) words.push_back(text_of(word));
  const std::string engine = row.text(2), front_end = row.text(3);
  const report::RunSummary run{.program = words.empty() ? Text() : words[0],
                               .command = report::list_of(words),
                               .engine = text_of(engine),
                               .front_end = text_of(front_end),
                               .pid = 1,
                               .ended = true};
  std::string records = collect([&](Sink sink) { write_start(run, sink); }) + row.text(0) + "\n";
  report::RaceId id;
  race.copy(id.hex, sizeof(id.hex) - 1);
  Statement confirmations(
      database_, "SELECT runs, confirmed, token, strategy, met FROM confirmations WHERE race = ? ORDER BY time, id");
  confirmations.bind(race);
  while (confirmations.step()) {
    report::Confirmation confirmation{.runs = static_cast<uint64_t>(confirmations.integer(0)),
                                      .confirmed = static_cast<uint64_t>(confirmations.integer(1)),
                                      .token = text_of(confirmations.view(2)),
                                      .strategy = text_of(confirmations.view(3))};
    report::read_met(confirmations.view(4), confirmation);
    records += collect([&](Sink sink) { write_confirmation(id, confirmation, 1, sink); });
  }
  std::string error;
  auto findings = report::merge_findings({{path(), records}}, error);
  if (!findings) throw CasebookError(error);
  return findings;
}

std::optional<int64_t> Casebook::find_run(std::optional<int> number) const {
  Statement row(database_,
                number
                    ? "SELECT id FROM runs WHERE number = ? ORDER BY started DESC, id LIMIT 1"
                    : "SELECT id FROM runs WHERE verb IN ('run', 'check') ORDER BY started DESC, number DESC LIMIT 1");
  if (number) row.bind(*number);
  return row.step() ? std::optional(row.integer(0)) : std::nullopt;
}

std::vector<std::string> Casebook::programs(std::optional<int64_t> run) const {
  std::vector<std::string> names;
  Statement rows(database_,
                 "SELECT DISTINCT program FROM runs WHERE verb IN ('run', 'check', 'import') AND (?1 = 0 OR id = ?1) "
                 "ORDER BY program");
  rows.bind(run.value_or(0));
  while (rows.step()) names.push_back(rows.text(0));
  return names;
}

// ---- choosing and comparing ----

bool Filter::passes(const KnownRace& race) const {
  if (is_new && since == 0 && !race.is_new) return false;
  if (since != 0 && (is_new ? race.first : race.last) < since) return false;
  const auto is_among = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!is_among(standings, view(name_of(race.standing())))) return false;
  if (!is_among(classes, race.classification ? race.classification->name : "none")) return false;
  if (accepted && !(race.acceptance && race.acceptance->in_force(today))) return false;
  if (file.empty()) return true;
  const std::string below = "*/" + file;
  return std::any_of(std::begin(race.files), std::end(race.files), [&](const std::string& path) {
    return report::whole_pattern(text_of(file), text_of(path)) || report::whole_pattern(text_of(below), text_of(path));
  });
}

Difference compare(const std::vector<KnownRace>& base, const std::vector<KnownRace>& present,
                   const std::vector<std::string>& programs) {
  Difference difference;
  auto old = base.begin();
  auto now = present.begin();
  const auto lose = [&](const KnownRace& race) {
    const bool was_run = std::find(programs.begin(), programs.end(), race.program) != programs.end();
    (was_run ? difference.gone : difference.unseen).push_back(&race);
  };
  while (old != base.end() || now != present.end()) {
    if (now == present.end() || (old != base.end() && old->id < now->id)) {
      lose(*old++);
    } else if (old == base.end() || now->id < old->id) {
      difference.added.push_back(&*now++);
    } else {
      difference.stayed.push_back(&*now++);
      ++old;
    }
  }
  return difference;
}

// ---- JSON ----

void Casebook::write_json(Sink sink) const {
  report::JsonWriter json(sink, 1);
  const auto put_cell = [&](const Statement& row, int column) {
    const std::string_view name = row.name(column);
    json.key(text_of(name));
    const bool is_key = name == "id" || name == "run" || name == "build";
    if (name == "started" || name == "time" || name == "described" || name == "modified") {
      json.string(text_of(universal_time(row.integer(column))));
    } else if (is_key && row.is_integer(column)) {
      // JSON's numbers lose bits above 2^53.
      json.string(text_of(row.integer(column) == 0 ? "" : fmt::format("{:016x}", row.integer(column))));
    } else if (name == "timed_out" || name == "complete" || name == "same" || name == "withdrawn") {
      json.boolean(row.integer(column) != 0);
    } else if (name == "seconds") {
      json.micros_as_seconds(static_cast<uint64_t>(row.real(column) * 1e6));
    } else if (name == "command") {
      json.begin_array();
      for (const std::string& word : words_in(row.view(column))) json.string(text_of(word));
      json.end_array();
    } else if (row.is_integer(column)) {
      json.signed_number(row.integer(column));
    } else {
      json.string(text_of(row.view(column)));
    }
  };
  json.begin_object();
  json.field("casebook", uint64_t{kVersion});
  for (size_t i = 0; i < kTableCount; ++i) {
    json.key(kTables[i].name);
    json.begin_array();
    Statement rows(database_, fmt::format("SELECT * FROM {} ORDER BY {}", kTables[i].name, kTables[i].key));
    while (rows.step()) {
      json.begin_object();
      for (int column = 0; column < rows.columns(); ++column) put_cell(rows, column);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  sink.put('\n');
}

}  // namespace norn::casebook
