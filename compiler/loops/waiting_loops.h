// Finds the loops of a function that wait for other threads, and emits hooks for them.
//
//     while (!flag) work();                     while (!ready) pthread_cond_wait(&cv, &m);
//
//     test: __norn_spin_read(&flag, …, @exit)   test: … ready is read as ever
//           %f = load flag                            br %r, left, wait
//           br %f, left, body                   wait: __norn_wait_begin(@loop, 1); call pthread_cond_wait;
//           __norn_wait_end()
//     body: work(); br test                           br test
//     left: __norn_spin_leave(@exit, 1)         left: __norn_wait_leave(@loop, &cv, 1)
//
// What waits is judged by loops/loop.h; this is how LLVM's loops are put to it, at any level of optimisation: locals
// are followed as values (LoopView), a first test that was copied before the loop is an exit too, and conditions that
// were joined into one branch (`a || i > 9`) are told apart again. Conditions that are calls, or atomics, are
// surrounded by __norn_spin_begin and __norn_spin_end: what is read in between is what is waited for.
//
// Loops that more than one block leads into are left alone. A way out into a failure (an assertion, abort, throw), or
// to the return of a value that says so while another way goes on, is waited for by nobody.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "compiler/emit/hook_calls.h"
#include "compiler/loops/loop_calls.h"
#include "compiler/naming/site_table.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {

// A norn_loop (include/norn/abi.h) to be: an exit that spins, or a loop around a wait.
struct WaitingLoop {
  uint32_t kind = 0;  // norn_loop_kind
  unsigned blocks = 0;
  const llvm::Instruction* at = nullptr;
  std::string text;   // what is waited for, in words
  std::string graph;  // nodes and edges for graphviz
  struct Flag {
    llvm::Constant* address;
    uint64_t size;
    bool operator==(const Flag&) const = default;
  };
  std::vector<Flag> flags;  // global variables that the condition reads
  llvm::Constant* constant = nullptr;
};

// What is to be emitted for the loops of a function.
struct LoopPlan {
  struct Read {
    llvm::Instruction* load;  // or a load written in assembly
    WaitingLoop* loop;
    bool sweeps;  // more than one address in one evaluation of the condition
  };
  struct Evaluation {  // a call or an atomic that is the condition, or part of it
    llvm::Instruction* instruction;
    WaitingLoop* loop;
  };
  struct Wait {
    llvm::CallBase* call;
    WaitingLoop* loop;
    bool alone;  // nothing but the condition follows it in the loop
  };
  struct Leave {
    llvm::BasicBlock* from;
    llvm::BasicBlock* to;
    WaitingLoop* loop;
    llvm::Value* reason;    // null: whenever control comes this way
    bool when;              // the reason's value that means so
    llvm::BasicBlock* via;  // null, or the block that control must have come from to `from`
    // Of a wait: the call, and what it waits for in the words of the function called.
    llvm::CallBase* wait = nullptr;
    PlaceInCaller condition;
  };
  std::deque<WaitingLoop> loops;
  std::vector<Read> reads;
  std::vector<Evaluation> evaluations;
  std::vector<Wait> waits;
  std::vector<Leave> leaves;
  llvm::DenseSet<const llvm::Instruction*> spin_reads;  // loads that are emitted as such
  // Writes, on the way out, of what the condition read: to others who wait for it they are increments.
  llvm::DenseSet<const llvm::Instruction*> increments;

  [[nodiscard]] bool is_spin_read(const llvm::Instruction* load) const { return spin_reads.contains(load); }
  // Whether the instruction is part of a condition that is waited for.
  [[nodiscard]] bool asks(const llvm::Instruction* part) const {
    return spin_reads.contains(part) ||
           llvm::any_of(evaluations, [&](const Evaluation& evaluation) { return evaluation.instruction == part; });
  }
};

// The blocks on the edges by which the plan's loops are left, which are new: exits on the same edge share one. None for
// an edge that cannot have one, or is no more.
using LeftBlocks = llvm::DenseMap<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>, llvm::BasicBlock*>;
[[nodiscard]] LeftBlocks split_leaves(const LoopPlan& plan);

class LoopFinder final {
 public:
  explicit LoopFinder(CallSummaries& summaries) : summaries_(summaries) {}
  [[nodiscard]] LoopPlan find(llvm::Function& function);
  // The functions that a condition found so far calls, or one that is found elsewhere might: what they read may be
  // waited for.
  [[nodiscard]] llvm::DenseSet<const llvm::Function*> asked_by_conditions(
      const std::vector<llvm::Function*>& functions);

 private:
  CallSummaries& summaries_;
  llvm::DenseSet<const llvm::Function*> asked_;
};

// Puts a plan into the code.
class LoopEmitter final {
 public:
  LoopEmitter(llvm::Module& module, Hooks& hooks, SiteTable& sites) : module_(module), hooks_(hooks), sites_(sites) {}

  using Namer = llvm::function_ref<std::string(const llvm::Instruction& access)>;
  using Locator = llvm::function_ref<llvm::DebugLoc(const llvm::Instruction& at)>;
  // Makes the constants; nothing of the function has changed yet.
  void describe(llvm::Function& function, LoopPlan& plan, Namer name, Locator locate);
  // Everything but the reads. First of all emissions: edges are split here, and atomics are still in their places.
  void emit(llvm::Function& function, const LoopPlan& plan);
  // Instead of the hook of a read that is a spin read in the plan.
  void emit_read(llvm::IRBuilder<>& builder, const LoopPlan& plan, const llvm::Instruction* load, llvm::Value* address,
                 uint64_t size, llvm::Constant* site);
  // For a read in a function that conditions call: what is to be done if no condition is being evaluated goes to the
  // builder that is returned.
  void emit_called_read(llvm::IRBuilder<>& builder, llvm::Value* address, uint64_t size, llvm::Constant* site);

 private:
  llvm::Value* rebuild(llvm::Value* value, llvm::Instruction* at, const llvm::DominatorTree& dominators,
                       unsigned depth = 0);
  void emit_leave(const LoopPlan::Leave& leave, llvm::BasicBlock* from, const llvm::DominatorTree& dominators);

  llvm::Module& module_;
  Hooks& hooks_;
  SiteTable& sites_;
};

}  // namespace norn::compiler
