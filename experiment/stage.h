// Where controlled runs happen: a program, a temporary directory for what its runs leave, and one run after the other,
// each a process of its own with its output captured.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "experiment/compiled_predicate.h"
#include "experiment/streams.h"
#include "options/option_list.h"
#include "schedule/outcome.h"
#include "schedule/state_mark.h"
#include "schedule/token.h"

namespace norn::experiment {

// How one run went.
struct StagedRun {
  bool started = false;
  int start_error = 0;
  int exit = 0;
  int signal = 0;
  bool timed_out = false;
  bool cut = false;  // because the stage's time was up, which says nothing about the program
  double seconds = 0;
  std::string output;
  std::string errors;
  std::string findings;  // records

  // Of a controlled run, as schedule::Outcome has them.
  bool controlled = false;
  uint64_t decisions = 0;
  uint64_t hash = 0;
  uint64_t preemptions = 0;
  uint32_t meetings = 0;
  uint32_t orders = 0;
  uint32_t sequences = 0;
  schedule::Enforced enforced;
  uint32_t let_go = 0;
  std::string memory_error;        // what was done wrong, in words
  std::string violated;            // what must hold and did not, in words
  uint32_t predicates = 0;         // that were looked at
  uint32_t held = 0;               // of these, so many held once
  uint32_t left_out = 0;           // operations that were not performed, because they were to be left out
  std::vector<std::string> taken;  // where the function that was asked for takes locks: "bank.cpp:12"
  uint32_t deadlocked = 0;
  uint32_t pollers = 0;
  uint32_t taken_away = 0;
  uint32_t kernel_returns = 0;
  std::vector<schedule::ReadsFromPair> pairs;
  std::vector<schedule::StateMark> states;  // one a decision, as far as they are marked: of a plan without a candidate
  uint64_t first_meeting = 0;
  schedule::MetAccess met[2];  // there
  uint64_t differs_at = 0;
  uint64_t inputs = 0;                 // of those that are replayed, how many come at their time
  uint64_t inputs_came = 0;            // and did
  std::string inputs_differ;           // what the recorded run did not do, in words
  double slept = 0;                    // seconds of the virtual clock that nobody could run in
  std::vector<WrittenStream> streams;  // what it wrote, where: of a stage that captures
  bool wrote_files = false;            // likewise: some of them are files

  // It ended because nothing could ever change: its state says so, no clock.
  [[nodiscard]] bool stands_still() const { return deadlocked != 0 || pollers != 0; }
  // It did not end by itself. (What its status or its output mean is experiment/reference.h's to say.)
  [[nodiscard]] bool failed() const {
    return signal != 0 || timed_out || stands_still() || !memory_error.empty() || !violated.empty();
  }
};

class ForkServer;
struct RunFiles;

// What is asked of a run besides the program: a token that knows nothing of what happened yet.
using Plan = schedule::Token;

class Stage {
 public:
  // `options` are what the program is told besides.
  Stage(std::string path, std::vector<std::string> command, const options::OptionList& options);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  [[nodiscard]] bool ok() const { return !directory_.empty(); }
  [[nodiscard]] uint32_t program_hash() const { return program_hash_; }
  [[nodiscard]] const std::vector<std::string>& command() const { return command_; }
  // A run that takes so long hangs. Unless `strictly`, the time counts that it had the processor, or did nothing at
  // all: on a busy machine each step may take long.
  void set_timeout(double seconds, bool strictly) { timeout_ = seconds, strictly_ = strictly; }
  [[nodiscard]] double timeout() const { return timeout_; }
  // Each run executes the program anew, as it would be without a fork server.
  void start_anew() { serves_ = false; }
  // The runs' standard input, from its beginning each time; empty: this process's own, if that is a file.
  void set_input(const std::string& path) { input_ = path; }
  // Controlled runs say what they write to which stream.
  void set_capture(bool on) { capture_ = on; }
  // What must hold at each point of a controlled run; false: it cannot be kept for the runs.
  [[nodiscard]] bool set_predicate(const std::string& expression, const PredicateCode& code);
  // Operations that the runs do not perform, as the option `what_if` has them.
  void set_what_if(const std::string& places) {
    what_if_ = places;
    options_.set("what_if", places);
  }
  // Controlled runs get what is in this file (schedule/input_log.h), and nothing else comes from outside. False: it
  // cannot be read.
  [[nodiscard]] bool set_inputs(const std::string& path);
  [[nodiscard]] bool has_inputs() const { return !inputs_.empty(); }
  // A command of the shell that gets a run's standard output as its input, if the run ended by itself, and says by its
  // status whether that is right.
  void set_judge(const std::string& command) { judge_ = command; }
  // Whatever runs then is ended.
  using Clock = std::chrono::steady_clock;
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }

  // Any number of threads may do this at once; `worker` tells them apart.
  [[nodiscard]] StagedRun run_plain(unsigned worker) const;
  // The same with the detector on: what it found is in `findings`. With inputs it is a schedule of this seed.
  [[nodiscard]] StagedRun run_detecting(unsigned worker, uint32_t seed) const;
  // Under control, in a schedule that brings nobody together.
  [[nodiscard]] StagedRun run_quietly() const;
  [[nodiscard]] StagedRun run(const Plan& plan, unsigned worker, const std::string& expected = {}) const;
  // The plan, once it ran, as a word: it replays the run.
  [[nodiscard]] std::string token_of(const Plan& plan, const StagedRun& run) const;
  // The log of that worker's last controlled run.
  [[nodiscard]] std::string log_of(unsigned worker) const { return fast_file("log", worker); }

  // The same in front of the user: its input, output and terminal are the program's.
  [[nodiscard]] StagedRun perform(const Plan& plan, const std::string& expected) const;
  // The same in gdb, which stops where the candidate's threads meet, or at a deadlock.
  [[nodiscard]] StagedRun debug(const Plan& plan, const std::string& expected) const;

 private:
  [[nodiscard]] std::string file(const char* name, unsigned worker) const;
  [[nodiscard]] std::string fast_file(const char* name, unsigned worker) const;
  // The run says what its sites are called.
  [[nodiscard]] std::string options_for(const Plan& plan, unsigned worker, const std::string& expected) const;
  // `server`: who makes the process, if it can; null: exec.
  [[nodiscard]] StagedRun start(const std::string& options, unsigned worker, ForkServer* server) const;
  [[nodiscard]] pid_t execute(const std::string& options, const RunFiles& files, int& error) const;
  [[nodiscard]] ForkServer* server_for(unsigned worker) const;
  enum class Waited { kEnded, kHangs, kNoTime };
  [[nodiscard]] Waited await_end(int pid, unsigned worker) const;
  void read_outcome(const Plan& plan, unsigned worker, StagedRun& run) const;
  void judge(unsigned worker, StagedRun& run) const;

  std::string path_;
  std::vector<std::string> command_;
  options::OptionList options_;
  std::string directory_;
  std::string fast_directory_;  // for small files of each run: in memory, if there is room; or the same
  uint32_t program_hash_ = 0;
  double timeout_ = 30;
  bool strictly_ = false;
  bool capture_ = false;
  std::string input_;
  std::string predicate_;  // in words
  std::string what_if_;
  std::string judge_;
  std::string inputs_;  // the file
  uint64_t inputs_hash_ = 0;
  std::vector<std::string> environment_;  // NAME=VALUE, of the runs; without inputs this process's own
  Clock::time_point deadline_ = Clock::time_point::max();
  // A program that is instrumented itself, and was seen to be controlled, starts but once for each worker
  // (experiment/fork_server.h).
  bool serves_ = false;
  mutable std::atomic<bool> is_controlled_ = false;
  mutable std::mutex servers_mutex_;
  mutable std::map<unsigned, std::unique_ptr<ForkServer>> servers_;
};

// The same for the same bytes.
[[nodiscard]] uint32_t hash_of_file(const std::string& path);

}  // namespace norn::experiment
