// The casebook: what is known of each race, over runs, builds and machines. A file of SQLite (schema.h has its tables),
// .norn/casebook.db unless the user names another. Facts are added to it, each addition as a whole; what is derived
// from them is worked out when it is asked for.
//
// Everything here throws CasebookError, whose words are one line, if the file cannot be used.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "casebook/builds.h"
#include "casebook/database.h"
#include "casebook/runs.h"
#include "report/facts.h"

namespace norn {
struct Sink;
}

namespace norn::casebook {

// A command that ran a program.
struct RunFacts {
  int64_t key = 0;   // the run's identity (key_of); 0: a new one
  std::string verb;  // "run", "check", "confirm", "replay"; "import" if only its findings file is known
  int number = 0;    // in .norn/runs; 0: it is not kept there
  std::vector<std::string> command{};
  std::string directory{};  // where it was started
  std::optional<Build> build{};
  int64_t started = 0;
  RunEnd end{};
};

struct Acceptance {
  int64_t time = 0;
  std::string author{};
  std::string reason{};
  std::string owner{};
  std::string until{};     // "2027-03-01": from that day on the race counts again; empty: never
  bool withdrawn = false;  // it counts again

  [[nodiscard]] bool in_force(const std::string& today) const { return !withdrawn && (until.empty() || today < until); }
};

struct Class {
  std::string name{};         // one of kClassNames
  std::string consequence{};  // "crash"; may be empty
  int64_t k = 0;              // paths times schedules that were tried
  std::string evidence{};     // one string that replays it
};
// What a race does (design: classify).
inline constexpr const char* kClassNames = "spec-violated|output-differs|k-witness-harmless|single-ordering";

// A race or hazard as lists show it.
struct KnownRace {
  std::string id;
  std::string kind;  // "race", or name_of(HazardKind)
  std::string variable;
  std::string accesses[2];  // "bank.cpp:14 write"
  std::string files[2];     // whole paths where known
  // Over the runs that were asked for.
  int64_t first = 0;
  int64_t last = 0;
  uint64_t runs = 0;
  uint64_t count = 0;
  bool is_new = true;           // only the latest build of its program has shown it
  std::string program{};        // that showed it last
  std::string suppressed_by{};  // there; empty if it was not
  report::Detection detection = report::Detection::kPredicted;
  // Over all times.
  report::Confirmation confirmation{};  // without texts
  std::string token{};
  std::optional<Class> classification{};   // the latest
  std::optional<Acceptance> acceptance{};  // the latest

  [[nodiscard]] bool is_race() const { return kind == "race"; }
  [[nodiscard]] report::Standing standing() const { return standing_of(detection, confirmation); }
};

struct Event {
  int64_t time = 0;
  std::string words;
};

class Casebook {
 public:
  // kWrite: to add to it; the file is made if there is none, and an older one becomes one of this version. kRead: to
  // look at it; an older one is looked at as if it were of this version, and stays as it is.
  Casebook(const std::string& path, Access access);

  [[nodiscard]] const std::string& path() const { return database_.path(); }
  [[nodiscard]] bool is_new() const { return is_new_; }

  // What a command found; null: it did not look for races. Its key. Twice is as once.
  int64_t add_run(const RunFacts& run, const report::Findings* findings);
  void add_confirmation(int64_t run, const std::string& race, int64_t time, const report::Confirmation& confirmation,
                        const std::string& consequence);
  // False, and nothing was added: the token is of no confirmation that is known.
  bool add_replay(const RunFacts& run, const std::string& token, bool same);
  void add_class(int64_t run, const std::string& race, int64_t time, const Class& classification);
  void add_note(const std::string& race, int64_t time, const std::string& author, const std::string& text);
  void add_acceptance(const std::string& race, const Acceptance& acceptance);

  // All that another one has.
  void merge(Casebook& other);
  // What a findings file has, of this version or an earlier one. If its run.json stands beside it, the run is known as
  // norn knows it; twice is as once.
  void import_findings(const std::string& path);

  // Those whose identity begins so, by identity; only as a run saw them, if one is named.
  [[nodiscard]] std::vector<KnownRace> races(const std::string& beginning = "", std::optional<int64_t> run = {}) const;
  // The latest acceptance of each race that has one, by identity.
  [[nodiscard]] std::map<std::string, Acceptance> acceptances() const;
  // Everything that is known of a race, in the order of time.
  [[nodiscard]] std::vector<Event> history(const std::string& race) const;
  // It alone, as the latest run that saw it described it, with all that was confirmed since.
  [[nodiscard]] std::optional<report::Findings> findings_of(const std::string& race) const;

  // The latest run of that number; without one, the latest that looked for races.
  [[nodiscard]] std::optional<int64_t> find_run(std::optional<int> number) const;
  // The names of the programs that were looked into; in one run, if it is named.
  [[nodiscard]] std::vector<std::string> programs(std::optional<int64_t> run = {}) const;

  // Everything, as JSON: the same facts make the same bytes.
  void write_json(Sink sink) const;

 private:
  void add_rows(const RunFacts& run, const report::Findings* findings);
  [[nodiscard]] bool has_run(int64_t key) const;
  // Of facts of which the latest counts: what is said within one second of the one before comes after it.
  [[nodiscard]] int64_t time_of_latest(const char* table, const std::string& race, int64_t time) const;

  Database database_;
  bool is_new_ = false;
};

// The identity of a kept run: what its run.json says of it. 0: it has none.
[[nodiscard]] int64_t key_of(const KeptRun& run);
// "bank.cpp:14 write"
[[nodiscard]] std::string access_words(const report::Access& access);

// What a list is asked for. What is left empty is not asked.
struct Filter {
  bool is_new = false;  // with `since`: first seen since then; else: by the latest build alone
  int64_t since = 0;    // seen since then
  std::vector<std::string> standings{};
  std::vector<std::string> classes{};  // "none": nobody has said
  std::string file{};                  // a file, or the end of its path, with * and ?
  bool accepted = false;               // in force `today`
  std::string today{};

  [[nodiscard]] bool passes(const KnownRace& race) const;
};

// Two sides, each with its races by identity, and the programs that the second one ran.
struct Difference {
  std::vector<const KnownRace*> added;
  std::vector<const KnownRace*> gone;    // its program was run, and did not show it
  std::vector<const KnownRace*> unseen;  // its program was not run
  std::vector<const KnownRace*> stayed;  // as the second side has it
};
[[nodiscard]] Difference compare(const std::vector<KnownRace>& base, const std::vector<KnownRace>& present,
                                 const std::vector<std::string>& programs);

}  // namespace norn::casebook
