// How norn confirm and norn check try: --runs, --jobs, --seed, --strategy, --depth, --timeout.
#pragma once

#include <optional>
#include <string>

#include "casebook/runs.h"
#include "cli/casebook_file.h"
#include "experiment/confirmation.h"

namespace CLI {
class App;
}

namespace norn::cli {

class ConfirmOptions {
 public:
  void add(CLI::App& app);
  // On false `error` is one line.
  [[nodiscard]] bool resolve(bool explore, experiment::ConfirmSettings& settings, std::string& error) const;

 private:
  unsigned runs_ = 20;
  std::optional<unsigned> jobs_;
  uint32_t seed_ = 1;
  uint32_t depth_ = 3;
  double timeout_ = 0;
  std::string strategy_;
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
                                                   const experiment::ConfirmSettings& settings);

}  // namespace norn::cli
