// Validates candidates inside the program (RaceMob, thesis §3.3): context inference (context.h), on-demand detection
// and schedule steering, as the agent's tasks ask for it (wire.h). docs/design/production.md has the whole.
//
// All of it is under one lock, which is taken only while there are tasks, and for an instant. One access is watched at
// a time, of one task: of several the one that is reached first. `attention` is what interceptors look at: the byte
// that the agent sets, and while synchronization is followed one that is always set. Most interceptors are not even
// reached but in a window, while slots are armed (slots.h): windows are short, and far between where they find nothing.
#pragma once

#include <stdint.h>

#include <atomic>

#include "base/spin_mutex.h"
#include "runtime/probe/agent_link.h"
#include "runtime/probe/context.h"
#include "runtime/probe/known_threads.h"
#include "runtime/probe/ordered_objects.h"
#include "runtime/probe/stacks.h"

struct norn_probe;  // norn/abi.h
struct norn_probe_module;

namespace norn::probe {

extern std::atomic<const Doorbell*> attention;
// What every interceptor asks; most get no further.
[[nodiscard]] inline bool is_alert() {
  const Doorbell* byte = attention.load(std::memory_order_relaxed);
  bool is_set = false;
  // The compiler would make three instructions of it. Loads of x86-64 acquire.
  asm volatile("cmpb $0, %1" : "=@ccne"(is_set) : "m"(*byte) : "memory");
  return is_set;
}

// Numbers the times that slots were armed; 0: they are not.
extern std::atomic<uint32_t> arming;
// How many armed calls are left in this window.
extern std::atomic<int32_t> calls_left;
// How many threads were seen since. Only to save work: an estimate.
extern std::atomic<uint32_t> threads_seen;
extern __thread constinit KnownThread* current_thread;

// The thread, which is the calling one, is in no call that is not seen.
inline void note_awake(KnownThread& thread) {
  const uint32_t now = arming.load(std::memory_order_acquire);
  if (thread.awake.load(std::memory_order_relaxed) == now) return;
  thread.awake.store(now, std::memory_order_release);
  if (now != 0) threads_seen.fetch_add(1, std::memory_order_relaxed);
}

struct Access {
  Range range;
  const norn_probe* probe;
  const void* from;  // where the probe's call returns to
};

class Validation final {
 public:
  // `environment`: where to find an agent.
  void start(char* const* environment);
  void add_module(const norn_probe_module* module, int flags);
  void remove_module(const norn_probe_module* module);

  // --- the calling thread
  // Before an access at an active probe. May hold the thread for τ.
  void access(const Access& access);
  // Reads what the agent sent, if anything is there.
  void attend();
  // The window had as many calls as it may have.
  void tire();
  // The calling thread is about to wait until the other has ended.
  void begin_join(uintptr_t handle);
  [[nodiscard]] bool is_following() const { return watch_.load(std::memory_order_acquire) != 0; }
  void release(uintptr_t object, Passes passes = Passes::kToAll);
  // `writes`: whoever takes it so comes after readers, too.
  void acquire(uintptr_t object, bool writes = true);
  void atomic_release(uintptr_t object, int order);
  void atomic_acquire(uintptr_t object, int order);
  void fence(int order);
  // It saw something that anybody may have done before.
  void come_after_all();
  // Something happened that nobody can follow: what is watched is given up, and nothing is said of it.
  void give_up();
  // Between the two the thread's accesses do not count. They nest.
  static void begin_ignoring();
  static void end_ignoring();
  // Races on these bytes are known and accepted.
  void accept_races(const Range& range);
  // Bytes that come to another life.
  void renew(uintptr_t begin, size_t size);

  // --- threads
  // Of a thread that the calling one is about to create; null: there are too many.
  [[nodiscard]] KnownThread* announce(bool detached);
  void take_back(KnownThread& thread);
  void begin_thread(KnownThread& thread);
  void end_thread(KnownThread& thread);
  // The calling thread comes after the one that ended.
  void joined(uintptr_t handle);
  void detach(uintptr_t handle);

