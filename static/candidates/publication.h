// Memory that its thread has for itself: from its allocation until its address goes somewhere.
//
//     p = malloc(…);  p->field = 1;  queue->last = p;
//
// What is done to it before (p->field = 1) comes before all that other threads do to it, if they get its address in
// order: by the creation of a thread, or out of places that are no candidates themselves.
#pragma once

#include <map>

#include "llvm/IR/Instructions.h"
#include "static/order/thread_tree.h"
#include "static/points_to/points_to.h"

namespace norn::statics {

class Publication final {
 public:
  Publication(const PointsTo& points_to, const Threads& threads) : points_to_(points_to), threads_(threads) {}

  // Whether no other thread can know the memory at `address` yet when the thread executes the instruction: it was
  // allocated by this function or one that called it, and its address went nowhere since.
  [[nodiscard]] bool is_unpublished(int thread, const llvm::Instruction& instruction, const llvm::Value* address);

 private:
  [[nodiscard]] bool is_unpublished(int thread, const llvm::Instruction& instruction, const llvm::Value* address,
                                    unsigned depth);
  [[nodiscard]] bool goes_somewhere(const llvm::Value& root, const llvm::Instruction& before) const;
  [[nodiscard]] bool is_allocation(const llvm::Value& value) const;

  const PointsTo& points_to_;
  const Threads& threads_;
  std::map<std::pair<const llvm::Value*, const llvm::Instruction*>, bool> known_;
};

}  // namespace norn::statics
