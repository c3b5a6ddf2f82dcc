// What std::shared_ptr orders: whoever destroys an object that is counted comes after all that others did to it before
// they gave their reference back, because the count is atomic. Library code is known by the functions that it is of.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "static/order/thread_tree.h"
#include "static/points_to/points_to.h"

namespace norn::statics {

struct SharedPointerCode {
  bool counts = false;    // of pointers and their counts
  bool destroys = false;  // gives a reference back, and what it was the last of
  bool atomic = false;    // of an atomic shared pointer
  bool locked = false;    // of an atomic shared pointer, under the lock that this is
  friend auto operator<=>(const SharedPointerCode&, const SharedPointerCode&) = default;
};

class SharedCounts final {
 public:
  SharedCounts(const PointsTo& points_to, const Threads& threads) : points_to_(points_to), threads_(threads) {}

  // Of an instruction that is executed by these calls.
  [[nodiscard]] static SharedPointerCode code_of(const llvm::Instruction& instruction,
                                                 const std::vector<const llvm::CallBase*>& calls);
  // Whether the object has a count of the library in front of it.
  [[nodiscard]] bool is_counted(ObjectId object);
  // Whether the thread, whenever it executes the instruction, later gives back a reference to the object.
  [[nodiscard]] bool gives_back(int thread, const llvm::Instruction& instruction, ObjectId object);

 private:
  const PointsTo& points_to_;
  const Threads& threads_;
  std::map<ObjectId, bool> counted_;
  std::map<const std::vector<ObjectId>*, bool> has_table_;  // of a count, by what is pointed to
  std::map<std::tuple<int, const llvm::Instruction*, ObjectId>, bool> given_back_;
};

}  // namespace norn::statics
