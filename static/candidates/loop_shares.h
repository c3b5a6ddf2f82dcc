// Which part of an array an iteration of a shared loop (OpenMP's worksharing loops) has for itself.
//
//     #pragma omp for
//     for (i = 0; i < n; i++) a[i] = b[i];
//
// Each iteration is one thread's, and so is what stands at its number: a[omp_get_thread_num()]. So two accesses at base
// + stride * i + [low, high) of one loop are of different bytes for different threads if both fit into one stride.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "static/order/team_phases.h"
#include "static/order/thread_tree.h"

namespace norn::statics {

struct LoopShare {
  // The call that gives a thread its share; where a thread begins, if it is its number that counts.
  const llvm::Instruction* loop = nullptr;
  std::string base{};  // where the array is, the same for all threads
  int64_t stride = 0;
  int64_t low = 0;
  int64_t high = 0;
  [[nodiscard]] bool is_apart(const LoopShare& other) const;
  [[nodiscard]] std::string text() const;
};

// Words for an address that is the same for all threads of a team: of a variable, or of what the team was given, or
// loaded from there. Empty if it may not be.
[[nodiscard]] std::string shared_place(const llvm::Value* address, const llvm::Function& root);

// The std::vector that owns what an address is in, if that was asked for its buffer here: two have none in common.
struct VectorOwner {
  std::string place{};  // of the block that the vector is in
  int64_t offset = 0;
  [[nodiscard]] bool is_apart(const VectorOwner& other) const;
  friend auto operator<=>(const VectorOwner&, const VectorOwner&) = default;
};
[[nodiscard]] VectorOwner vector_owner(const llvm::Value* buffer, const llvm::Function& root);

class LoopShares final {
 public:
  explicit LoopShares(const Threads& threads) : threads_(threads) {}

  // Of an access by a thread that is a team's.
  [[nodiscard]] std::optional<LoopShare> of(int thread, const llvm::Instruction& instruction,
                                            const llvm::Value* address, uint64_t size);

 private:
  [[nodiscard]] bool is_once_in_phase(int thread, const llvm::Instruction& loop);

  const Threads& threads_;
  std::map<std::pair<int, const llvm::Instruction*>, bool> once_;
};

}  // namespace norn::statics
