#include "compiler/emit/regions.h"

#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace norn::compiler {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::isa;

namespace {

// An innermost loop whose iterations are shorter than this has no room for a count in memory at each.
constexpr unsigned kLongIteration = 32;
constexpr unsigned kDeepest = 2;

bool makes_calls(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [](const BasicBlock* block) {
    return llvm::any_of(*block, [](const Instruction& instruction) {
      return (isa<llvm::CallBase>(instruction) && !isa<llvm::IntrinsicInst>(instruction)) || instruction.isAtomic();
    });
  });
}

unsigned length_of(const llvm::Loop& loop) {
  unsigned length = 0;
  for (const BasicBlock* block : loop.blocks()) length += static_cast<unsigned>(block->size());
  return length;
}

std::vector<BasicBlock*> predecessors_where(BasicBlock* block, llvm::function_ref<bool(const BasicBlock*)> wanted) {
  std::vector<BasicBlock*> found;
  for (BasicBlock* before : llvm::predecessors(block)) {
    if (wanted(before)) found.push_back(before);
  }
  return found;
}

LoopRegion isolate(llvm::Loop& loop, llvm::DomTreeUpdater& updater, llvm::LoopInfo& loops) {
  const auto inside = [&](const BasicBlock* block) { return loop.contains(block); };
  const auto outside = [&](const BasicBlock* block) { return !loop.contains(block); };
  // Beside what an iteration takes, a count in memory is next to nothing. Deeper loops are counted by those around
  // them.
  const bool cheap = makes_calls(loop) || (loop.isOutermost() && length_of(loop) >= kLongIteration) ||
                     (!loop.isInnermost() && loop.getLoopDepth() <= kDeepest);
  LoopRegion region{.header = loop.getHeader(),
                    .left = {},
                    .asks = cheap                ? LoopRegion::Asks::kAlways
                            : loop.isOutermost() ? LoopRegion::Asks::kSometimes
                                                 : LoopRegion::Asks::kNever};
  llvm::SmallVector<BasicBlock*, 4> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock* exit : exits) {
    if (exit->isEHPad()) continue;
    region.left.push_back(
        llvm::SplitBlockPredecessors(exit, predecessors_where(exit, inside), ".norn.left", &updater, &loops));
  }
  region.enter = llvm::SplitBlockPredecessors(region.header, predecessors_where(region.header, outside), ".norn.enter",
                                              &updater, &loops);
  region.again = llvm::SplitBlockPredecessors(region.header, predecessors_where(region.header, inside), ".norn.again",
                                              &updater, &loops);
  return region;
}

}  // namespace

llvm::GlobalVariable* new_region_number(llvm::Function& function) {
  llvm::Type* number = llvm::Type::getInt32Ty(function.getContext());
  auto* region = new llvm::GlobalVariable(*function.getParent(), number, false, llvm::GlobalValue::PrivateLinkage,
                                          llvm::ConstantInt::get(number, 0), "norn.region");
  region->setAlignment(llvm::Align(alignof(uint32_t)));
  if (function.hasComdat()) region->setComdat(function.getComdat());
  return region;
}

std::vector<LoopRegion> find_loop_regions(llvm::Function& function,
                                          llvm::function_ref<bool(const BasicBlock&)> is_checked) {
  std::vector<LoopRegion> regions;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::DomTreeUpdater updater(dominators, llvm::DomTreeUpdater::UpdateStrategy::Eager);
  // Outer loops first: who leaves two at once leaves the inner one first.
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const bool any = llvm::any_of(loop->blocks(), [&](const BasicBlock* block) { return is_checked(*block); });
    if (any && !loop->getHeader()->isEHPad()) regions.push_back(isolate(*loop, updater, loops));
  }
  return regions;
}

}  // namespace norn::compiler
