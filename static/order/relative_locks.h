// Which locks are surely held where: relative locksets, after Relay (Voung, Jhala, Lerner, RELAY: Static Race Detection
// on Millions of Lines of Code, FSE 2007). Each function has a summary of what it leaves locked and what of its
// caller's it may unlock; what is held when a function is entered is what all its callers hold, as far as the thread
// calls it while others may be alive. Deviations: summaries are of locks alone, accesses are not carried up; what is
// held at the entry is passed down, for each thread by itself.
//
// A lock has names. A place is a root (a variable, an argument, a value, an element of an array by its index) and
// offsets, with a load between two: `this->list->mutex` is (this, 8, 0). A lock that is one object for sure has that as
// a name, too. Names are translated where a call gives arguments, so `&this->mutex` of the caller is the callee's
// `lock`, and the other way round.
//
// Two accesses of one location are protected by one lock if both hold (not both shared)
//   - one object;
//   - or the same offset from the address accessed: this->mutex for this->field, whichever object `this` is;
//   - or the same offset from where the pointer to what is accessed is kept: this->mutex for this->items[i].
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/APInt.h"
#include "llvm/IR/Module.h"
#include "static/order/thread_tree.h"
#include "static/points_to/points_to.h"

namespace norn::statics {

struct HeldLock {
  unsigned name;  // of a place, or of an object
  bool shared;
  const llvm::Instruction* taken;
  friend bool operator==(const HeldLock& a, const HeldLock& b) { return a.name == b.name && a.shared == b.shared; }
};
using Lockset = std::vector<HeldLock>;  // in the order of names

// A load, or a call, that somebody waits by (wait_signals.h): who goes on because the load gave a value that is none of
// the first ones, or because the call returned, waited for the cell. It is held like a lock, and never given back.
struct WaitFor {
  unsigned cell = 0;
  bool is_call = false;
  std::vector<llvm::APInt> first{};
};
using Waits = std::map<const llvm::Instruction*, WaitFor>;

class Locks final {
 public:
  Locks(llvm::Module& module, const PointsTo& points_to, const Threads& threads, const Waits& waits);
  ~Locks();
  Locks(const Locks&) = delete;
  Locks& operator=(const Locks&) = delete;

  // What a thread surely holds whenever it executes the instruction while others may be alive. Instructions of one
  // block are best asked for one after the other.
  [[nodiscard]] Lockset held(int thread, const llvm::Instruction& instruction) const;

  // What a thread surely holds at a call, and what it calls does not give back.
  [[nodiscard]] const Lockset& held_around(int thread, const llvm::CallBase& call) const;

  // Whether a name is that of one lock for sure.
  [[nodiscard]] bool is_object(unsigned name) const;
  // The cells that were waited for.
  [[nodiscard]] std::set<unsigned> waited(const Lockset& held) const;

  // What protects an access to `address`: keys that are equal for two accesses of one location if the lock is.
  struct Guard {
    enum class Kind : uint8_t { kObject, kBeside, kAbove } kind;
    int64_t a;
    int64_t b;
    bool shared;
    const llvm::Instruction* taken;
  };
  [[nodiscard]] std::vector<Guard> guards(const Lockset& held, const llvm::Value* address) const;
  // The same of another function's locks: those that are one object.
  [[nodiscard]] std::vector<Guard> guards(const Lockset& held) const;
  [[nodiscard]] static bool protect(const std::vector<Guard>& a, const std::vector<Guard>& b);

 private:
  class Analysis;
  std::unique_ptr<Analysis> analysis_;
};

}  // namespace norn::statics
