// What a run did, seen from outside: what a race leads to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiment/stage.h"

namespace norn::experiment {

// From the most harmful to the least.
enum class Harm {
  kCrash,
  kMemoryError,
  kSanitizer,
  kAbort,
  kAssertion,
  kException,
  kPredicate,  // what must hold does not
  kDeadlock,
  kHang,
  kStatus,
  kOutput,
  kNone
};
// As JSON has it: "crash".
[[nodiscard]] std::string_view name_of(Harm harm);
// As people read it: "failed assertion".
[[nodiscard]] std::string_view words_of(Harm harm);

struct Reference;  // what is usual: experiment/reference.h

struct Consequence {
  Harm harm = Harm::kNone;
  std::string detail;  // one line: the signal, the message, the status
};

// Who waits for what, if the run ended in a deadlock or stands still.
[[nodiscard]] std::string deadlock_of(const StagedRun& run);

[[nodiscard]] Consequence consequence_of(const StagedRun& run, const Reference& reference);

}  // namespace norn::experiment