  // --- the end
  void finish(wire::End end);
  void crash(int signal, uintptr_t at);
  void hang();
  void answer(bool misbehaved);
  // In the child of a fork.
  void begin_again();

 private:
  enum class Phase : uint8_t { kFree, kOpen, kFinal };
  struct Side {
    Range range;
    KnownThread* thread = nullptr;
    uint32_t number = 0;  // of the thread
    uint8_t side = 0;
    uint8_t flags = 0;
    Addresses stack;
  };
  struct Task {
    Phase phase = Phase::kFree;
    wire::Task said;
    Context context;
    uint64_t reached[2] = {};
    uint64_t held = 0;
    uint32_t left[2] = {};   // accesses until its probes sleep, by site
    uint32_t instances = 0;  // accesses of either site that might have been watched
    uint32_t next = 1;       // the instance to watch
    uint32_t watched = 0;
    bool steered = false;  // the attempt of this round was made
    bool had_no_race = false;
    // Inference succeeded, and nothing else is asked: its probes sleep.
    [[nodiscard]] bool knows_all() const {
      return (said.stages & (wire::kDetect | wire::kSteer)) == 0 && (context.facts() & wire::kShared) != 0;
    }
    [[nodiscard]] bool has_one_site() const { return said.sites[0] == said.sites[1]; }
    [[nodiscard]] bool is_followed() const { return (said.stages & (wire::kDetect | wire::kSteer)) != 0; }
  };
  static constexpr size_t kTasks = 16;
  static constexpr size_t kModules = 64;
  static constexpr size_t kAccepted = 64;  // ranges; more are not accepted
  class Inside;

  // All of these inside.
  KnownThread* self();
  void take(const wire::Task& said);
  void drop(uint64_t id);
  void read_messages();
  void set_active(uint64_t site);
  [[nodiscard]] bool has_probe(uint64_t site) const;
  [[nodiscard]] bool wants(uint64_t site) const;
  [[nodiscard]] Task* find(uint64_t id);
  bool reach(Task& task, unsigned side, const Access& access);
  void watch(Task& task, const Side& by);
  void stop_watching();
  void taint(KnownThread& thread);
  void check_all_after();
  void decide_race(Task& task, const Side& first, const Side& second);
  void finish_round(Task& task, wire::Result& result);
  [[nodiscard]] wire::Result result_of(const Task& task, wire::ResultKind kind) const;
  [[nodiscard]] bool meets(const Task& task, const Side& a, const Side& b) const;
  [[nodiscard]] bool is_wrong_order(const Task& task, unsigned side) const;
  void hold(Task& task, const Side& by);
  void look_at_tasks();
  static void wake();
  void arm();
  void open_window(int32_t calls);
  void close_window();
  void begin_windows();
  void refill(uint32_t entries);
  void look_again();
  [[nodiscard]] bool is_time() const;

  SpinMutex mutex_;
  AgentLink agent_;
  char* const* environment_ = nullptr;
  const norn_probe_module* modules_[kModules] = {};
  Range accepted_[kAccepted];
  size_t accepted_count_ = 0;
  bool unfollowed_ = false;  // OpenMP orders threads as nobody can see
  bool ended_ = false;
  Task tasks_[kTasks];
  Task* current_ = nullptr;            // the one that is validated
  std::atomic<WatchNumber> watch_{0};  // 0: nothing is watched
  WatchNumber watches_ = 0;
  Side watched_;                       // while something is
  std::atomic<bool> is_often_{false};  // its site was reached often
  std::atomic<bool> lost_{false};      // a signal's handler did something that could not be followed
  bool has_unsure_ = false;  // threads of which something may have been missed count as such that come after it
  uint64_t followed_ = 0;
  uint32_t armings_ = 0;
  uint64_t pause_ = 0;  // microseconds between windows
  uint64_t next_ = 0;   // when the next one may begin
  // Who is held, of current_.
  Side holder_;
  std::atomic<uint32_t> held_{0};  // 1: somebody is; 2: and met the other. A futex.
  Task* steered_ = nullptr;        // the last whose threads were held
};

extern Validation validation;

}  // namespace norn::probe
