// Which checks of a function report nothing to the runtime that another check does not report.
//
//     check write x            check write x
//     if (…) check read x  →   if (…)                  a check on every path before it says as much
//     check read y (counts)    check write y (reads)   a write on every path after it says more
//     check write y
//
// Both only within a region that no synchronization can divide. docs/design/pruning.md has the argument, and says why a
// store ends what was checked before it but not what will be checked after it.
#pragma once

#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"

namespace norn::compiler {

// A check that would stand before `instruction`. Those of one instruction are in the order they are made in.
struct Check {
  const llvm::Instruction* instruction;
  const llvm::Value* address;
  uint64_t size;
  bool write;
  bool alone = false;   // neither covers nor is covered
  bool counts = false;  // a read that decides nothing (counting.h): a write after it may stand for it
};

// What an instruction, once its checks are made, may mean to another thread.
enum class Boundary : uint8_t {
  kNone,
  kSignal,  // a plain store: who waits for it in a loop is ordered after it
  kFull     // synchronization, a call that may do anything, the end of a variable's life
};

struct Coverage {
  bool covered = false;
  bool reads_too = false;  // a write that stands for a read before it
};

// One answer for each check.
[[nodiscard]] std::vector<Coverage> find_covered(const llvm::Function& function, llvm::ArrayRef<Check> checks,
                                                 llvm::function_ref<Boundary(const llvm::Instruction&)> boundary);

}  // namespace norn::compiler
