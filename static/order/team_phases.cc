#include "static/order/team_phases.h"

#include <algorithm>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "static/program/library_models.h"

namespace norn::statics {

using llvm::dyn_cast;

namespace {

const llvm::CallBase* call_of_library(const llvm::Instruction& instruction, llvm::StringRef name) {
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->isDeclaration() && callee->getName() == name ? call : nullptr;
}

// Where control goes if a value says that a call that tries gave 0: it does if it is 0 itself, or if it is not.
const llvm::BasicBlock* if_zero(const llvm::Value& value, bool zero, unsigned depth = 0) {
  if (depth > 8) return nullptr;
  for (const llvm::User* user : value.users()) {
    const llvm::BasicBlock* found = nullptr;
    if (const auto* branch = dyn_cast<llvm::BranchInst>(user)) {
      found = branch->getSuccessor(zero ? 1 : 0);
    } else if (const auto* compare = dyn_cast<llvm::ICmpInst>(user); compare != nullptr && compare->isEquality()) {
      const auto* number = dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
      const bool equal = compare->getPredicate() == llvm::CmpInst::ICMP_EQ;
      if (number != nullptr && number->isZero()) found = if_zero(*compare, equal ? !zero : zero, depth + 1);
    } else if (llvm::isa<llvm::ZExtInst, llvm::TruncInst, llvm::FreezeInst>(user)) {
      found = if_zero(*user, zero, depth + 1);
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace

bool is_barrier(const llvm::Instruction& instruction) {
  const auto* call = dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return false;
  return llvm::StringSwitch<bool>(callee->getName())
      .Cases("__kmpc_barrier", "__kmpc_cancel_barrier", "__kmpc_copyprivate", "__kmpc_end_reduce", true)
      .Default(false);
}

bool is_barrier_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  const auto* choice = dyn_cast<llvm::SwitchInst>(from.getTerminator());
  const auto* call = choice == nullptr ? nullptr : dyn_cast<llvm::CallBase>(choice->getCondition());
  if (call == nullptr || call_of_library(*call, "__kmpc_reduce") == nullptr) return false;
  return choice->getDefaultDest() == &to &&
         llvm::none_of(choice->cases(), [&](const auto& each) { return each.getCaseSuccessor() == &to; });
}

TeamPhases::TeamPhases(const Threads& threads, int team) : threads_(threads), team_(team) {
  find_phases();
  find_alone();
}

void TeamPhases::find_phases() {
  const Thread& team = threads_.all()[static_cast<size_t>(team_)];
  const auto add = [&](const llvm::Instruction& first) {
    threads_.walk_until(team_, first, is_barrier, phases_.emplace_back());
  };
  add(team.root->getEntryBlock().front());
  for (const llvm::Function* function : team.functions) {
    for (const llvm::BasicBlock& block : *function) {
      for (const llvm::Instruction& instruction : block) {
        if (!is_barrier(instruction)) continue;
        if (const llvm::Instruction* next = instruction.getNextNode()) {
          add(*next);
        } else {
          for (const llvm::BasicBlock* successor : llvm::successors(&block)) add(successor->front());
        }
      }
      for (const llvm::BasicBlock* successor : llvm::successors(&block)) {
        if (is_barrier_edge(block, *successor)) add(successor->front());
      }
    }
  }
}

bool TeamPhases::repeats(const llvm::Instruction& instruction) const {
  Region region;
  if (const llvm::Instruction* next = instruction.getNextNode()) {
    threads_.walk_until(team_, *next, is_barrier, region);
  } else {
    return true;
  }
  return region.has(instruction);
}

// `single` and its like are tried locks here (library_models.h).
void TeamPhases::find_alone() {
  const Thread& team = threads_.all()[static_cast<size_t>(team_)];
  Region of_master;
  for (const llvm::Function* function : team.functions) {
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const llvm::CallBase* call = call_of_library(instruction, "pthread_mutex_trylock");
      const auto* lock =
          call == nullptr ? nullptr : dyn_cast<llvm::GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
      if (lock == nullptr) continue;
      const bool is_master = lock->getName() == kMaster;
      if (!is_master && !lock->isConstant()) continue;
      const llvm::BasicBlock* inside = if_zero(*call, true);
      if (inside == nullptr || (!is_master && repeats(*call))) continue;
      const auto ends = [&](const llvm::Instruction& each) {
        const llvm::CallBase* end = call_of_library(each, "pthread_mutex_unlock");
        return end != nullptr && end->getArgOperand(0)->stripPointerCasts() == lock;
      };
      threads_.walk_until(team_, inside->front(), ends, is_master ? of_master : alone_.emplace_back());
    }
  }
  if (!of_master.empty()) alone_.push_back(std::move(of_master));
}

bool TeamPhases::parallel(const llvm::Instruction& a, const llvm::Instruction& b) const {
  const auto has_both = [&](const Region& region) { return region.has(a) && region.has(b); };
  if (std::any_of(alone_.begin(), alone_.end(), has_both)) return false;
  if (std::any_of(phases_.begin(), phases_.end(), has_both)) return true;
  // What no phase has, nobody is seen to execute: handlers of signals.
  const auto has_none = [&](const llvm::Instruction& each) {
    return std::none_of(phases_.begin(), phases_.end(), [&](const Region& region) { return region.has(each); });
  };
  return has_none(a) || has_none(b);
}

}  // namespace norn::statics
