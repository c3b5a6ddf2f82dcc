#include "runtime/probe/validation.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "norn/abi.h"
#include "runtime/probe/misbehaviour.h"
#include "runtime/probe/slots.h"
#include "runtime/process/syscalls.h"

extern "C" {
__attribute__((visibility("default"))) constinit uint8_t __norn_following = 0;
}

namespace norn::probe {

namespace sys = rt::sys;

namespace {

// Apart from the rest, because they are large and all zero: the program's file has nothing of them.
constinit KnownThreads threads;
constinit OrderedObjects objects;

constinit Doorbell silent{0};
constinit Doorbell always{1};

__thread constinit bool is_inside = false;  // the thread holds the lock, or is about to
__thread constinit bool has_ended = false;
__thread constinit uint32_t ignoring = 0;
__thread constinit uint32_t skipped = 0;

// Who was held goes on after the other, who stands before the access.
constexpr long kGrace = 50'000;  // nanoseconds

// What a window and a site may cost, of the first window after a task came and of later ones. An armed call costs some
// ten instructions, and ten times that while something is watched; an access at an active probe hundreds. So the first
// window costs some ten million instructions, and a later one, ten of which there are in a second at most, three.
struct Share {
  int32_t calls;
  uint32_t accesses;  // of each site
  uint32_t entries;   // into code that stands twice, with its probes: these cost a little even if they sleep
};
constexpr Share kFirst{262'144, 4'096, 65'536};
constexpr Share kLater{65'536, 1'024, 16'384};
// Once a site is known to be reached often, one of so many accesses is looked at that a thread makes while one is
// watched that it comes after anyway, or while it is the only thread that was seen in this window.
constexpr uint32_t kOften = 64;
constexpr uint32_t kSkipped = 16;
constexpr uint64_t kShortestPause = 100'000, kLongestPause = 1'600'000;  // microseconds

uint64_t microseconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_nsec) / 1'000;
}

bool releases(int order) { return order == NORN_RELEASE || order == NORN_ACQ_REL || order == NORN_SEQ_CST; }
bool acquires(int order) { return order == NORN_ACQUIRE || order == NORN_ACQ_REL || order == NORN_SEQ_CST; }

void set_following(bool on) { __atomic_store_n(&__norn_following, on ? 1 : 0, __ATOMIC_SEQ_CST); }

}  // namespace

constinit std::atomic<const Doorbell*> attention{&silent};
constinit std::atomic<uint32_t> arming{0};
constinit std::atomic<int32_t> calls_left{0};
constinit std::atomic<uint32_t> threads_seen{0};
__thread constinit KnownThread* current_thread = nullptr;
constinit Validation validation;

// Keeps errno, and a signal's handler out.
class Validation::Inside final {
 public:
  explicit Inside(Validation& of) : validation_(of), errno_(errno) {
    if (is_inside || has_ended) {
      if (is_inside) validation_.lost_.store(true, std::memory_order_relaxed);
      return;
    }
    is_inside = true;
    entered_ = true;
    validation_.mutex_.lock();
  }
  ~Inside() {
    if (!entered_) return;
    validation_.mutex_.unlock();
    is_inside = false;
    errno = errno_;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  explicit operator bool() const { return entered_; }

 private:
  Validation& validation_;
  int errno_;
  bool entered_ = false;
};

// ---- Beginning ----------------------------------------------------------------------------------------------------

void Validation::start(char* const* environment) {
  core_yield = &sys::yield;
  environment_ = environment;
  uint32_t probes = 0;
  unsigned patience = 0;
  {
    const Inside inside(*this);
    if (!inside) return;
    (void)self();
    for (const norn_probe_module* module : modules_) {
      if (module == nullptr) continue;
      for (const norn_probe* probe = module->begin; probe != module->end; ++probe)
        probes += (probe->flags & NORN_PROBE_LOOP) == 0 ? 1 : 0;
    }
    if (!agent_.connect(environment, probes)) return;
    attention.store(agent_.doorbell(), std::memory_order_release);
    if (!agent_.shares_slots()) arm();
    if (const char* said = variable_of(environment, "NORN_HIVE_WAIT"); said != nullptr)
      patience = static_cast<unsigned>(strtoul(said, nullptr, 10));
  }
  if (patience == 0) return;
  agent_.await(patience);
  const Inside inside(*this);
  if (!inside) return;
  read_messages();
  wake();
}

void Validation::begin_again() {
  // Another thread of the parent may have had the lock.
  mutex_.unlock();
  is_inside = false;
  own_page();
  set_armed(false);
  arming.store(0, std::memory_order_relaxed);
  const bool had_agent = agent_.is_open();
  set_following(false);
  watch_.store(0, std::memory_order_relaxed);
  attention.store(&silent, std::memory_order_relaxed);
  held_.store(0, std::memory_order_relaxed);
  current_ = steered_ = nullptr;
  for (Task& task : tasks_) task.phase = Phase::kFree;
  look_at_tasks();
  threads.keep_only(current_thread);
  agent_.forget();
  ended_ = false;
  if (had_agent) start(environment_);
}

void Validation::add_module(const norn_probe_module* module, int flags) {
  const Inside inside(*this);
  if (!inside) return;
  unfollowed_ |= (flags & NORN_PROBES_OPENMP) != 0;
  for (const norn_probe_module*& known : modules_) {
    if (known == module) return;
    if (known != nullptr) continue;
    known = module;
    break;
  }
  refill(kLater.entries);
  look_at_tasks();
}

void Validation::remove_module(const norn_probe_module* module) {
  const Inside inside(*this);
  if (!inside) return;
  for (const norn_probe_module*& known : modules_) {
    if (known == module) known = nullptr;
  }
}

// ---- Tasks --------------------------------------------------------------------------------------------------------

bool Validation::has_probe(uint64_t site) const {
  for (const norn_probe_module* module : modules_) {
    if (module == nullptr) continue;
    for (const norn_probe* probe = module->begin; probe != module->end; ++probe) {
      if (probe->site == site && (probe->flags & NORN_PROBE_LOOP) == 0) return true;
    }
  }
  return false;
}

bool Validation::wants(uint64_t site) const {
  for (const Task& task : tasks_) {
    if (task.phase != Phase::kOpen || task.knows_all()) continue;
    for (unsigned side = 0; side < 2; ++side) {
      if (task.said.sites[side] == site && task.left[side] != 0) return true;
    }
  }
  return false;
}

// Probes are active where an open task has its sites, and slots are armed where one is to be followed.
void Validation::look_at_tasks() {
  bool any = false, any_followed = false;
  for (const Task& task : tasks_) {
    any |= task.phase == Phase::kOpen;
    any_followed |= task.phase == Phase::kOpen && task.is_followed();
  }
  if (!any_followed) close_window();
  for (const norn_probe_module* module : modules_) {
    if (module == nullptr) continue;
    // A loop's entry stands before those in the loop.
    const auto set = [](norn_probe& probe, bool active) {
      if ((probe.active != 0) != active) __atomic_store_n(&probe.active, active ? 1 : 0, __ATOMIC_RELAXED);
    };
    for (norn_probe* probe = module->begin; probe != module->end; ++probe) {
      const bool active = any && (probe->flags & NORN_PROBE_LOOP) == 0 && wants(probe->site);
      set(*probe, active);
      if (!active || probe->loop == 0) continue;
      norn_probe& loop = *(probe - probe->loop);
      if (__atomic_load_n(&loop.size, __ATOMIC_RELAXED) != 0) set(loop, true);
    }
  }
}

// ---- Windows ------------------------------------------------------------------------------------------------------

bool Validation::is_time() const { return microseconds() >= next_; }

void Validation::arm() {
  set_armed(true);
  threads_seen.store(0, std::memory_order_relaxed);
  arming.store(++armings_, std::memory_order_seq_cst);
}

void Validation::open_window(int32_t calls) {
  calls_left.store(calls, std::memory_order_relaxed);
  if (arming.load(std::memory_order_relaxed) == 0) arm();
}

// What is watched is given up: another instance may be followed in another window.
void Validation::close_window() {
  if (current_ != nullptr && watch_.load(std::memory_order_relaxed) != 0) {
    current_->next = current_->instances + 1;
    stop_watching();
  }
  // An agent that rang a moment ago may arm slots after this: then it is closed again by so many calls.
  calls_left.store(kLater.calls, std::memory_order_relaxed);
  if (agent_.is_open() && !agent_.shares_slots()) return;
  arming.store(0, std::memory_order_seq_cst);
  set_armed(false);
}

// How often code that stands twice may be entered with its probes.
void Validation::refill(uint32_t entries) {
  for (const norn_probe_module* module : modules_) {
    if (module == nullptr) continue;
    for (norn_probe* probe = module->begin; probe != module->end; ++probe) {
      if ((probe->flags & NORN_PROBE_LOOP) != 0) __atomic_store_n(&probe->size, entries, __ATOMIC_RELAXED);
    }
  }
}

void Validation::begin_windows() {
  refill(kFirst.entries);
  pause_ = kShortestPause;
  next_ = microseconds() + pause_;
}

// After a pause: a few more accesses of sites that had all theirs, and a few more calls.
void Validation::look_again() {
  next_ = microseconds() + pause_;
  pause_ = pause_ * 2 < kLongestPause ? pause_ * 2 : kLongestPause;
  refill(kLater.entries);
  bool any_followed = false;
  for (Task& task : tasks_) {
    if (task.phase != Phase::kOpen) continue;
    any_followed |= task.is_followed();
    for (uint32_t& left : task.left) left = left < kLater.accesses ? kLater.accesses : left;
  }
  if (any_followed) open_window(kLater.calls);
}

void Validation::tire() {
  const Inside inside(*this);
  if (!inside || calls_left.load(std::memory_order_relaxed) >= 0) return;
  // Who is held waits for another thread to come to a probe, which needs no calls.
  close_window();
}

Validation::Task* Validation::find(uint64_t id) {
  for (Task& task : tasks_) {
    if (task.phase != Phase::kFree && task.said.task == id) return &task;
  }
  return nullptr;
}

void Validation::take(const wire::Task& said) {
  Task* task = find(said.task);
  if (task != nullptr && task->said.round == said.round) return;  // it is known
  if (task == nullptr) {
    for (Task& each : tasks_) {
      if (each.phase == Phase::kFree) task = &each;
    }
    for (Task& each : tasks_) {
      if (task == nullptr && each.phase == Phase::kFinal) task = &each;
    }
    if (task == nullptr) return;
    task->context.clear();
    task->reached[0] = task->reached[1] = task->held = 0;
    task->watched = 0;
  }
  if (current_ == task) stop_watching();
  task->said = said;
  task->phase = Phase::kOpen;
  task->instances = 0;
  task->next = said.instance == 0 ? 1 : said.instance;
  task->steered = task->had_no_race = false;
  task->left[0] = task->left[1] = kFirst.accesses;
  begin_windows();
  if (task->is_followed()) open_window(kFirst.calls);
  if (!has_probe(said.sites[0]) || !has_probe(said.sites[1])) {
    wire::Result result = result_of(*task, wire::ResultKind::kNotProbed);
    finish_round(*task, result);
  }
  look_at_tasks();
}

void Validation::drop(uint64_t id) {
  Task* task = find(id);
  if (task == nullptr) return;
  if (task->phase == Phase::kOpen) {
    wire::Result result = result_of(*task, task->had_no_race ? wire::ResultKind::kNoRace : wire::ResultKind::kNotSeen);
    finish_round(*task, result);
  }
  task->phase = Phase::kFree;
}

void Validation::read_messages() {
  wire::Message message;
  // Cleared first: what comes later sets it again.
  if (agent_.doorbell() != nullptr) agent_.doorbell()->store(0, std::memory_order_seq_cst);
  while (agent_.receive(message)) {
    if (message.type == wire::Type::kTask) take(message.task);
    if (message.type == wire::Type::kDrop) drop(message.drop.task);
  }
  if (agent_.is_open()) {
    bool any = false;
    for (const Task& task : tasks_) any |= task.phase == Phase::kOpen;
    if (any && is_time()) look_again();
    // The agent armed slots when it rang.
    if (arming.load(std::memory_order_relaxed) == 0) set_armed(false);
    look_at_tasks();
    return;
  }
  // Without an agent there is nobody to validate for.
  for (Task& task : tasks_) task.phase = Phase::kFree;
  if (current_ != nullptr) stop_watching();
  attention.store(&silent, std::memory_order_release);
  look_at_tasks();
}

void Validation::attend() {
  const Inside inside(*this);
  if (!inside || !agent_.is_open()) return;
  if (agent_.doorbell()->load(std::memory_order_relaxed) != 0) read_messages();
  wake();
}

void Validation::wake() {
  if (current_thread != nullptr) note_awake(*current_thread);
}

wire::Result Validation::result_of(const Task& task, wire::ResultKind kind) const {
  wire::Result result;
  result.task = task.said.task;
  result.round = task.said.round;
  result.kind = kind;
  result.facts = task.context.facts();
  result.stages = task.said.stages;
  result.tau = task.said.tau;
  result.reached[0] = task.reached[0];
  result.reached[1] = task.reached[1];
  result.held = task.held;
  result.synchronizations = followed_;
  result.watched = task.watched;
  return result;
}

void Validation::finish_round(Task& task, wire::Result& result) {
  agent_.send(result);
  task.phase = Phase::kFinal;
  if (current_ == &task) {
    stop_watching();
    current_ = nullptr;
  }
  look_at_tasks();
}

// ---- Threads ------------------------------------------------------------------------------------------------------

// Of the calling thread; one that nobody announced begins here. Null: there are too many.
KnownThread* Validation::self() {
  if (current_thread == nullptr) {
    current_thread = threads.add();
    if (current_thread != nullptr) current_thread->handle = pthread_self();
  }
  return current_thread;
}

KnownThread* Validation::announce(bool detached) {
  const Inside inside(*this);
  if (!inside) return nullptr;
  KnownThread* creator = self();
  wake();
  KnownThread* made = threads.add();
  if (made == nullptr) return nullptr;
  made->detached = detached;
  if (creator != nullptr) made->after.store(creator->after.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return made;
}

void Validation::take_back(KnownThread& thread) {
  const Inside inside(*this);
  if (!inside) return;
  threads.remove(thread);
  check_all_after();
}

void Validation::begin_thread(KnownThread& thread) {
  current_thread = &thread;
  const Inside inside(*this);
  if (!inside) return;
  thread.handle = pthread_self();
  note_awake(thread);
}

void Validation::end_thread(KnownThread& thread) {
  {
    const Inside inside(*this);
    if (!inside) return;
    threads.end(thread);
    check_all_after();
  }
  current_thread = nullptr;
  has_ended = true;
}

void Validation::joined(uintptr_t handle) {
  const Inside inside(*this);
  if (!inside) return;
  KnownThread* thread = threads.find_ended(handle);
  if (thread == nullptr) return;
  const WatchNumber watch = watch_.load(std::memory_order_relaxed);
  const bool after = watch != 0 && thread->after.load(std::memory_order_relaxed) == watch;
  threads.remove(*thread);
  if (KnownThread* own = self(); after && own != nullptr) taint(*own);
}

void Validation::begin_join(uintptr_t handle) {
  KnownThread* thread = current_thread;
  if (thread == nullptr) return;
  thread->joins.store(handle, std::memory_order_seq_cst);
  if (!is_following()) return;
  const Inside inside(*this);
  if (inside) check_all_after();
}

void Validation::detach(uintptr_t handle) {
  const Inside inside(*this);
  KnownThread* thread = inside ? threads.find(handle) : nullptr;
  if (thread == nullptr) return;
  thread->detached = true;
  if (thread->life == Life::kEnded) threads.remove(*thread);
}

// ---- What is ordered after the watched access ---------------------------------------------------------------------

void Validation::watch(Task& task, const Side& by) {
  if (arming.load(std::memory_order_relaxed) == 0) {
    if (!is_time()) return;
    look_again();
    look_at_tasks();
  }
  constexpr int32_t kWorth = 512;  // armed calls: a stack is taken
  calls_left.store(calls_left.load(std::memory_order_relaxed) - kWorth, std::memory_order_relaxed);
  watched_ = by;
  ++task.watched;
  if (task.said.instance == 0) task.next = task.instances * 2;
  current_ = &task;
  const WatchNumber number = ++watches_;
  lost_.store(false, std::memory_order_relaxed);
  objects.begin(number);
  by.thread->after.store(number, std::memory_order_relaxed);
  // Before the access: whoever learns of it sees that synchronization is followed.
  watch_.store(number, std::memory_order_seq_cst);
  attention.store(&always, std::memory_order_seq_cst);
  set_following(true);
  has_unsure_ = threads.pass_over(number, arming.load(std::memory_order_relaxed));
  if (has_unsure_) check_all_after();
}

void Validation::stop_watching() {
  if (watch_.load(std::memory_order_relaxed) == 0) return;
  set_following(false);
  attention.store(agent_.is_open() ? agent_.doorbell() : &silent, std::memory_order_seq_cst);
  watch_.store(0, std::memory_order_seq_cst);
}

void Validation::taint(KnownThread& thread) {
  thread.after.store(watch_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  check_all_after();
}

// NoRace: whatever any thread does from now on comes after the watched access.
void Validation::check_all_after() {
  const WatchNumber watch = watch_.load(std::memory_order_relaxed);
  if (watch == 0 || !threads.all_after(watch)) return;
  Task& task = *current_;
  stop_watching();
  if (has_unsure_) {
    // Some of them were only taken to come after it. Another instance may be watched when they are known.
    task.next = task.instances + 1;
    return;
  }
  task.had_no_race = true;
  if (task.said.instance == 0) return;
  wire::Result result = result_of(task, wire::ResultKind::kNoRace);
  finish_round(task, result);
}

void Validation::release(uintptr_t object, Passes passes) {
  const WatchNumber watch = watch_.load(std::memory_order_acquire);
  const KnownThread* thread = current_thread;
  // Who does not come after it passes nothing on.
  if (watch == 0 || thread == nullptr || thread->after.load(std::memory_order_relaxed) != watch) return;
  if (objects.contains(object, passes)) return;
  const Inside inside(*this);
  if (!inside || watch_.load(std::memory_order_relaxed) != watch) return;
  ++followed_;
  objects.add(object, passes);
}

void Validation::acquire(uintptr_t object, bool writes) {
  const WatchNumber watch = watch_.load(std::memory_order_acquire);
  if (watch == 0) return;
  if (current_thread != nullptr && current_thread->after.load(std::memory_order_relaxed) == watch) return;
  if (!objects.contains(object, Passes::kToAll) && !(writes && objects.contains(object, Passes::kToWriters))) return;
  const Inside inside(*this);
  if (!inside || watch_.load(std::memory_order_relaxed) != watch) return;
  ++followed_;
  if (KnownThread* thread = self(); thread != nullptr) taint(*thread);
}

void Validation::atomic_release(uintptr_t object, int order) {
  if (releases(order)) return release(object);
  const WatchNumber watch = watch_.load(std::memory_order_acquire);
  KnownThread* thread = current_thread;
  if (watch != 0 && thread != nullptr && thread->fence_after == watch) release(object);
}

void Validation::atomic_acquire(uintptr_t object, int order) {
  if (acquires(order)) return acquire(object);
  const WatchNumber watch = watch_.load(std::memory_order_acquire);
  if (watch == 0 || !objects.contains(object, Passes::kToAll)) return;
  const Inside inside(*this);
  if (!inside) return;
  if (KnownThread* thread = self(); thread != nullptr) thread->fence_pending = watch;
}

void Validation::fence(int order) {
  const WatchNumber watch = watch_.load(std::memory_order_acquire);
  const Inside inside(*this);
  KnownThread* thread = inside ? self() : nullptr;
  if (watch == 0 || thread == nullptr || watch_.load(std::memory_order_relaxed) != watch) return;
  ++followed_;
  if (acquires(order) && thread->fence_pending == watch) taint(*thread);
  if (releases(order) && thread->after.load(std::memory_order_relaxed) == watch) thread->fence_after = watch;
}

void Validation::come_after_all() {
  const WatchNumber watch = watch_.load(std::memory_order_acquire);
  if (watch == 0) return;
  const Inside inside(*this);
  KnownThread* thread = inside ? self() : nullptr;
  if (thread == nullptr || watch_.load(std::memory_order_relaxed) != watch) return;
  ++followed_;
  taint(*thread);
}

void Validation::give_up() {
  if (!is_following()) return;
  const Inside inside(*this);
  if (!inside || watch_.load(std::memory_order_relaxed) == 0) return;
  Task& task = *current_;
  stop_watching();
  // Another instance may be followed to its end.
  task.next = task.instances + 1;
}

void Validation::renew(uintptr_t begin, size_t size) {
  if (!is_following()) return;
  const Inside inside(*this);
  if (!inside || watch_.load(std::memory_order_relaxed) == 0) return;
  if (!watched_.range.overlaps({begin, size})) return;
  Task& task = *current_;
  stop_watching();
  task.next = task.instances + 1;
}

// ---- Accesses -----------------------------------------------------------------------------------------------------

bool Validation::meets(const Task& task, const Side& a, const Side& b) const {
  if (a.number == b.number || !a.range.overlaps(b.range)) return false;
  if (a.side == b.side && !task.has_one_site()) return false;
  const unsigned flags = a.flags | b.flags;
  const bool both_atomic = (a.flags & b.flags & NORN_PROBE_ATOMIC) != 0;
  return (flags & NORN_PROBE_WRITES) != 0 && !both_atomic;
}

void Validation::decide_race(Task& task, const Side& first, const Side& second) {
  wire::Result result = result_of(task, wire::ResultKind::kRace);
  result.order = first.side == 0 ? wire::Order::kPrimary : wire::Order::kAlternate;
  put_stack(result, 0, first.side == 0 ? first.stack : second.stack);
  put_stack(result, 1, first.side == 0 ? second.stack : first.stack);
  finish_round(task, result);
}

// Whether the other site is to come first, and did not.
bool Validation::is_wrong_order(const Task& task, unsigned side) const {
  if ((task.said.stages & wire::kSteer) == 0 || task.steered || task.said.tau == 0) return false;
  if (task.has_one_site()) return true;
  const unsigned first = task.said.order == wire::Order::kPrimary ? 0 : 1;
  return side != first;
}

// Whether the thread is to be held now.
bool Validation::reach(Task& task, unsigned side, const Access& access) {
  ++task.reached[side];
  if (task.has_one_site()) task.reached[1] = task.reached[0];
  KnownThread* thread = self();
  if (thread == nullptr) return false;
  wake();
  const bool had_any = task.left[side] != 0;
  task.left[side] -= had_any ? 1 : 0;
  if (had_any && task.left[side] == 0) {
    if (task.has_one_site()) task.left[1] = 0;
    look_at_tasks();
  }
  const uint8_t before = task.context.facts();
  const uint8_t now = task.context.note(side, task.has_one_site(), access.range, thread->number);
  if (now != before) {
    const bool succeeded = (now & ~before & wire::kShared) != 0;
    agent_.send(result_of(task, succeeded ? wire::ResultKind::kContext : wire::ResultKind::kProgress));
  }
  if ((task.said.stages & (wire::kDetect | wire::kSteer)) == 0) {
    if (task.knows_all()) look_at_tasks();
    return false;
  }
  for (size_t i = 0; i < accepted_count_; ++i) {
    if (accepted_[i].overlaps(access.range)) return false;
  }
  // Alone it races with nobody.
  if (threads.live() < 2 || (current_ != nullptr && current_ != &task)) return false;
  Side by;
  by.range = access.range;
  by.thread = thread;
  by.number = thread->number;
  by.side = static_cast<uint8_t>(side);
  by.flags = access.probe->flags;
  if (held_.load(std::memory_order_relaxed) != 0) {
    // The other stands before its access, and so does this thread: nothing orders the two.
    if (held_.load(std::memory_order_relaxed) == 1 && meets(task, holder_, by)) {
      by.stack = stack_from(access.from);
      held_.store(2, std::memory_order_relaxed);
      sys::call(__NR_futex, sys::as_long(&held_), FUTEX_WAKE_PRIVATE, 1);
      decide_race(task, by, holder_);
    }
    return false;
  }
  ++task.instances;
  is_often_.store(task.instances > kOften, std::memory_order_relaxed);
  const WatchNumber watch_number = watch_.load(std::memory_order_relaxed);
  // Where a thread waits and does nothing, the watched access never comes before all: where several instances are asked
  // for, a later one takes its place.
  const bool is_due = (task.said.stages & wire::kDetect) != 0 && task.instances >= task.next;
  const bool is_after = thread->after.load(std::memory_order_relaxed) == watch_number;
  if (watch_number != 0 && (is_after || !meets(task, watched_, by))) {
    if (task.said.instance != 0 || !is_due) return false;
    stop_watching();
  } else if (watch_number != 0) {
    if (lost_.load(std::memory_order_relaxed)) {
      stop_watching();
      task.next = task.instances + 1;
      return false;
    }
    by.stack = stack_from(access.from);
    decide_race(task, watched_, by);
    return false;
  }
  if (is_wrong_order(task, side)) {
    by.stack = stack_from(access.from);
    task.steered = true;
    current_ = steered_ = &task;
    holder_ = by;
    held_.store(1, std::memory_order_relaxed);
    return true;
  }
  if (!is_due || unfollowed_) return false;
  by.stack = stack_from(access.from);
  watch(task, by);
  return false;
}

// Until the other comes, or τ is over. From outside.
void Validation::hold(Task& task, const Side& by) {
  const uint64_t begin = microseconds();
  const uint64_t end = begin + task.said.tau;
  for (uint64_t now = begin; now < end && held_.load(std::memory_order_acquire) == 1; now = microseconds()) {
    const uint64_t left = end - now;
    const timespec wait{static_cast<time_t>(left / 1'000'000), static_cast<long>(left % 1'000'000 * 1'000)};
    sys::call(__NR_futex, sys::as_long(&held_), FUTEX_WAIT_PRIVATE, 1, sys::as_long(&wait));
  }
  bool met = false;
  {
    const Inside inside(*this);
    if (!inside) return;
    met = held_.load(std::memory_order_relaxed) == 2;
    held_.store(0, std::memory_order_relaxed);
    task.held += microseconds() - begin;
    // Meanwhile the task may have been dropped, or have got another round.
    const bool is_same = current_ == &task && holder_.number == by.number;
    if (!met && is_same && task.phase == Phase::kOpen) {
      wire::Result result = result_of(task, wire::ResultKind::kTimeout);
      finish_round(task, result);
    }
  }
  if (met) sys::nap(kGrace);
}

void Validation::begin_ignoring() { ++ignoring; }
void Validation::end_ignoring() { ignoring -= ignoring == 0 ? 0 : 1; }

void Validation::accept_races(const Range& range) {
  const Inside inside(*this);
  if (inside && accepted_count_ < kAccepted) accepted_[accepted_count_++] = range;
}

void Validation::access(const Access& access) {
  if (ignoring != 0) return;
  if (is_often_.load(std::memory_order_relaxed) && current_thread != nullptr) {
    const WatchNumber watch = watch_.load(std::memory_order_relaxed);
    const bool is_after = watch != 0 && current_thread->after.load(std::memory_order_relaxed) == watch;
    const bool is_alone = arming.load(std::memory_order_relaxed) != 0 && watch == 0 &&
                          current_thread->awake.load(std::memory_order_relaxed) != 0 &&
                          threads_seen.load(std::memory_order_relaxed) < 2;
    if ((is_after || is_alone) && ++skipped % kSkipped != 0) return;
  }
  Task* holding = nullptr;
  Side by;
  {
    const Inside inside(*this);
    if (!inside) return;
    if (agent_.is_open() && agent_.doorbell()->load(std::memory_order_relaxed) != 0) read_messages();
    for (Task& task : tasks_) {
      if (task.phase != Phase::kOpen || holding != nullptr) continue;
      for (unsigned side = 0; side < (task.has_one_site() ? 1U : 2U); ++side) {
        if (task.said.sites[side] != access.probe->site) continue;
        if (!reach(task, side, access)) continue;
        holding = &task;
        by = holder_;
      }
    }
    if (holding != nullptr && (expect_crash(), (holding->said.stages & wire::kAsk) != 0)) expect_interrupt();
  }
  if (holding == nullptr) return;
  const int kept = errno;
  hold(*holding, by);
  errno = kept;
}

// ---- The end ------------------------------------------------------------------------------------------------------

void Validation::finish(wire::End end) {
  const Inside inside(*this);
  // In a signal's handler that came while the lock was held nothing more can be said.
  if (!inside || ended_ || !agent_.is_open()) return;
  read_messages();
  for (Task& task : tasks_) {
    if (task.phase != Phase::kOpen) continue;
    wire::Result result = result_of(task, task.had_no_race ? wire::ResultKind::kNoRace : wire::ResultKind::kNotSeen);
    finish_round(task, result);
  }
  ended_ = true;
  agent_.send(wire::Bye{end});
}

void Validation::crash(int signal, uintptr_t at) {
  // The thread may have the lock: what is sent is read as it stands then.
  const bool locked = !is_inside && mutex_.try_lock();
  if (steered_ != nullptr && !ended_) {
    wire::Result result = result_of(*steered_, wire::ResultKind::kCrash);
    result.signal = static_cast<uint32_t>(signal);
    Addresses stack = stack_from(reinterpret_cast<const void*>(at));
    put_stack(result, 0, stack);
    agent_.send(result);
  }
  if (locked) mutex_.unlock();
}

void Validation::hang() {
  const Inside inside(*this);
  if (!inside || steered_ == nullptr || ended_) return;
  wire::Result result = result_of(*steered_, wire::ResultKind::kHang);
  put_stack(result, 0, stack_from(nullptr));
  agent_.send(result);
}

void Validation::answer(bool misbehaved) {
  const bool locked = !is_inside && mutex_.try_lock();
  if (steered_ != nullptr && !ended_)
    agent_.send(result_of(*steered_, misbehaved ? wire::ResultKind::kMisbehaved : wire::ResultKind::kBehaved));
  if (locked) mutex_.unlock();
}

}  // namespace norn::probe
