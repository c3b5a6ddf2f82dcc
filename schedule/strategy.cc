#include "schedule/strategy.h"

namespace norn::schedule {

const char* name_of(Op op) {
  constexpr const char* kNames[kOps] = {"begin",  "acquire", "release", "wait",  "signal", "atomic", "access",
                                        "create", "join",    "yield",   "sleep", "return", "end"};
  return kNames[static_cast<uint32_t>(op)];
}

}  // namespace norn::schedule
