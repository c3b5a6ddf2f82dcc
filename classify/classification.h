// What a race does: Portend's classes (Kasikci, Zamfir and Candea: Data races vs. data race bugs, ASPLOS 2012), by
// running both orders of its two accesses to the program's end (docs/design/classify.md).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/confirmation.h"

namespace norn::classify {

// From the most harmful to the least.
enum class Class {
  kSpecViolated,    // one of the orders crashes, deadlocks, hangs, fails an assertion, …
  kOutputDiffers,   // what is written, or the exit status, depends on the order
  kHarmless,        // neither, in k pairs of runs
  kSingleOrdering,  // the two come in one order only
  kNone,            // not classified: `reason` says why
};
// As JSON and the casebook have it: "spec-violated"; "" for kNone.
[[nodiscard]] std::string_view name_of(Class kind);

// One way to run the program: a stage with its command and its input, and what is usual there.
struct Input {
  const experiment::Stage* stage = nullptr;
  const experiment::Reference* reference = nullptr;
  std::string words;  // what is different from the first one: "--input=small.txt"
};

struct Settings {
  unsigned schedules = 2;  // random ones after the race, beside those in which one of the two goes far
  unsigned primaries = 4;  // schedules before the race, at most
  unsigned jobs = 1;
  uint32_t seed = 1;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct Classification {
  std::string race;
  Class kind = Class::kNone;
  std::string consequence;  // "crash", "output", "exit-status"; may be empty
  std::string detail;       // of it, one line
  std::string reason;       // why it is single-ordering, or not classified
  unsigned paths = 0;       // inputs with which both orders ran
  unsigned k = 0;           // pairs of runs, the two orders after one and the same prefix
  size_t input = 0;         // with which the evidence was found
  std::string evidence;     // a token of a run that shows it
  std::string other;        // a token of the other order, in which it did not happen; may be empty
};

// `verdicts`: what a confirmation showed, with each of the inputs.
[[nodiscard]] Classification classify(const std::vector<Input>& inputs,
                                      const std::vector<experiment::Verdict>& verdicts, const Settings& settings);

}  // namespace norn::classify
