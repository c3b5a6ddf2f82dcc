// The threads of a program, and what may happen in parallel with what.
//
// A thread is a place where one is created, what it runs, and who creates it: a tree, whose root is the first thread.
// Each creation has a region of its creator: what that may execute while the new thread may be alive, from the creation
// on, through calls and returns, up to where it is surely joined. So:
//
//   an instruction of the creator is parallel with the thread (and with those it creates) if it is in the region;
//   two threads of one creator are parallel if the creation of one is in the region of the other;
//   a thread is parallel with others of its kind if its creation is in its own region: in a loop, in a function that is
//   called again.
//
// Joins count if the handle can only be of that thread (points_to.h follows handles). A loop that joins counts at its
// end, for all threads whose handles it may have: that it comes by all of them is trusted, unless its number of turns
// is known to be less than that of the loop that created them. docs/design/static.md.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "static/points_to/points_to.h"

namespace norn::statics {

struct Thread {
  int parent = -1;
  const llvm::CallBase* created = nullptr;  // null: the first thread
  const llvm::Function* root = nullptr;
  bool is_team = false;            // of OpenMP: its creator waits for it
  bool many = false;               // parallel with others of its kind
  bool outlives = false;           // its creator may end before it does
  bool stands_for_others = false;  // of other creators, too: so nothing is before or after it
  std::vector<int> children{};
  std::vector<const llvm::Function*> functions{};  // that it may execute, in order of discovery
  llvm::DenseMap<const llvm::Function*, const llvm::CallBase*> called_by{};  // how it first came to each
};

// A part of a thread's code.
class Region final {
 public:
  [[nodiscard]] bool has(const llvm::Instruction& instruction) const;
  void add(const llvm::Instruction& first, const llvm::Instruction& last);
  [[nodiscard]] bool empty() const { return blocks_.empty(); }

 private:
  struct Range {
    const llvm::Instruction* first;
    const llvm::Instruction* last;
  };
  llvm::DenseMap<const llvm::BasicBlock*, Range> blocks_;
};

class TeamPhases;

class Threads final {
 public:
  Threads(llvm::Module& module, const PointsTo& points_to);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  [[nodiscard]] const std::vector<Thread>& all() const { return threads_; }
  // Whether an instruction that the one executes may happen while another thread executes the other.
  // With `apart`: between two of a thread that is many, and is named there, nothing counts.
  // `alive_a`, `alive_b`: what is known better of the regions that they are in, two for each child of their threads:
  // with its joins and without.
  [[nodiscard]] bool parallel(int a, const llvm::Instruction& in_a, int b, const llvm::Instruction& in_b,
                              const std::set<int>* apart = nullptr, const std::vector<bool>* alive_a = nullptr,
                              const std::vector<bool>* alive_b = nullptr) const;
  // Whether what a call executes may create the thread.
  [[nodiscard]] bool leads_to_creation(const llvm::CallBase& call, int child) const;
  // Whether the instruction may be executed while any other thread is alive.
  [[nodiscard]] bool is_shared_time(int thread, const llvm::Instruction& instruction) const;
  // A thread, who created it, and so on: the first thread first.
  [[nodiscard]] const std::vector<int>& chain(int thread) const { return chains_[static_cast<size_t>(thread)]; }
  // Whether a function is executed at most once in the life of the program.
  [[nodiscard]] bool is_once(const llvm::Function& function) const;
  // Whether an instruction is.
  [[nodiscard]] bool is_once(const llvm::Instruction& instruction) const;
  [[nodiscard]] const std::vector<const llvm::CallBase*>& callers(const llvm::Function& function) const;
  [[nodiscard]] const Region& region(int child, bool without_joins) const;
  // Whether there is at most one such thread at all.
  [[nodiscard]] bool is_single(int thread) const;
  // What a thread may execute after an instruction.
  void walk_after(int thread, const llvm::Instruction& instruction, Region& region) const;
  // What a thread may execute from an instruction on, up to those that stop it: the last ones.
  using Stops = llvm::function_ref<bool(const llvm::Instruction&)>;
  void walk_until(int thread, const llvm::Instruction& first, Stops stops, Region& region) const;
  // Of a team of OpenMP, or null.
  [[nodiscard]] const TeamPhases* phases(int thread) const { return phases_[static_cast<size_t>(thread)].get(); }
  // Whether whatever the one thread executes there comes before the other, which is another and single, executes that:
  // because it created it later, or joined it before.
  [[nodiscard]] bool precedes(int a, const llvm::Instruction& in_a, int b, const llvm::Instruction& in_b) const;
  [[nodiscard]] const llvm::LoopInfo& loops(const llvm::Function& function) const;

 private:
  class Walk;
  void find_callers(llvm::Module& module);
  void find_threads(llvm::Module& module);
  void find_functions(Thread& thread) const;
  [[nodiscard]] std::vector<const llvm::Function*> handled_functions() const;
  void find_regions();
  [[nodiscard]] bool stands_for_others(const std::vector<int>& chain) const;
  [[nodiscard]] bool outlives_any(const std::vector<int>& chain, size_t from) const;
  [[nodiscard]] bool is_apart_in_team(const std::vector<int>& a, const llvm::Instruction& in_a,
                                      const std::vector<int>& b, const llvm::Instruction& in_b, size_t at) const;
  [[nodiscard]] bool siblings_parallel(const std::vector<int>& a, const std::vector<int>& b, size_t at) const;

  const PointsTo& points_to_;
  std::vector<Thread> threads_;
  std::vector<std::vector<int>> chains_;  // by thread
  std::vector<Region> joined_;            // of each thread's creation
  std::vector<Region> unjoined_;          // the same as if nobody joined
  std::vector<Region> deep_;              // of tasks: up to where those that they create have ended, too
  mutable std::map<int, llvm::DenseSet<const llvm::Function*>> creators_;
  std::vector<std::unique_ptr<TeamPhases>> phases_;
  std::map<const llvm::Function*, std::vector<const llvm::CallBase*>> callers_;
  // What a function calls, each with the first call of it.
  std::map<const llvm::Function*, std::vector<std::pair<const llvm::Function*, const llvm::CallBase*>>> calls_;
  llvm::DenseSet<const llvm::Function*> joining_;                                  // that join threads
  std::map<const llvm::Function*, std::vector<const llvm::CallBase*>> creations_;  // calls that create, by function
  std::vector<const llvm::Function*> handlers_;  // of signals: every thread may execute them
  mutable std::map<const llvm::Function*, std::unique_ptr<llvm::LoopInfo>> loops_;
  mutable std::map<const llvm::Function*, int> once_;  // 0: being asked
};

}  // namespace norn::statics
