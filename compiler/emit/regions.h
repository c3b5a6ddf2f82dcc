// The regions of a function that the sampling profile counts (docs/design/sampling.md): the function itself and its
// loops. copies.h asks at them which copy is executed; region_calls.h emits them.
#pragma once

#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace norn::compiler {

// A loop at the end of whose iterations control may pass between the copies.
struct LoopRegion {
  // At the end of which iterations of the unchecked copy; in the checked one, at all.
  enum class Asks : uint8_t { kNever, kSometimes, kAlways };
  llvm::BasicBlock* header;
  llvm::BasicBlock* enter = nullptr;          // the only one that leads to the header from outside
  llvm::BasicBlock* again = nullptr;          // the only one that leads to it from inside
  llvm::SmallVector<llvm::BasicBlock*> left;  // those that lead out, but for exceptions
  Asks asks;
};

// So many iterations from one question to the next where a loop asks sometimes.
inline constexpr uint32_t kRegionStride = 1024;

// A word for the region's number, which the runtime writes; 0 until then.
[[nodiscard]] llvm::GlobalVariable* new_region_number(llvm::Function& function);

// Gives each loop of which some block is checked blocks of its own where it is entered, goes on and is left. Outer
// loops come first.
[[nodiscard]] std::vector<LoopRegion> find_loop_regions(llvm::Function& function,
                                                        llvm::function_ref<bool(const llvm::BasicBlock&)> is_checked);

}  // namespace norn::compiler
