// What norn classify was asked for, and the ways in which it runs the program.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "classify/classification_text.h"
#include "cli/casebook_file.h"
#include "cli/confirm/confirm_options.h"
#include "cli/confirm/known_candidates.h"
#include "experiment/program.h"

namespace norn::cli {

struct ClassifyRequest {
  CandidateChoice choice;
  std::vector<std::string> command;
  std::vector<std::string> files;      // --input
  std::vector<std::string> arguments;  // --args
  unsigned paths = 5;
  unsigned schedules = 2;
  std::string predicate;
  std::string judge;
  std::string what_if;
  std::string json;
  std::string fail_on;
  CasebookFile casebook;
};

// One way to run the program, with all it needs.
struct Way {
  Way(const std::string& program, std::vector<std::string> words, const options::OptionList& list)
      : stage(program, std::move(words), list) {
    stage.set_capture(true);
  }

  experiment::Stage stage;
  experiment::Reference reference;
  std::string words;
};
using Ways = std::deque<Way>;

// The command line as it is, each of the input files, each of the other command lines; so many at most. What the user
// says must hold is looked at in each of their runs.
[[nodiscard]] bool find_ways(const ClassifyRequest& request, const experiment::Program& program,
                             const options::OptionList& list, Ways& ways, std::string& error);

// Learns what is usual in each. Nothing can be said of a program that violates what must hold by itself.
[[nodiscard]] bool learn_ways(const ClassifyRequest& request, double timeout, Ways& ways, std::string& error);
[[nodiscard]] std::vector<classify::Input> inputs_of(const Ways& ways);

// All of the candidates, with so much time; the most harmful first. `known` is reported of each, with what the
// confirmation of it with the first of the inputs showed.
using Known = std::function<void(const experiment::Verdict&, const classify::Classified&)>;
[[nodiscard]] std::vector<classify::Classified> classify_all(
    const std::vector<experiment::ConfirmCandidate>& candidates, const ClassifyRequest& request,
    experiment::ConfirmSettings settings, double budget, Ways& ways, const Known& known);

// What races follow if an operation is not performed. The exit status.
[[nodiscard]] int classify_what_if(const ClassifyRequest& request, const experiment::ConfirmSettings& settings,
                                   const ConfirmOptions& options, const options::Settings& judged, Ways& ways);

}  // namespace norn::cli
