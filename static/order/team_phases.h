// What barriers say of the threads of a team of OpenMP.
//
// A phase is what a thread may execute from one barrier to the next, or from the beginning to the first. All threads of
// a team come to the same barriers in the same order (OpenMP, 5.2, barrier construct), so two of them can do two things
// at the same time only if one phase has both. Explicit tasks have ended at the next barrier, teams within a team
// before it goes on. What `single` does, one thread of the team does in each phase that has it once; what `master` and
// `masked` do, one thread does all the time.
#pragma once

#include <vector>

#include "static/order/thread_tree.h"

namespace norn::statics {

[[nodiscard]] bool is_barrier(const llvm::Instruction& instruction);
// Whether going from one block to the other is: a reduction is over for those who did not do the last part of it.
[[nodiscard]] bool is_barrier_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

class TeamPhases final {
 public:
  TeamPhases(const Threads& threads, int team);

  // Whether two threads of one team may do these at the same time.
  [[nodiscard]] bool parallel(const llvm::Instruction& a, const llvm::Instruction& b) const;
  // Whether a thread may do it twice in one phase.
  [[nodiscard]] bool repeats(const llvm::Instruction& instruction) const;

 private:
  void find_phases();
  void find_alone();

  const Threads& threads_;
  const int team_;
  std::vector<Region> phases_;
  std::vector<Region> alone_;  // what one thread of the team does
};

}  // namespace norn::statics
