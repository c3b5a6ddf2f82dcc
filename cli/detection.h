// Running a program once with the detector on: what norn run and norn check begin with.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "casebook/runs.h"
#include "cli/casebook_file.h"
#include "cli/renderings.h"
#include "cli/rules.h"
#include "cli/verb.h"
#include "experiment/child.h"
#include "experiment/program.h"
#include "options/option_list.h"
#include "report/record_reader.h"

namespace norn::cli {

class Arguments;

struct Detection {
  options::OptionList options;
  RenderingFiles files;
  CasebookFile casebook;
  std::string output;  // for the text; empty: stderr
  bool binary = false;
  bool follow = false;
  bool launcher = false;
  bool keeps_inputs = false;
  std::vector<std::string> command;
  // Asked when all options are known: whether the verb's own make sense.
  std::function<bool(std::string& error)> accepts = [](std::string&) { return true; };
  // Called before the program is started: what the verb adds to its options. False: it cannot, and has said so.
  std::function<bool(const casebook::KeptRun& run)> prepare = [](const casebook::KeptRun&) { return true; };
  double timeout = 0;  // seconds after which the program is ended; 0: never

  experiment::Program program;
  Rules rules;
  experiment::ChildEnd end;
  casebook::KeptRun kept;                    // where what it found is
  int64_t run = 0;                           // its key in the casebook; 0: it is not there
  size_t accepted = 0;                       // races that do not count (norn accept)
  int race_status = 0;                       // what races make of the exit status; 0: nothing
  std::optional<report::Findings> findings;  // with the rules and acceptances applied
};

// Reads the arguments (`app` may have options of its own), runs the program and reads what it found. Gives the exit
// status if that is all there is to do.
[[nodiscard]] std::optional<int> detect(const Verb& verb, Arguments& app, std::vector<std::string> arguments,
                                        Detection& detection);

// The parts of it, for who has no program to run. Reads the arguments; `is_program`: what is left of them is one.
[[nodiscard]] std::optional<int> parse_detection(const Verb& verb, Arguments& app, std::vector<std::string> arguments,
                                                 Detection& detection, bool is_program = true);
// Reads the user's suppressions.
[[nodiscard]] bool load_rules(Detection& detection);
// What was found is read, judged and kept in the casebook. `kept` has ended.
[[nodiscard]] std::optional<int> read_findings(const Verb& verb, casebook::NewRun& kept, Detection& detection);

}  // namespace norn::cli
