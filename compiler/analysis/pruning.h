// Which rules may leave checks out, or the calls of checks. Each is exact (docs/design/pruning.md); turning them off is
// for the differential test, and for who doubts it: -fnorn-prune=none, or only those named
// (-fnorn-prune=covered,calls).
#pragma once

#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace norn::compiler {

struct Pruning {
  bool covered = true;    // checks that others cover (coverage.h)
  bool calls = true;      // calls that surely do not synchronize do not end what is covered (call_effects.h)
  bool escape = true;     // memory that never leaves its thread (escape.h)
  bool constants = true;  // memory that nobody writes
  bool early = true;      // memory that nobody writes once there are threads, in whole programs (early.h)
  bool runs = true;       // accesses that are reported before their loop begins (emit/hoisted_ranges.h)
  bool inlined = true;    // calls that would change nothing, where code is optimised (inline_check.h)

  // What a list of names says; the last word is the plugin's user's, so an unknown name ends the compilation.
  [[nodiscard]] static Pruning of(llvm::ArrayRef<std::string> names);
};

}  // namespace norn::compiler
