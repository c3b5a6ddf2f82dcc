// How norn confirm and norn check try: --runs, --budget, --jobs, --seed, --share, --strategy, --depth, --timeout.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "casebook/runs.h"
#include "cli/casebook_file.h"
#include "experiment/confirmation.h"

namespace norn::cli {

class Arguments;

// What checking and exploring take if nothing else is said.
inline constexpr double kUsualBudget = 60;  // seconds
[[nodiscard]] std::chrono::steady_clock::time_point deadline_after(double seconds);

class ConfirmOptions {
 public:
  void add(Arguments& app);
  // On false `error` is one line.
  [[nodiscard]] bool resolve(bool explore, experiment::ConfirmSettings& settings, std::string& error) const;
  [[nodiscard]] bool has_runs() const { return runs_.has_value(); }
  [[nodiscard]] bool starts_anew() const { return starts_anew_; }
  // Seconds for all of it, or `usual` if nothing was asked for.
  [[nodiscard]] double budget(double usual) const { return budget_.value_or(usual); }

 private:
  std::optional<unsigned> runs_;
  std::optional<double> budget_;
  std::optional<unsigned> jobs_;
  uint32_t seed_ = 1;
  uint32_t depth_ = 3;
  double timeout_ = 0;
  std::string share_;
  std::string strategy_;
  bool only_first_ = false;
  bool starts_anew_ = false;
};

// What is known of a program's schedules from earlier searches, and is known afterwards.
class KeptCorpus {
 public:
  KeptCorpus(const experiment::Stage& stage, uint64_t seed);
  ~KeptCorpus();
  KeptCorpus(const KeptCorpus&) = delete;
  KeptCorpus& operator=(const KeptCorpus&) = delete;

  experiment::Corpus& operator*() { return corpus_; }

 private:
  uint32_t program_;
  experiment::Corpus corpus_;
};

// Adds a verdict to the findings of the run that its candidate is from, in memory and where they are kept. Complains if
// that cannot be written. What the run did not find (schedules explored without a candidate, another detector's races)
// is passed over.
// In the casebook it is a fact of the command with the key `command`; 0: there is none.
void keep_verdict(const casebook::KeptRun& run, report::Findings& findings, const experiment::Verdict& verdict,
                  CasebookFile& casebook, int64_t command);

// Confirms a candidate, with a line on the terminal that says how far it got.
[[nodiscard]] experiment::Verdict confirm_in_sight(const experiment::Stage& stage,
                                                   const experiment::ConfirmCandidate& candidate,
                                                   const experiment::Reference& reference,
                                                   const experiment::ConfirmSettings& settings,
                                                   experiment::Corpus& corpus);

}  // namespace norn::cli
