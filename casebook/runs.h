// The runs that are kept, under .norn/ (or $NORN_DIR):
//
//   .norn/runs/12/findings.jsonl   what run 12 found, and what was confirmed of it since (report/record.h)
//   .norn/runs/12/run.json         {"norn":1,"command":[S…],"directory":S,"commit":S,"build":S,"started":S,
//                                  "casebook":S,"exit":N,"signal":N,"timed_out":B,"seconds":N}
//   .norn/runs/12/inputs           what came into it from outside (schedule/input_log.h), if that was asked for
//   .norn/runs/12/told             empty: the casebook knows what this run found, or was not to know
//   .norn/last                     a link to the latest run
//   .norn/casebook.db              what is known of races over all runs (casebook.h)
//   .norn/corpus/HASH              which schedules of a program showed something new (experiment/search/corpus.h)
//   .norn/schedules/HASH.log       the decisions of a run that norn confirm printed a token for (schedule/log.h)
//   .norn/schedules/HASH.places    what the sites in it are called: the run's place records (report/record.h)
//   .norn/inputs/HASH              the inputs that the runs of a token get, by their hash
//
// Runs are numbered for ever; the latest ten are kept. A run that is going on holds a lock on its run.json, so that
// runs started side by side (a parallel test suite) neither share a number nor remove each other. A run whose norn was
// killed before it told the casebook is kept until another has told it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/race_fwd.h"

namespace norn::casebook {

struct RunEnd {
  int exit = 0;
  int signal = 0;          // that killed it, 0 if none
  bool timed_out = false;  // it was ended
  double seconds = 0;      // from its start to its end
};

struct KeptRun {
  int number = 0;
  std::string directory;
  std::vector<std::string> command{};
  std::string started{};     // "2026-03-01 12:00:00"
  std::string started_in{};  // the directory
  std::string commit{};      // that was checked out there; may be empty
  std::string build{};       // the program's mark (builds.h); likewise
  std::string casebook{};    // the file that is to know it, absolute; empty: none
  bool ended = false;
  RunEnd end{};

  [[nodiscard]] std::string findings() const { return directory + "/findings.jsonl"; }
  [[nodiscard]] std::string inputs() const { return directory + "/inputs"; }
};

class NewRun {
 public:
  // Makes the directory; if .norn cannot be written, one for the moment. If nothing can be written at all, there is no
  // run to keep. In both cases trouble() is one line that says so.
  // `program` is the file that runs, if it is known; `casebook` the file that is to know what it finds.
  explicit NewRun(const std::vector<std::string>& command, const std::string& program = "",
                  const std::string& casebook = "");
  // The casebook was told, or there was nothing to tell, unless leave_untold() was called.
  ~NewRun();
  NewRun(const NewRun&) = delete;
  NewRun& operator=(const NewRun&) = delete;

  [[nodiscard]] const KeptRun& run() const { return run_; }
  [[nodiscard]] bool ok() const { return lock_ >= 0; }
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  // Writes how it ended, makes it the last run and removes what is too old.
  void finish(const RunEnd& end);
  // The casebook could not be used: who can use it later is to tell it.
  void leave_untold() { is_untold_ = true; }

 private:
  bool create(const std::string& home);
  [[nodiscard]] bool write_description() const;

  KeptRun run_;
  std::string home_;
  std::string trouble_;
  int lock_ = -1;
  bool is_untold_ = false;
};

// Its norn lives, or one of its processes.
[[nodiscard]] bool is_going_on(const KeptRun& run);

// Runs that are over and that a casebook was to know and does not: their norn was killed, or could not use it.
[[nodiscard]] std::vector<KeptRun> untold_runs(const std::string& casebook);
void mark_told(const KeptRun& run);

// The logs of schedules that a token was printed for, by token: .norn/schedules/. Each says what a replay is compared
// with; a token works without it. `findings` are the run's records.
void keep_schedule(const std::string& token, const std::string& log, const std::string& findings);
// A schedule file (experiment/story.h) for a race; its path, empty if it could not be written.
std::string keep_schedule_file(const std::string& id, const std::string& text);
// Empty: there is none.
[[nodiscard]] std::string kept_schedule(const std::string& token);
// What the sites of a kept schedule are called, as far as its run said.
[[nodiscard]] std::map<uint32_t, std::string> kept_places(const std::string& token);
// What the sites of a log are called, by the records of a run that was asked for them.
[[nodiscard]] std::map<uint32_t, std::string> places_in(const std::string& findings);

// What came into a run from outside, kept for as long as tokens may name it. Its path; empty: there is nothing.
[[nodiscard]] std::string keep_inputs(const KeptRun& run);
// The file of that hash; empty: it is not here.
[[nodiscard]] std::string kept_inputs(uint64_t hash);

// Where the corpus of a program is kept, by the hash of its file. The directory is made.
[[nodiscard]] std::string corpus_file(uint32_t program);

// Adds what a confirmation showed of a race or hazard to what its run found (report/record.h). On false errno says why
// it could not be written.
[[nodiscard]] bool keep_confirmation(const KeptRun& run, const report::RaceId& id,
                                     const report::Confirmation& confirmation);

// The same of what it does.
[[nodiscard]] bool keep_classification(const KeptRun& run, const report::RaceId& id,
                                       const report::Classification& classification);

// Where all this is: .norn, or $NORN_DIR.
[[nodiscard]] std::string home_directory();

// The run that is kept in a directory like .norn/runs/12.
[[nodiscard]] KeptRun kept_run(const std::string& directory);

// The runs that are kept, the latest first.
[[nodiscard]] std::vector<KeptRun> kept_runs();

// Run `number`, or the last one. Nothing and one line in `error` if there is none.
[[nodiscard]] std::optional<KeptRun> find_run(std::optional<int> number, std::string& error);

// The last one of a program, by the name it is typed with; nothing if none is kept.
[[nodiscard]] std::optional<KeptRun> last_run_of(const std::string& program);

// Its findings, with the command as it was typed, and with what keeps them from being the whole truth among the notes:
// a process was killed, or goes on in the background, or became another program.
[[nodiscard]] std::optional<report::Findings> load_findings(const KeptRun& run, std::string& error);

}  // namespace norn::casebook
