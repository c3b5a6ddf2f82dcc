// Single variables whose accesses are locked one by one, though they may be meant to be one step: what may become an
// atomicity violation.
//
// A thread accesses a variable in two regions of the same lock, another thread accesses it in a region of that lock.
// If that one comes between the two, no order of whole regions would have done the same (Lu, Tucek, Qin, Zhou: AVIO,
// ASPLOS 2006): read-write-read, write-write-read, read-write-write, write-read-write. Not if
// - the first thread held another lock all along that the second one takes, too; or
// - forks, joins or signals order the second thread's access with one of the two; or
// - the two stand at the same place: then a loop comes round, which promises nothing between its rounds.
// A candidate is three statements. Whether they were meant to be one step nobody can see: `norn confirm` brings the
// other thread's region between the two, and only what goes wrong then is a finding.
//
// It wants every access, whatever is known of it already, and it has one lock for all: cheap only where one thread runs
// at a time, under control or under Valgrind.
#pragma once

#include <atomic>

#include "core/event.h"
#include "core/order/thread.h"
#include "core/storage/arena.h"

namespace norn {
class Detector;
}

namespace norn::hazards {

struct LockedStatement {
  ThreadId thread;
  StackId where;
  bool writes;
};

// Two statements of one thread and one of another, all with the same lock, which is given up between the two.
struct BrokenRegion {
  Address address;
  LockedStatement first;
  LockedStatement between;
  LockedStatement second;
  StackId taken_again;    // the lock, by the first thread
  StackId taken_between;  // by the other
};

class Atomicity {
 public:
  using Report = void (*)(const BrokenRegion& broken);
  // Whether only this thread has the address: on its own stack.
  using IsPrivate = bool (*)(const Thread& thread, Address address);

  constexpr Atomicity() = default;
  Atomicity(const Atomicity&) = delete;
  Atomicity& operator=(const Atomicity&) = delete;

  // Before anything else.
  void init(Detector& detector, Arena& arena, Report report, IsPrivate is_private) {
    detector_ = &detector;
    arena_ = &arena;
    report_ = report;
    is_private_ = is_private;
  }
  // Before there is a second thread. While it watches it wants every access.
  void watch(bool on) { watching_ = on && report_ != nullptr; }
  [[nodiscard]] bool is_watching() const { return watching_; }

  void on_event(Thread& thread, const Event& event);

 private:
  static constexpr unsigned kMaxLocks = 4;   // held at an access; more: the inner ones are not looked at
  static constexpr unsigned kMaxAlike = 32;  // pairs, and accesses, that are kept of one variable
  static constexpr unsigned kMaxVariables = 1u << 15;
  static constexpr unsigned kBuckets = 1u << 14;
  static constexpr unsigned kWordBits = 3;

  struct Region;
  struct LockedAccess;
  struct Node;
  struct Pair;
  struct Variable;

  void released(Thread& thread, Address lock);
  void accessed(Thread& thread, const Event& event);
  Variable* find_variable(Address word);
  void note(Variable& variable, const Thread& thread, const LockedAccess& access);
  void add_other(Variable& variable, const LockedAccess& access);
  void add_pair(Variable& variable, const Thread& thread, const LockedAccess& first, const LockedAccess& second,
                LockId lock);
  void look_at(const Pair& pair, const LockedAccess& between) const;

  Detector* detector_ = nullptr;
  Arena* arena_ = nullptr;
  Report report_ = nullptr;
  IsPrivate is_private_ = nullptr;
  bool watching_ = false;
  SpinMutex mutex_;
  Variable* buckets_[kBuckets] = {};  // under mutex_
  unsigned variable_count_ = 0;
};

}  // namespace norn::hazards
