#include "compiler/loops/loop_shape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace norn::compiler {

using llvm::BasicBlock;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::Value;

namespace {

// `last`: null, or a block that is in it whatever leads there.
Cycle cycle_of(BasicBlock* header, llvm::ArrayRef<BasicBlock*> latches, BasicBlock* last = nullptr) {
  Cycle cycle = {header, {header}, {}};
  cycle.members.insert(header);
  if (last != nullptr) {
    cycle.members.insert(last);
    cycle.blocks.push_back(last);
  }
  llvm::SmallVector<BasicBlock*, 8> ahead(latches);
  while (!ahead.empty()) {
    BasicBlock* block = ahead.pop_back_val();
    if (!cycle.members.insert(block).second) continue;
    cycle.blocks.push_back(block);
    for (BasicBlock* before : llvm::predecessors(block)) ahead.push_back(before);
  }
  return cycle;
}

// `a || b`, wherever the optimiser left it in one branch, is two reasons to leave.
void take_apart(Value* condition, bool when, std::vector<Reason>& reasons, unsigned depth = 0) {
  using namespace llvm::PatternMatch;
  constexpr unsigned kDeepest = 6;
  Value* a = nullptr;
  Value* b = nullptr;
  if (depth < kDeepest) {
    if (match(condition, m_Not(m_Value(a)))) return take_apart(a, !when, reasons, depth + 1);
    if (match(condition, m_Freeze(m_Value(a)))) return take_apart(a, when, reasons, depth + 1);
    const bool either = when ? match(condition, m_LogicalOr(m_Value(a), m_Value(b)))
                             : match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
    if (either) {
      take_apart(a, when, reasons, depth + 1);
      take_apart(b, when, reasons, depth + 1);
      return;
    }
  }
  reasons.push_back({condition, when});
}

}  // namespace

std::vector<Cycle> cycles_of(const llvm::LoopInfo& loops) {
  std::vector<Cycle> cycles;
  const llvm::SmallVector<llvm::Loop*, 8> all(loops.getLoopsInPreorder());
  for (llvm::Loop* loop : llvm::reverse(all)) {
    llvm::SmallVector<BasicBlock*, 4> latches;
    loop->getLoopLatches(latches);
    std::vector<Cycle> ways;
    const auto add = [&](Cycle way) {
      if (way.blocks.size() < loop->getNumBlocks()) ways.push_back(std::move(way));
    };
    for (size_t i = 0; latches.size() > 1 && i < latches.size(); ++i) add(cycle_of(loop->getHeader(), latches[i]));
    // Several ways may have been led through one block that does nothing but go back.
    for (BasicBlock* latch : latches) {
      const bool empty = latch->getFirstNonPHIOrDbg() == latch->getTerminator() && latch != loop->getHeader();
      if (!empty || latch->getSinglePredecessor() != nullptr) continue;
      for (BasicBlock* before : llvm::predecessors(latch)) add(cycle_of(loop->getHeader(), before, latch));
    }
    llvm::sort(ways, [](const Cycle& a, const Cycle& b) { return a.blocks.size() < b.blocks.size(); });
    for (Cycle& way : ways) cycles.push_back(std::move(way));
    cycles.push_back(cycle_of(loop->getHeader(), latches));
  }
  return cycles;
}

std::vector<Reason> reasons_of(const Instruction& terminator, const BasicBlock* to) {
  std::vector<Reason> reasons;
  if (const auto* branch = dyn_cast<llvm::BranchInst>(&terminator); branch != nullptr && branch->isConditional()) {
    take_apart(branch->getCondition(), branch->getSuccessor(0) == to, reasons);
  } else if (const auto* choice = dyn_cast<llvm::SwitchInst>(&terminator)) {
    reasons.push_back({choice->getCondition(), true});
  }
  return reasons;
}

std::optional<Joint> joint_of(const BasicBlock* block, const Cycle& loop) {
  using namespace llvm::PatternMatch;
  const auto* branch = dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (branch == nullptr || !branch->isConditional() || block == loop.header || !loop.contains(block)) return {};
  Value* condition = branch->getCondition();
  bool inverted = false;
  for (Value* inner = nullptr; match(condition, m_Not(m_Value(inner))); condition = inner) inverted = !inverted;
  const auto* phi = dyn_cast<llvm::PHINode>(condition);
  if (phi == nullptr || phi->getParent() != block) return {};
  for (const Instruction& instruction : *block) {
    if (&instruction == phi || &instruction == branch || match(&instruction, m_Not(m_Value()))) continue;
    if (!isa<llvm::DbgInfoIntrinsic>(instruction)) return {};
  }
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    const Instruction* from = phi->getIncomingBlock(i)->getTerminator();
    const bool own = isa<llvm::BranchInst>(from) && from->getNumSuccessors() == 1;
    if (!loop.contains(from->getParent()) || !(own || isa<llvm::ConstantInt>(phi->getIncomingValue(i)))) return {};
  }
  return Joint{phi, inverted};
}

std::vector<Way> ways_from(BasicBlock* block, const Cycle& loop) {
  std::vector<Way> ways;
  Instruction* terminator = block->getTerminator();
  Value* guard = nullptr;
  if (auto* branch = dyn_cast<llvm::BranchInst>(terminator); branch != nullptr && branch->isConditional()) {
    guard = branch->getCondition();
  } else if (auto* choice = dyn_cast<llvm::SwitchInst>(terminator)) {
    guard = choice->getCondition();
  }
  llvm::SmallPtrSet<const BasicBlock*, 4> seen;
  for (BasicBlock* next : llvm::successors(block)) {
    if (!seen.insert(next).second) continue;
    const std::optional<Joint> joint = joint_of(next, loop);
    if (!joint) {
      ways.push_back({next, block, guard, reasons_of(*terminator, next)});
      continue;
    }
    Value* decided = joint->phi->getIncomingValueForBlock(block);
    if (const auto* constant = dyn_cast<llvm::ConstantInt>(decided)) {
      const bool first = constant->isOne() != joint->inverted;
      ways.push_back({next->getTerminator()->getSuccessor(first ? 0 : 1), next, guard, reasons_of(*terminator, next)});
      continue;
    }
    for (const unsigned i : {0u, 1u}) {
      Way way = {next->getTerminator()->getSuccessor(i), next, decided, {}};
      take_apart(decided, (i == 0) != joint->inverted, way.reasons);
      ways.push_back(std::move(way));
    }
  }
  return ways;
}

}  // namespace norn::compiler
