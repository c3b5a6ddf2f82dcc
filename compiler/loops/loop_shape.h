// The shape of LLVM's loops: the ways round, and the ways out with their reasons.
#pragma once

#include <optional>
#include <vector>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace norn::compiler {

// A way round: a header, and all that leads back to it from one of its latches or from several. LLVM makes one loop of
// all that share a header, and its optimiser makes headers one: `for (;;) { while (!flag); …; flag = 0; }` becomes a
// loop that goes round in two ways, of which one waits and the other writes.
struct Cycle {
  llvm::BasicBlock* header;
  std::vector<llvm::BasicBlock*> blocks;  // the header first
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> members;

  [[nodiscard]] bool contains(const llvm::BasicBlock* block) const { return members.contains(block); }
};

// Innermost first.
[[nodiscard]] std::vector<Cycle> cycles_of(const llvm::LoopInfo& loops);

// One reason to take an edge out of a loop.
struct Reason {
  llvm::Value* condition = nullptr;  // null: the guard is not of the kind that can be taken apart
  bool when = true;
};

[[nodiscard]] std::vector<Reason> reasons_of(const llvm::Instruction& terminator, const llvm::BasicBlock* to);

// A block that does nothing but branch on what its predecessors decided: `a && b` without optimisation is
//
//     left:  br %a, right, joint        joint: %c = phi [false, left], [%b, right]
//     right: br joint                          br %c, body, out
//
// Seen from each predecessor, the branch is its own: `left` goes to `out`, and `right` goes by %b.
struct Joint {
  const llvm::PHINode* phi;
  bool inverted;
};

[[nodiscard]] std::optional<Joint> joint_of(const llvm::BasicBlock* block, const Cycle& loop);

// Where control goes from a block, joints skipped.
struct Way {
  llvm::BasicBlock* to;
  llvm::BasicBlock* edge;  // the block that the last edge to it starts from
  llvm::Value* guard;      // what decides on it
  std::vector<Reason> reasons;
};

[[nodiscard]] std::vector<Way> ways_from(llvm::BasicBlock* block, const Cycle& loop);

}  // namespace norn::compiler
