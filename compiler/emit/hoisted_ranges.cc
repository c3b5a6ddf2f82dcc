#include "compiler/emit/hoisted_ranges.h"

#include <algorithm>
#include <optional>

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace norn::compiler {

using llvm::cast;
using llvm::dyn_cast;
using llvm::Value;

namespace {

constexpr uint64_t kGranuleBytes = 8;
constexpr uint64_t kShortest = 8;  // turns of a loop that is worth a call
constexpr size_t kMost = 8;        // runs of a loop that are worth their calls
constexpr size_t kMostParts = 64;  // accesses of such a loop

// All the addresses that an access has in a loop, or several that are parts of one in the source and lie side by side.
struct Run {
  llvm::SmallVector<size_t, 8> accesses;
  const llvm::SCEV* first;
  int64_t step;  // 0: always the same
  uint64_t size;
};

class RangeEmitter final {
 public:
  RangeEmitter(llvm::Function& function, Hooks& hooks, llvm::ArrayRef<RunAccess> accesses,
               llvm::function_ref<bool(const llvm::Instruction&)> divides)
      : function_(function),
        hooks_(hooks),
        accesses_(accesses),
        divides_(divides),
        layout_(function.getParent()->getDataLayout()),
        dominators_(function),
        loops_(dominators_),
        assumptions_(function),
        library_impl_(llvm::Triple(function.getParent()->getTargetTriple())),
        library_(library_impl_),
        evolution_(function, library_, assumptions_, dominators_, loops_) {}

  std::vector<RunCopy> emit() {
    std::vector<llvm::Loop*> innermost;
    for (llvm::Loop* loop : loops_.getLoopsInPreorder()) {
      if (loop->isInnermost() && has_access(*loop) && is_straight(*loop)) innermost.push_back(loop);
    }
    for (llvm::Loop* loop : innermost) emit_loop(*loop);
    return std::move(copies_);
  }

 private:
  [[nodiscard]] bool has_access(const llvm::Loop& loop) const {
    return llvm::any_of(accesses_, [&](const RunAccess& access) { return loop.contains(access.instruction); });
  }

  // Left at its end alone, after a number of turns that is known when it begins, with nothing in it that divides it.
  [[nodiscard]] bool is_straight(llvm::Loop& loop) {
    const llvm::BasicBlock* latch = loop.getLoopLatch();
    if (latch == nullptr || loop.getExitingBlock() != latch || loop.getExitBlock() == nullptr) return false;
    if (!loop.isSafeToClone()) return false;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        if (divides_(instruction) || !llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction)) return false;
      }
    }
    return evolution_.hasLoopInvariantBackedgeTakenCount(&loop);
  }

  void emit_loop(llvm::Loop& loop) {
    if (!loop.isLoopSimplifyForm() &&
        !llvm::simplifyLoop(&loop, &dominators_, &loops_, &evolution_, &assumptions_, nullptr, false)) {
      return;
    }
    if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() != loop.getLoopLatch()) return;
    const llvm::SCEV* turns = evolution_.getBackedgeTakenCount(&loop);
    if (isa<llvm::SCEVCouldNotCompute>(turns)) return;
    llvm::Type* number = llvm::Type::getInt64Ty(function_.getContext());
    if (evolution_.getTypeSizeInBits(turns->getType()) > 64) return;
    const llvm::SCEV* count =
        evolution_.getAddExpr(evolution_.getNoopOrZeroExtend(turns, number), evolution_.getOne(number));
    if (const auto* constant = dyn_cast<llvm::SCEVConstant>(count)) {
      if (constant->getAPInt().ult(kShortest)) return;
    }
    llvm::Instruction* before = loop.getLoopPreheader()->getTerminator();
    llvm::SCEVExpander expander(evolution_, layout_, "norn.run");
    if (!expander.isSafeToExpandAt(count, before)) return;
    std::vector<Run> runs;
    size_t accesses = 0;
    bool may_signal = false;
    for (size_t i = 0; i < accesses_.size(); ++i) {
      if (!loop.contains(accesses_[i].instruction)) continue;
      ++accesses;
      may_signal |= accesses_[i].may_signal;
      const std::optional<Run> run = run_of(loop, i);
      if (run && expander.isSafeToExpandAt(run->first, before)) runs.push_back(*run);
    }
    if (runs.size() > kMostParts) return;
    join_neighbours(runs);
    llvm::erase_if(runs, [](const Run& run) { return !is_reportable(run); });
    if (runs.empty() || runs.size() > kMost) return;
    // Who finds a flag of the loop is ordered after what was reported with it, and no check may begin a later epoch
    // then.
    size_t hoisted = 0;
    for (const Run& run : runs) hoisted += run.accesses.size();
    if (may_signal && hoisted != accesses) return;
    put_in_order(runs);
    llvm::formLCSSA(loop, dominators_, &loops_, &evolution_);
    emit(loop, count, runs, expander);
    evolution_.forgetAllLoops();
  }

  std::optional<Run> run_of(llvm::Loop& loop, size_t index) {
    const RunAccess& access = accesses_[index];
    if (!Hooks::has_access(access.size)) return std::nullopt;
    if (!dominators_.dominates(access.instruction->getParent(), loop.getLoopLatch())) return std::nullopt;
    const llvm::SCEV* address = evolution_.getSCEV(access.address);
    if (evolution_.isLoopInvariant(address, &loop)) return Run{{index}, address, 0, access.size};
    const auto* steps = dyn_cast<llvm::SCEVAddRecExpr>(address);
    if (steps == nullptr || steps->getLoop() != &loop || !steps->isAffine()) return std::nullopt;
    const auto* step = dyn_cast<llvm::SCEVConstant>(steps->getStepRecurrence(evolution_));
    if (step == nullptr || step->getAPInt().getSignificantBits() > 32) return std::nullopt;
    return Run{{index}, steps->getStart(), step->getAPInt().getSExtValue(), access.size};
  }

  // Parts of granules only if they lie side by side.
  [[nodiscard]] static bool is_reportable(const Run& run) {
    return run.size % kGranuleBytes == 0 || run.step == static_cast<int64_t>(run.size);
  }

  // What the optimiser made several of: turns of a loop that it unrolled, parts of a vector.
  void join_neighbours(std::vector<Run>& runs) {
    for (size_t i = 0; i < runs.size(); ++i) {
      for (size_t j = 0; j < runs.size();) {
        if (j == i || !follows(runs[i], runs[j])) {
          ++j;
          continue;
        }
        runs[i].accesses.append(runs[j].accesses);
        runs[i].size += runs[j].size;
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(j));
        if (j < i) --i;
        j = 0;
      }
    }
  }
  // Whether b begins where a ends, and is the same in the source.
  bool follows(const Run& a, const Run& b) {
    const RunAccess& one = accesses_[a.accesses.front()];
    const RunAccess& other = accesses_[b.accesses.front()];
    if (a.step != b.step || one.write != other.write || !one.instruction->getDebugLoc() ||
        one.instruction->getDebugLoc() != other.instruction->getDebugLoc()) {
      return false;
    }
    const auto* distance = dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(b.first, a.first));
    return distance != nullptr && distance->getAPInt() == a.size;
  }

  // In the order in which the loop comes to any byte first: of a[i - 1] and a[i + 1], that is the second.
  void put_in_order(std::vector<Run>& runs) {
    for (size_t i = 1; i < runs.size(); ++i) {
      for (size_t j = i; j > 0 && comes_first(runs[j], runs[j - 1]); --j) std::swap(runs[j], runs[j - 1]);
    }
  }
  bool comes_first(const Run& a, const Run& b) {
    if (a.step != b.step || a.step == 0) return false;
    const auto* distance = dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(a.first, b.first));
    if (distance == nullptr) return false;
    return a.step > 0 ? distance->getAPInt().isStrictlyPositive() : distance->getAPInt().isNegative();
  }

  void emit(llvm::Loop& loop, const llvm::SCEV* count, llvm::ArrayRef<Run> runs, llvm::SCEVExpander& expander) {
    llvm::BasicBlock* before = loop.getLoopPreheader();
    llvm::BasicBlock* header = loop.getHeader();
    llvm::BasicBlock* exiting = loop.getExitingBlock();
    llvm::BasicBlock* exit = loop.getExitBlock();
    Value* turns = expander.expandCodeFor(count, count->getType(), before->getTerminator());
    std::vector<Value*> firsts;
    for (const Run& run : runs) {
      Value* first = expander.expandCodeFor(run.first, nullptr, before->getTerminator());
      llvm::IRBuilder<> builder(before->getTerminator());
      if (run.step < 0) {
        Value* last =
            builder.CreateMul(builder.CreateSub(turns, builder.getInt64(1)), builder.getInt64(uint64_t(run.step)));
        first = builder.CreatePtrAdd(first, last);
      }
      firsts.push_back(first);
    }

    llvm::BasicBlock* checked =
        llvm::SplitBlock(before, before->getTerminator(), &dominators_, &loops_, nullptr, header->getName() + ".ph");
    llvm::ValueToValueMapTy map;
    llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
    llvm::Loop* copy =
        llvm::cloneLoopWithPreheader(checked, before, &loop, map, ".unchecked", &loops_, &dominators_, blocks);
    llvm::remapInstructionsInBlocks(blocks, map);
    for (llvm::PHINode& phi : exit->phis()) {
      Value* value = phi.getIncomingValueForBlock(exiting);
      const auto known = map.find(value);
      phi.addIncoming(known == map.end() ? value : &*known->second, cast<llvm::BasicBlock>(map[exiting]));
    }
    dominators_.changeImmediateDominator(exit, before);

    // Long enough, and all reported, in one epoch.
    llvm::IRBuilder<> builder(before->getTerminator());
    Value* worth = builder.CreateICmpUGE(turns, builder.getInt64(kShortest));
    llvm::Instruction* term = before->getTerminator();
    llvm::BasicBlock* ranges =
        llvm::BasicBlock::Create(function_.getContext(), header->getName() + ".ranges", &function_, checked);
    if (llvm::Loop* outer = loop.getParentLoop()) outer->addBasicBlockToLoop(ranges, loops_);
    dominators_.addNewBlock(ranges, before);
    builder.SetInsertPoint(term);
    builder.CreateCondBr(worth, ranges, checked);
    term->eraseFromParent();
    builder.SetInsertPoint(ranges);
    builder.SetCurrentDebugLocation(accesses_[runs.front().accesses.front()].instruction->getDebugLoc());
    Value* first_epoch = nullptr;
    Value* all = nullptr;
    for (size_t i = 0; i < runs.size(); ++i) {
      const RunAccess& access = accesses_[runs[i].accesses.front()];
      const uint64_t size = runs[i].size;
      const auto step = static_cast<uint64_t>(runs[i].step < 0 ? -runs[i].step : runs[i].step);
      Value* epoch = builder.CreateCall(
          hooks_.run(access.write), {firsts[i], step == 0 ? builder.getInt64(1) : turns,
                                     builder.getInt64(step == 0 ? size : step), builder.getInt64(size), access.site});
      if (i == 0) {
        first_epoch = epoch;
        all = builder.CreateIsNotNull(epoch);
      } else {
        all = builder.CreateAnd(all, builder.CreateICmpEQ(epoch, first_epoch));
      }
    }
    builder.CreateCondBr(all, copy->getLoopPreheader(), checked);
    dominators_.changeImmediateDominator(copy->getLoopPreheader(), ranges);

    for (size_t i = 0; i < accesses_.size(); ++i) {
      const auto instead = map.find(accesses_[i].instruction);
      if (instead == map.end()) continue;
      const bool hoisted = llvm::any_of(runs, [&](const Run& run) { return llvm::is_contained(run.accesses, i); });
      copies_.push_back({i, cast<llvm::Instruction>(&*instead->second), hoisted});
    }
  }

  llvm::Function& function_;
  Hooks& hooks_;
  llvm::ArrayRef<RunAccess> accesses_;
  llvm::function_ref<bool(const llvm::Instruction&)> divides_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::AssumptionCache assumptions_;
  llvm::TargetLibraryInfoImpl library_impl_;
  llvm::TargetLibraryInfo library_;
  llvm::ScalarEvolution evolution_;
  std::vector<RunCopy> copies_;
};

// Only loops are worth the analyses.
bool may_loop(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 8> back_edges;
  llvm::FindFunctionBackedges(function, back_edges);
  return !back_edges.empty();
}

}  // namespace

std::vector<RunCopy> emit_hoisted_ranges(llvm::Function& function, Hooks& hooks, llvm::ArrayRef<RunAccess> accesses,
                                         llvm::function_ref<bool(const llvm::Instruction&)> divides) {
  if (accesses.empty() || !may_loop(function)) return {};
  return RangeEmitter(function, hooks, accesses, divides).emit();
}

}  // namespace norn::compiler
