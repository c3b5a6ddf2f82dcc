// What calls mean to a loop: the functions of the threading libraries by name, and the functions of the module by what
// they do (a summary over the call graph, so that wrappers and accessors are seen through).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueMap.h"
#include "loops/calls.h"

namespace norn::compiler {

// A function as its loops are judged: locals that never leave it are values, not memory, as after optimisation. Where
// there are such locals this is a copy; `original` leads back.
class LoopView final {
 public:
  explicit LoopView(llvm::Function& function);
  ~LoopView();
  LoopView(const LoopView&) = delete;
  LoopView& operator=(const LoopView&) = delete;

  [[nodiscard]] llvm::Function& function() const { return *seen_; }
  [[nodiscard]] llvm::Instruction* original(const llvm::Instruction* seen) const;
  [[nodiscard]] llvm::BasicBlock* original(const llvm::BasicBlock* seen) const;
  [[nodiscard]] const llvm::LoopInfo& loops() const { return *loops_; }
  [[nodiscard]] const llvm::DominatorTree& dominators() const { return *dominators_; }

 private:
  llvm::Function* seen_;
  bool is_copy_ = false;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> originals_;
  std::unique_ptr<llvm::DominatorTree> dominators_;
  std::unique_ptr<llvm::LoopInfo> loops_;
};

// A place in memory by the words for it: two places with the same words are the same place as long as nothing in
// between writes what the words speak of.
struct Place {
  std::string base;
  int64_t offset = 0;
  [[nodiscard]] std::string text() const { return base + "+" + std::to_string(offset); }
};
[[nodiscard]] Place place_of(const llvm::Value* address, const llvm::DataLayout& layout);

// A place as a caller sees it: at an offset from an argument or a global variable.
struct PlaceInCaller {
  const llvm::Value* base = nullptr;  // an Argument of the callee or a global; null: cannot be said
  int64_t offset = 0;
};

// The operand that a load written in assembly reads: one memory operand, which is no output, and a result.
[[nodiscard]] std::optional<unsigned> loaded_by_assembly(const llvm::CallBase& call);

// Memory that no other thread can reach.
[[nodiscard]] bool is_own_memory(const llvm::Value* address);

using loops::CallKind;

struct Summary {
  CallKind kind = CallKind::kEffects;
  bool knows_writes = false;  // `writes` is all that is written, but for the callee's own memory
  std::vector<PlaceInCaller> writes;
  std::vector<PlaceInCaller> reads;  // some of what is read
  bool waits = false;                // outside any wait loop of its own
  PlaceInCaller condition;           // what it waits on
  bool updates = false;              // an accessor that is a test-and-set
  bool locks = true;                 // it may take or give up a lock
  bool reads_plainly = false;        // of shared memory something that is neither volatile, nor atomic, nor an address
  bool reads_atomics = false;
  // A poll: `quiet` is what it returns if it wrote nothing, and `loud` are all that it returns otherwise.
  std::optional<llvm::APInt> quiet;
  std::vector<llvm::APInt> loud;
  unsigned blocks = 0;
};

class CallSummaries final {
 public:
  [[nodiscard]] const Summary& of(const llvm::CallBase& call);
  // Of a function that has a body here.
  [[nodiscard]] const Summary& of(llvm::Function& function);
  // Whether it is one of the libraries' waits.
  [[nodiscard]] static bool is_wait(const llvm::CallBase& call);

 private:
  [[nodiscard]] Summary summarize(llvm::Function& function);

  std::map<const llvm::Function*, Summary> known_;
  std::map<std::string, Summary, std::less<>> named_;
  unsigned depth_ = 0;
};

// A place of the callee in the caller's words; base null if it cannot be said.
[[nodiscard]] PlaceInCaller in_caller(const PlaceInCaller& place, const llvm::CallBase& call,
                                      const llvm::DataLayout& layout);

}  // namespace norn::compiler
