// From points-to sets, threads and locks to candidates: pairs of sites that may access one location at the same time,
// at least one of them writing, not both atomic, under no common lock.
#pragma once

#include <string>
#include <vector>

#include "static/locks.h"
#include "static/points_to.h"
#include "static/program.h"
#include "static/threads.h"

namespace norn::statics {

// What an instruction does to memory.
struct AccessKind {
  bool write = false;
  bool atomic = false;
  bool spins = false;  // a loop waits for it
  bool frees = false;
};

struct CandidateSide {
  unsigned site = 0;
  const llvm::Instruction* instruction = nullptr;
  AccessKind kind;
  uint64_t size = 0;
  int thread = 0;
  std::vector<Locks::Guard> guards{};  // of what is held, what has to do with the location
  Lockset held{};
};

struct StaticCandidate {
  CandidateSide sides[2];
  ObjectId object = 0;
  int64_t offset = 0;
  bool is_flag = false;  // one side is a loop that waits for the other
  int rank = 0;          // lower is likelier to be a race that matters
};

struct Shared {
  size_t accesses = 0;  // sites that may access what several threads can reach
  size_t objects = 0;
};

class Candidates final {
 public:
  Candidates(const Program& program, const PointsTo& points_to, const Threads& threads, const Locks& locks);
  ~Candidates();
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;

  [[nodiscard]] const std::vector<StaticCandidate>& all() const { return all_; }  // the likeliest first
  [[nodiscard]] const Shared& shared() const { return shared_; }
  [[nodiscard]] bool is_shared(ObjectId object) const { return shared_objects_[object]; }

 private:
  struct Access;
  void find_shared();
  void collect();
  void add_access(int thread, const llvm::Instruction& instruction, unsigned site, const llvm::Value* address,
                  uint64_t size, AccessKind kind);
  void pair_up();
  void pair_up(ObjectId object, const std::vector<Access>& accesses);

  const Program& program_;
  const PointsTo& points_to_;
  const Threads& threads_;
  const Locks& locks_;
  std::vector<bool> shared_objects_;
  std::vector<std::vector<Access>> by_object_;
  std::vector<StaticCandidate> all_;
  Shared shared_;
};

}  // namespace norn::statics
