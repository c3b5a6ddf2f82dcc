// Two copies of a function's body: one that will be checked, and one that will not (docs/design/sampling.md).
//
//     f: A                              f: if (sampled(f)) goto A'            the checked copy: A' H' B' …
//        do { H: B } while (c)             A
//        C                                 H: B; if (!c) goto left
//                                          if (sampled(H)) goto H' else goto H
//                                    left: if (home) goto C' else goto C
//
// Control passes between them at the function's entry and at the ends of loops' iterations, where sampled() counts: it
// is a decrement of the thread's own counter for the region, and a call when that falls below zero (include/norn/abi.h,
// "Sampling"). Whoever leaves a loop goes on in the copy that the loop was entered from: a loop that runs hot says
// nothing of what stands behind it. The production profile asks something else at the same places: whether a probe of
// the function is awake (CopyQuestion).
//
// From the checked copy any loop may lead out. Into it leads the end of an iteration only where that costs little
// beside the iteration: in loops around other loops at each iteration, in an innermost loop that no other surrounds at
// each 1024th; other innermost loops get back into it by what surrounds them.
#pragma once

#include <functional>
#include <vector>

#include "compiler/emit/hook_calls.h"
#include "compiler/emit/regions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/SSAUpdaterBulk.h"

namespace norn::compiler {

// What is asked before control may pass to the checked copy.
struct CopyQuestion {
  // Most often false, at the cost of few instructions. `next`: the block of the body that comes next, for which the
  // answer counts.
  std::function<llvm::Value*(llvm::IRBuilder<>&, const llvm::BasicBlock& next)> glance;
  // After a glance that was true. Empty: it was the answer.
  std::function<llvm::Value*(llvm::IRBuilder<>&, const llvm::BasicBlock& next)> answer{};
};

// Of the sampling profile.
[[nodiscard]] CopyQuestion sampling_question(llvm::Function& function, Hooks& hooks);

class Copies final {
 public:
  Copies(llvm::Function& function, CopyQuestion question) : function_(function), question_(std::move(question)) {}

  // Whether the function's body can stand twice. Not if somebody has the addresses of its blocks, if it may return to
  // a place a second time, or if it has values that cannot be merged or calls that may stand only once.
  [[nodiscard]] static bool can_be_made(const llvm::Function& function);

  // `is_checked`: whether something of the block will be checked in the checked copy.
  void make(llvm::function_ref<bool(const llvm::BasicBlock&)> is_checked);

  // What stands for an instruction of the body in the checked copy.
  [[nodiscard]] llvm::Instruction* checked(const llvm::Instruction* instruction) const;

  // Of the checked copy: where it begins, and where iterations of its loops end, one of which is passed each time.
  [[nodiscard]] std::vector<llvm::BasicBlock*> checked_turns() const;

 private:
  using Region = LoopRegion;  // each of its blocks has a clone
  struct Home {
    const Region* region;
    llvm::BranchInst* branch;  // by where the loop was entered from
  };

  void separate_entry();
  void clone();
  void join(const Region& region);
  llvm::BasicBlock* ask(llvm::BasicBlock* at, llvm::BasicBlock* next);
  void go_home(const Region& region, llvm::BasicBlock* left);
  void count_strides(const Region& region, llvm::BasicBlock* goes_on);
  void merge_values();
  void compute_addresses(llvm::ArrayRef<llvm::Instruction*> values, const llvm::DominatorTree& dominators) const;
  [[nodiscard]] bool is_whole(const llvm::Instruction& value, const llvm::DominatorTree& dominators) const;
  void add_merged(llvm::Instruction& value, const llvm::DominatorTree& dominators, llvm::SSAUpdaterBulk& merger) const;

  [[nodiscard]] llvm::BasicBlock* checked(const llvm::BasicBlock* block) const;

  llvm::Function& function_;
  CopyQuestion question_;
  llvm::BasicBlock* body_ = nullptr;   // where the unchecked copy begins
  llvm::BasicBlock* entry_ = nullptr;  // with the variables of both copies, and the first question
  std::vector<Region> regions_;
  std::vector<llvm::BasicBlock*> blocks_;                     // of the unchecked copy
  llvm::DenseMap<const llvm::Value*, llvm::Value*> checked_;  // blocks and instructions of the checked one
  std::vector<Home> homes_;
  std::vector<std::pair<const Region*, llvm::BasicBlock*>> strides_;
};

}  // namespace norn::compiler
