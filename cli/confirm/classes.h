// What norn classify and norn check do alike with classes.
#pragma once

#include <string>
#include <vector>

#include "casebook/runs.h"
#include "classify/classification_text.h"
#include "cli/casebook_file.h"
#include "experiment/confirmation.h"
#include "report/race_fwd.h"

namespace norn::cli {

// As many schedules as it takes to know whether the two statements can stand side by side.
[[nodiscard]] experiment::Verdict confirm_to_classify(const experiment::ConfirmCandidate& candidate,
                                                      const experiment::Stage& stage,
                                                      const experiment::Reference& reference,
                                                      experiment::ConfirmSettings settings, experiment::Corpus& corpus);

// As keep_verdict(), of a class. What is not classified is passed over.
void keep_class(const casebook::KeptRun& run, report::Findings& findings,
                const classify::Classification& classification, CasebookFile& casebook, int64_t command);

// One line, and one that says so if fewer inputs were given than are wanted.
[[nodiscard]] std::string summary_of(const std::vector<classify::Classified>& all, size_t inputs, size_t wanted);

}  // namespace norn::cli
