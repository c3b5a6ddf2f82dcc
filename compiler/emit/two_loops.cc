#include "compiler/emit/two_loops.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace norn::compiler {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;

namespace {

constexpr unsigned kLargest = 400;  // instructions that stand twice

bool is_quiet(const Instruction& instruction) {
  if (instruction.isAtomic() || instruction.isVolatile()) return false;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call == nullptr || llvm::isa<llvm::IntrinsicInst>(call);
}

bool is_worth_it(const Loop& loop, llvm::function_ref<bool(const Instruction&)> has_probe) {
  for (const Loop* inner : loop.getSubLoops()) {
    if (!inner->isInnermost()) return false;
  }
  if (!loop.isSafeToClone()) return false;
  unsigned size = 0;
  bool any = false;
  for (const BasicBlock* block : loop.blocks()) {
    if (block->isEHPad()) return false;
    for (const Instruction& instruction : *block) {
      if (!is_quiet(instruction)) return false;
      any |= has_probe(instruction);
      ++size;
    }
  }
  llvm::SmallVector<BasicBlock*> exits;
  loop.getExitBlocks(exits);
  return any && size <= kLargest && llvm::none_of(exits, [](const BasicBlock* exit) { return exit->isEHPad(); });
}

// The outermost that are; null: there is none left.
Loop* find_loop(llvm::LoopInfo& loops, llvm::function_ref<bool(const Instruction&)> has_probe,
                const llvm::SmallPtrSetImpl<const BasicBlock*>& done) {
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!done.contains(loop->getHeader()) && is_worth_it(*loop, has_probe)) return loop;
  }
  return nullptr;
}

TwoLoops copy_loop(Loop& loop, llvm::LoopInfo& loops, llvm::DominatorTree& dominators) {
  BasicBlock* before = loop.getLoopPreheader();
  BasicBlock* own = llvm::SplitBlock(before, before->getTerminator(), &dominators, &loops);
  llvm::ValueToValueMapTy copies;
  llvm::SmallVector<BasicBlock*, 8> copied;
  llvm::SmallVector<BasicBlock*> exits;
  loop.getUniqueExitBlocks(exits);
  TwoLoops result;
  for (const BasicBlock* block : loop.blocks()) result.blocks.insert(block);
  Loop* copy = llvm::cloneLoopWithPreheader(own, before, &loop, copies, ".plain", &loops, &dominators, copied);
  llvm::remapInstructionsInBlocks(copied, copies);
  for (BasicBlock* exit : exits) {
    for (llvm::PHINode& phi : exit->phis()) {
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i) {
        llvm::Value* other_block = copies.lookup(phi.getIncomingBlock(i));
        if (other_block == nullptr) continue;
        llvm::Value* value = phi.getIncomingValue(i);
        if (llvm::Value* other = copies.lookup(value)) value = other;
        phi.addIncoming(value, llvm::cast<BasicBlock>(other_block));
      }
    }
  }
  Instruction* end = before->getTerminator();
  llvm::IRBuilder<> builder(end);
  result.choice = builder.CreateCondBr(builder.getFalse(), own, copy->getLoopPreheader());
  end->eraseFromParent();
  return result;
}

}  // namespace

bool is_asked_less_often(llvm::Function& function, llvm::function_ref<bool(const Instruction&)> has_probe) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  const llvm::BranchProbabilityInfo probabilities(function, loops);
  const llvm::BlockFrequencyInfo frequencies(function, probabilities, loops);
  const auto times = [&](const BasicBlock& block) {
    return static_cast<double>(frequencies.getBlockFreq(&block).getFrequency());
  };
  double reached = 0;
  for (const BasicBlock& block : function) {
    const auto probes = llvm::count_if(block, has_probe);
    const Loop* loop = probes == 0 ? nullptr : loops.getLoopFor(&block);
    while (loop != nullptr && !is_worth_it(*loop, has_probe)) loop = loop->getParentLoop();
    if (loop == nullptr) reached += times(block) * static_cast<double>(probes);
  }
  double asked = times(function.getEntryBlock());
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    const bool any =
        llvm::any_of(loop->blocks(), [&](const BasicBlock* block) { return llvm::any_of(*block, has_probe); });
    const bool is_short = loop->isInnermost() && llvm::all_of(loop->blocks(), [](const BasicBlock* block) {
                            return llvm::all_of(*block, is_quiet);
                          });
    if (any && !is_short) asked += times(*loop->getHeader());
  }
  return asked < reached;
}

std::vector<TwoLoops> copy_loops(llvm::Function& function, llvm::function_ref<bool(const Instruction&)> has_probe) {
  std::vector<TwoLoops> result;
  if (function.hasOptNone()) return result;
  llvm::SmallPtrSet<const BasicBlock*, 16> done;
  for (;;) {
    // Found again after each: the function is another one then.
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    Loop* loop = find_loop(loops, has_probe, done);
    if (loop == nullptr) return result;
    done.insert(loop->getHeader());
    llvm::simplifyLoop(loop, &dominators, &loops, nullptr, nullptr, nullptr, false);
    if (!loop->isLoopSimplifyForm() || !is_worth_it(*loop, has_probe)) continue;
    llvm::formLCSSARecursively(*loop, dominators, &loops, nullptr);
    done.insert(loop->getHeader());
    result.push_back(copy_loop(*loop, loops, dominators));
    for (const BasicBlock* block : result.back().blocks) done.insert(block);
  }
}

}  // namespace norn::compiler
