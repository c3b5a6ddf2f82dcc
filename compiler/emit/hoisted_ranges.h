// Loops whose accesses are known before they begin: one call of a hook reports them all, and a copy of the loop does
// them without checks.
//
//     for (i = 0; i < n; ++i)       if (n >= kShortest && (time = run_read(a, n, 8, 8, site)) != 0 &&
//       b[i] = 2 * a[i];                run_write(b, n, 8, 8, site) == time) {
//                                     for (i = 0; i < n; ++i) b[i] = 2 * a[i];
//                                   } else {
//                                     for (i = 0; i < n; ++i) …                      as it was, with its checks
//                                   }
//
// Only loops in which nothing can synchronize, wait or leave early, so that what is reported does happen, and in the
// same segment (docs/design/pruning.md, runs). A hook says no, which is 0, where each access is wanted by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/emit/hook_calls.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

namespace norn::compiler {

// A check that would stand before `instruction`.
struct RunAccess {
  llvm::Instruction* instruction;
  llvm::Value* address;
  uint64_t size;
  bool write;
  bool may_signal;  // another thread may wait in a loop for what is written
  llvm::Constant* site;
};

// What the copies have instead of the function's accesses.
struct RunCopy {
  size_t access;               // which
  llvm::Instruction* instead;  // in the copy
  bool hoisted;                // reported before the loop: it needs no check there
};

// `divides`: instructions that a loop must not have. Accesses that are not given here have no check in either copy.
[[nodiscard]] std::vector<RunCopy> emit_hoisted_ranges(llvm::Function& function, Hooks& hooks,
                                                       llvm::ArrayRef<RunAccess> accesses,
                                                       llvm::function_ref<bool(const llvm::Instruction&)> divides);

}  // namespace norn::compiler
