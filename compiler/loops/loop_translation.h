// One of LLVM's loops in the neutral form of loops/loop.h, so that its exits can be judged.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/loops/loop_calls.h"
#include "compiler/loops/loop_shape.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "loops/loop.h"

namespace norn::compiler {

class Translation final {
 public:
  Translation(const LoopView& view, const Cycle& loop, CallSummaries& summaries,
              const llvm::TargetLibraryInfoImpl& library);

  [[nodiscard]] loops::Judgement judge(const llvm::BasicBlock* block, const llvm::Value* condition);

  // Of the last judgement: the instructions that its condition depends on.
  template <class Visit>
  void for_condition(Visit visit) const {
    for (loops::Index i = 0; i < values_.size(); ++i) {
      if (in_condition_[i] && instructions_[i] != nullptr) visit(*instructions_[i], values_[i]);
    }
  }
  [[nodiscard]] bool in_condition(const llvm::Instruction& instruction) const {
    const loops::Index index = known(&instruction);
    return index != loops::kNone && in_condition_[index];
  }

  [[nodiscard]] bool calls_unknown() const { return calls_unknown_; }
  // Whether the loop may take or give up locks as it goes round.
  [[nodiscard]] bool locks() const { return locks_; }
  // Stores after which the loop is left.
  [[nodiscard]] const std::vector<const llvm::StoreInst*>& left_after() const { return left_after_; }

 private:
  [[nodiscard]] loops::Loop form() const { return {values_, operands_, blocks_, successors_, written_}; }

  [[nodiscard]] loops::Index known(const llvm::Value* value) const {
    const auto found = indexes_.find(value);
    return found == indexes_.end() ? loops::kNone : found->second;
  }

  [[nodiscard]] bool has(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction != nullptr && numbers_.contains(instruction->getParent());
  }

  loops::Index location(const Place& place);

  // Whether the loop is left whenever this block was entered: it is entered for the same reason as an exit that every
  // way round has to pass. (`if (there) take(); …; if (there) break;`, as the optimiser leaves a function inlined.)
  [[nodiscard]] bool leaves_after(const llvm::BasicBlock* block) const;
  void collect_writes();
  void write(const llvm::Value* address);
  void collect_writes_of(const llvm::CallBase& call);

  // The memory operand of an atomic that stores the same whatever it finds.
  static const llvm::Value* test_and_set_address(const llvm::Instruction& instruction);
  [[nodiscard]] bool is_test_and_set(const llvm::Instruction& instruction) const;
  void translate(const llvm::BasicBlock& block);

  // The number of a value of the loop; values may be used before they are met.
  loops::Index index_of(const llvm::Value* value);
  void translate(const llvm::Instruction& instruction, loops::Index block);
  void depend_on(const llvm::Value* value, std::vector<loops::Index>& from);
  loops::Value kind_of(const llvm::Instruction& instruction, std::vector<loops::Index>& from);

  // What comes round in different ways matters even where it is a constant: which of them it is says by which way.
  void merge(const llvm::PHINode& phi, std::vector<loops::Index>& from);

  // A select in which the deciding value is of the outside still copies; the judge expects the decision first.
  void select_operands(const llvm::SelectInst& select, loops::Value& value, std::vector<loops::Index>& from);
  loops::Value read(const llvm::LoadInst& load, std::vector<loops::Index>& from);
  loops::Value read(const llvm::Value* address, std::vector<loops::Index>& from);

  // Whether a value of the loop goes into anything but decisions: into memory, a call, a result, or an address that is
  // used when the loop has been left.
  [[nodiscard]] bool is_used_otherwise(const llvm::Instruction& read) const;

  // A call that does something only when it says so, and the loop is left then: as long as the loop goes on, it reads.
  [[nodiscard]] bool is_poll(const llvm::CallBase& call, const Summary& callee) const;
  static unsigned width(const llvm::CallBase& call);

  // Whether the loop is left if the call returns this; nothing if more than that decides.
  [[nodiscard]] std::optional<bool> leaves(const llvm::CallBase& call, const llvm::APInt& result) const;
  loops::Value result(const llvm::CallBase& call, std::vector<loops::Index>& from);

  // A place that stands for what a call reads and the loop may write.
  loops::Index something_written();

  // Whether the loop may change what the call looks at: it writes a place that the call reads, or hands the same object
  // to somebody of whom nothing is known.
  [[nodiscard]] bool may_change_between(const llvm::CallBase& call, const Summary& callee);
  [[nodiscard]] bool reads_what_is_written(const llvm::CallBase& call, const Summary& callee);
  [[nodiscard]] bool is_set_in_loop(const llvm::Value* object) const;

  const Cycle& loop_;
  const llvm::DominatorTree& dominators_;
  const llvm::DataLayout& layout_;
  CallSummaries& summaries_;
  const llvm::TargetLibraryInfoImpl& library_;
  std::vector<const llvm::StoreInst*> left_after_;
  llvm::DenseMap<const llvm::BasicBlock*, loops::Index> numbers_;
  llvm::DenseMap<const llvm::Value*, loops::Index> indexes_;
  std::map<std::string, loops::Index> locations_;
  llvm::DenseSet<const llvm::Value*> objects_written_;
  std::vector<std::pair<const llvm::CallBase*, std::string>> given_away_;
  bool calls_unknown_ = false;  // something is called that may write anything
  bool locks_ = false;
  std::vector<loops::Value> values_;
  std::vector<const llvm::Instruction*> instructions_;
  std::vector<loops::Index> operands_;
  std::vector<loops::Block> blocks_;
  std::vector<loops::Index> successors_;
  std::vector<loops::Index> written_;
  std::vector<uint32_t> scratch_;
  std::unique_ptr<bool[]> in_condition_;
};

}  // namespace norn::compiler
