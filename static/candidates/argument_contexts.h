// What arguments point to when one thread, or one chain of calls, gives them. Points-to sets know no callers: what one
// thread gives a function is there for all. Here the sets of arguments are made again for each thread, of what its own
// calls give, and for a chain of calls of what that chain gives. Whatever else a set is made of stays as it is.
#pragma once

#include <map>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/SparseBitVector.h"
#include "static/order/thread_tree.h"
#include "static/points_to/points_to.h"

namespace norn::statics {

using ObjectSet = llvm::SparseBitVector<>;

// What an address is made of, within its function: arguments, and others, of which points-to says all.
struct AddressSources {
  llvm::SmallVector<const llvm::Argument*, 2> arguments{};
  llvm::SmallVector<const llvm::Value*, 2> others{};
};
[[nodiscard]] AddressSources sources_of(const llvm::Value* address);

class ArgumentContexts final {
 public:
  ArgumentContexts(const PointsTo& points_to, const Threads& threads);

  // The objects that an address may be in when a thread executes its function.
  [[nodiscard]] ObjectSet objects(int thread, const AddressSources& sources) const;
  // Whether that is all that points-to says.
  [[nodiscard]] bool is_whole(int thread, const AddressSources& sources) const;
  // The same of what is no argument.
  [[nodiscard]] ObjectSet objects(const llvm::SmallVectorImpl<const llvm::Value*>& others) const;

 private:
  struct Given {
    bool any = false;  // nobody knows who gives it
    ObjectSet objects{};
  };
  void find(int thread);
  void give_root(int thread);
  [[nodiscard]] bool give(int thread, const llvm::CallBase& call, const llvm::Function& callee);

  // What may be one of so many is not told apart by who gives it.
  static constexpr size_t kMostObjects = 256;
  [[nodiscard]] const ObjectSet& set_of(const llvm::Value* pointer) const;

  const PointsTo& points_to_;
  const Threads& threads_;
  mutable std::map<const std::vector<ObjectId>*, ObjectSet> sets_;
  std::vector<llvm::DenseMap<const llvm::Argument*, Given>> given_;  // by thread
};

}  // namespace norn::statics
