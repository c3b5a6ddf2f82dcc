#include "compiler/analysis/coverage.h"

#include <map>
#include <tuple>

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {

using llvm::BasicBlock;
using llvm::BitVector;
using llvm::Instruction;
using llvm::Value;

namespace {

// What a check says: these bytes after this pointer were read, or written. Facts are numbered; sets are bit vectors.
struct Fact {
  const Value* base;
  int64_t offset;
  uint64_t size;
  bool write;

  [[nodiscard]] bool implies(const Fact& other) const {
    return base == other.base && offset <= other.offset &&
           other.offset + static_cast<int64_t>(other.size) <= offset + static_cast<int64_t>(size) &&
           (write || !other.write);
  }
};

class Solver final {
 public:
  Solver(const llvm::Function& function, llvm::ArrayRef<Check> checks,
         llvm::function_ref<Boundary(const Instruction&)> boundary)
      : function_(function), checks_(checks), boundary_(boundary), order_(&function) {
    number_facts();
  }

  std::vector<Coverage> run() {
    std::vector<Coverage> result(checks_.size());
    if (facts_.empty() || facts_.size() * function_.size() > kMostBits) return result;
    find_checked_before(result);
    find_checked_after(result);
    return result;
  }

 private:
  using Sets = llvm::DenseMap<const BasicBlock*, BitVector>;

  void number_facts() {
    const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
    std::map<std::tuple<const Value*, int64_t, uint64_t, bool>, unsigned> numbers;
    fact_of_.resize(checks_.size(), kNone);
    for (size_t i = 0; i < checks_.size(); ++i) {
      const Check& check = checks_[i];
      at_[check.instruction].push_back(i);
      if (check.alone) continue;
      llvm::APInt offset(layout.getIndexTypeSizeInBits(check.address->getType()), 0);
      const Value* base = check.address->stripAndAccumulateConstantOffsets(layout, offset, true);
      const Fact fact{base, offset.getSExtValue(), check.size, check.write};
      const auto [known, first] = numbers.try_emplace({fact.base, fact.offset, fact.size, fact.write}, facts_.size());
      if (first) facts_.push_back(fact);
      fact_of_[i] = known->second;
    }
    for (unsigned i = 0; i < facts_.size(); ++i) of_base_[facts_[i].base].push_back(i);
    implied_.reserve(facts_.size());
    for (const Fact& fact : facts_) {
      llvm::SmallVector<unsigned, 4>& implied = implied_.emplace_back();
      for (const unsigned other : of_base_[fact.base]) {
        if (fact.implies(facts_[other])) implied.push_back(other);
      }
    }
  }

  [[nodiscard]] BitVector none() const { return BitVector(static_cast<unsigned>(facts_.size()), false); }
  [[nodiscard]] BitVector all() const { return BitVector(static_cast<unsigned>(facts_.size()), true); }

  // The pointer is computed anew, or the variable is: what was said of its last value says nothing of this one.
  void redefine(const Instruction& instruction, BitVector& set) const {
    const Value* base = &instruction;
    if (const auto* life = llvm::dyn_cast<llvm::LifetimeIntrinsic>(&instruction)) {
      base = life->getArgOperand(1)->stripPointerCasts();
    }
    if (const auto known = of_base_.find(base); known != of_base_.end()) {
      for (const unsigned fact : known->second) set.reset(fact);
    }
  }

  // Whether what follows an instruction surely comes, and nothing is waited for before it comes. A call that neither
  // synchronizes nor stores may still wait in a loop.
  static bool surely_goes_on(const Instruction& instruction) {
    if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return false;
    return instruction.isTerminator() || llvm::isGuaranteedToTransferExecutionToSuccessor(&instruction);
  }

  void add(unsigned fact, BitVector& set) const {
    for (const unsigned implied : implied_[fact]) set.set(implied);
  }

  // Calls `see(check, set)` at each check with what holds just before it.
  template <typename See>
  void forward(const Instruction& instruction, BitVector& set, See see) const {
    const auto checks = at_.find(&instruction);
    const bool any = checks != at_.end();
    if (any) {
      for (const size_t check : checks->second) see(check, set);
    }
    redefine(instruction, set);
    const Boundary boundary = boundary_(instruction);
    if (boundary != Boundary::kNone) set.reset();
    if (boundary == Boundary::kFull || !any) return;
    for (const size_t check : checks->second) {
      if (fact_of_[check] != kNone) add(fact_of_[check], set);
    }
  }

  // On every path to the check, with nothing between by which another thread could learn of it.
  void find_checked_before(std::vector<Coverage>& result) {
    Sets after;
    for (const BasicBlock* block : order_) after.try_emplace(block, all());
    const auto before = [&](const BasicBlock* block) {
      BitVector set = block->isEntryBlock() ? none() : all();
      for (const BasicBlock* predecessor : llvm::predecessors(block)) {
        if (const auto known = after.find(predecessor); known != after.end()) set &= known->second;
      }
      return set;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock* block : order_) {
        BitVector set = before(block);
        for (const Instruction& instruction : *block) forward(instruction, set, [](size_t, BitVector&) {});
        if (set == after[block]) continue;
        after[block] = std::move(set);
        changed = true;
      }
    }
    for (const BasicBlock* block : order_) {
      BitVector set = before(block);
      for (const Instruction& instruction : *block) {
        forward(instruction, set, [&](size_t check, BitVector& known) {
          const unsigned fact = fact_of_[check];
          if (fact == kNone) return;
          if (known.test(fact)) result[check].covered = true;
          add(fact, known);
        });
      }
    }
  }

  // A read that only counts and that a write surely follows. (One that decides is heeded where it is: what is done
  // between it and the write may be ordered by it.) Signals may stand between: what they order, the write is not
  // ordered by, so it races at least as much. Nothing is expected over the back edge of a loop, which may never end.
  void find_checked_after(std::vector<Coverage>& result) {
    Sets expected;
    llvm::DenseMap<const BasicBlock*, unsigned> rank;
    for (const BasicBlock* block : order_) rank.try_emplace(block, rank.size());
    BitVector replaced = none();  // facts of reads that a later write stands for
    for (const BasicBlock* block : llvm::post_order(&function_)) {
      BitVector set = llvm::succ_empty(block) ? none() : all();
      for (const BasicBlock* successor : llvm::successors(block)) {
        if (rank[successor] <= rank[block]) {
          set.reset();
        } else {
          set &= expected[successor];
        }
      }
      for (const Instruction& instruction : llvm::reverse(*block)) {
        if (boundary_(instruction) == Boundary::kFull || !surely_goes_on(instruction)) set.reset();
        redefine(instruction, set);
        const auto checks = at_.find(&instruction);
        if (checks == at_.end()) continue;
        for (const size_t check : llvm::reverse(checks->second)) {
          const unsigned fact = fact_of_[check];
          if (fact == kNone) continue;
          if (facts_[fact].write) {
            add(fact, set);
          } else if (checks_[check].counts && set.test(fact) && !result[check].covered) {
            result[check].covered = true;
            replaced.set(fact);
          }
        }
      }
      expected.try_emplace(block, std::move(set));
    }
    if (replaced.any()) mark_readers(replaced, result);
  }

  // The writes that a replaced read may reach: to who waits for such a word they are increments.
  void mark_readers(const BitVector& replaced, std::vector<Coverage>& result) {
    const auto walk = [&](const BasicBlock* block, BitVector& set, auto see) {
      for (const Instruction& instruction : *block) {
        if (const auto checks = at_.find(&instruction); checks != at_.end()) {
          for (const size_t check : checks->second) see(check, set);
        }
        redefine(instruction, set);
        if (boundary_(instruction) == Boundary::kFull) set.reset();
      }
    };
    const auto note = [&](size_t check, BitVector& set) {
      const unsigned fact = fact_of_[check];
      if (fact != kNone && !facts_[fact].write && replaced.test(fact)) set.set(fact);
    };
    Sets after;
    for (const BasicBlock* block : order_) after.try_emplace(block, none());
    const auto before = [&](const BasicBlock* block) {
      BitVector set = none();
      for (const BasicBlock* predecessor : llvm::predecessors(block)) {
        if (const auto known = after.find(predecessor); known != after.end()) set |= known->second;
      }
      return set;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock* block : order_) {
        BitVector set = before(block);
        walk(block, set, note);
        if (set == after[block]) continue;
        after[block] = std::move(set);
        changed = true;
      }
    }
    for (const BasicBlock* block : order_) {
      BitVector set = before(block);
      walk(block, set, [&](size_t check, BitVector& reads) {
        note(check, reads);
        const unsigned fact = fact_of_[check];
        if (fact == kNone || !facts_[fact].write) return;
        for (const unsigned implied : implied_[fact]) result[check].reads_too |= reads.test(implied);
      });
    }
  }

  static constexpr unsigned kNone = ~0U;
  static constexpr size_t kMostBits = 200'000'000;  // of a set for each block; beyond, nothing is covered

  const llvm::Function& function_;
  llvm::ArrayRef<Check> checks_;
  llvm::function_ref<Boundary(const Instruction&)> boundary_;
  llvm::ReversePostOrderTraversal<const llvm::Function*> order_;
  std::vector<Fact> facts_;
  std::vector<unsigned> fact_of_;  // of each check
  llvm::DenseMap<const Instruction*, llvm::SmallVector<size_t, 2>> at_;
  llvm::DenseMap<const Value*, llvm::SmallVector<unsigned, 4>> of_base_;
  std::vector<llvm::SmallVector<unsigned, 4>> implied_;  // by each fact: those it says too, itself among them
};

}  // namespace

std::vector<Coverage> find_covered(const llvm::Function& function, llvm::ArrayRef<Check> checks,
                                   llvm::function_ref<Boundary(const Instruction&)> boundary) {
  // After a second return of setjmp anything may have happened since the checks before it.
  if (function.callsFunctionThatReturnsTwice()) return std::vector<Coverage>(checks.size());
  return Solver(function, checks, boundary).run();
}

}  // namespace norn::compiler
