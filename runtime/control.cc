// The turn: who has it, who waits for it, and how it goes on.
#include "runtime/control.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/atomicity.h"
#include "runtime/deadlock.h"
#include "runtime/interpose.h"
#include "runtime/reporter.h"
#include "runtime/settings.h"
#include "runtime/signals.h"
#include "runtime/slots.h"
#include "runtime/syscalls.h"
#include "runtime/where.h"
#include "schedule/log.h"
#include "schedule/outcome.h"
#include "schedule/strategies.h"

// For a debugger: both threads of the candidate stand before their statements; the caller's goes first.
NORN_EXPORT __attribute__((noinline)) void __norn_on_meeting(uint32_t first, uint32_t second) {
  asm volatile("" : : "r"(first), "r"(second) : "memory");
}

namespace norn::rt {

constinit std::atomic<bool> controlled{false};
constinit bool only_scheduled = false;

namespace control {
namespace {

using schedule::Enabled;
using schedule::LogEntry;
using schedule::Outcome;
using schedule::Step;
using schedule::Strategy;

constinit SpinMutex mutex;  // of everything below but `go` and `status`
constinit Slot slots[schedule::kMaxThreads];
constinit uint32_t high = 0;       // all slots from here on are free
constinit Slot* holder = nullptr;  // who has the turn; null: everyone waits
constinit Time clock_now = 0;      // virtual
constinit Step enabled[schedule::kMaxThreads];
constinit schedule::AnyStrategy any_strategy;
constinit Strategy* strategy = nullptr;
constinit schedule::RandomBits numbers;  // for the program

constinit Outcome own_outcome;  // where there is no file
constinit Outcome* outcome = &own_outcome;
struct Log {
  schedule::LogHeader* header = nullptr;
  LogEntry* entries = nullptr;
};
constinit Log written;
constinit Log expected;

NORN_TLS __thread Slot* current_slot = nullptr;

// --- counting that stands for time -----------------------------------------------------------------------------------
//
// A thread that passes so many accesses without a point may be waiting for another one.
constexpr uint32_t kAccessesInARow = 20000;
// One that looks so often at the same place from the same statement is waiting.
constexpr uint32_t kLooksInARow = 100;
constexpr uint32_t kAtomicLooksInARow = 8;
// That shows it better than a yield for other reasons, and counts as several.
constexpr uint32_t kYieldsOfLooks = 5;
// One that takes so many steps and gets nowhere may be waiting by trying: that counts as several yields.
constexpr uint32_t kManySteps = 997;  // a prime: not always at the same point of a loop
constexpr uint32_t kYieldsOfManySteps = 10;
// One that yields so often waits for something that the others do not do: for time to pass, or for who is held back.
constexpr uint32_t kIdleYields = 100;
// So often time may pass for the sake of threads that are held back, before one of them is let go.
constexpr uint32_t kJumpsForHeldBack = 100;
constinit uint32_t jumps_for_held_back = 0;

// --- real time, for what is not under control ------------------------------------------------------------------------

constexpr uint64_t kTick = 100'000;             // microseconds between two looks of a waiting thread at the holder
constexpr uint64_t kBlockedUnseen = 1'000'000;  // the holder sleeps in the kernel and does nothing else
constexpr uint64_t kRunsUnseen = 5'000'000;     // it runs, but passes neither points nor accesses
constexpr long kIdlePoll = 10;                  // milliseconds to wait for descriptors when nobody can run
constinit uint64_t seen_progress = 0;
constinit uint64_t seen_at = 0;

// --- the threads that ended ------------------------------------------------------------------------------------------
//
// What the C library does at a thread's very end (its caches go back to the heap) comes after the turn went on. Whoever
// gets it waits for that: else the addresses of the next allocations would be anyone's guess.
constexpr uint32_t kMaxDying = 64;
constinit std::atomic<uint32_t> dying[kMaxDying];

void wait_for_dying() {
  for (std::atomic<uint32_t>& place : dying) {
    const uint32_t tid = place.load(std::memory_order_relaxed);
    if (tid == 0) continue;
    const uint64_t begin = sys::now();
    while (sys::call(__NR_tgkill, rt::start.pid, tid, 0) == 0 && sys::now() - begin < 200'000) sys::yield();
    place.store(0, std::memory_order_relaxed);
  }
}

void add_dying(uint32_t tid) {
  if (tid == rt::start.pid) return;  // the first thread's number stays as long as the process
  for (std::atomic<uint32_t>& place : dying) {
    if (place.load(std::memory_order_relaxed) != 0) continue;
    place.store(tid, std::memory_order_relaxed);
    return;
  }
}

// --- sites of interest -----------------------------------------------------------------------------------------------

struct Target {
  uint32_t identity = 0;  // the low half
  report::Text file;      // not empty: this and the line say it instead
  uint32_t line = 0;
  bool arms = false;
};
constexpr uint32_t kMaxTargets = 8;
// The first site counts for a thread only when it has been at this one: `+` before it.
constexpr uint8_t kArmingSite = 1u << (kMaxTargets - 1);
constinit bool has_arming_site = false;
constinit Target targets[kMaxTargets];
constinit uint32_t target_count = 0;

void read_targets(report::Text list) {
  while (!list.empty() && target_count < kMaxTargets) {
    size_t end = 0;
    size_t at = 0;
    for (; end < list.size && list[end] != ','; ++end) at = list[end] == '@' ? end : at;
    report::Text word = list.part(0, end);
    list = list.part(end + 1);
    Target& target = targets[target_count++];
    target.arms = !word.empty() && word[0] == '+';
    if (target.arms) {
      has_arming_site = true;
      word = word.part(1);
      if (at != 0) --at;
    }
    if (at != 0) {
      target.file = report::base_name(word.part(0, at));
      for (const char c : word.part(at + 1)) target.line = target.line * 10 + static_cast<uint32_t>(c - '0');
      continue;
    }
    for (const char c : word) {
      target.identity = target.identity << 4 | static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
  }
}

uint8_t match(uint64_t identity, const norn_site* own) {
  uint8_t mask = 0;
  for (uint32_t i = 0; i < target_count; ++i) {
    const Target& target = targets[i];
    const bool is_it = target.file.empty() ? target.identity == static_cast<uint32_t>(identity)
                                           : own != nullptr && own->line == target.line && own->file != nullptr &&
                                                 report::base_name(own->file) == target.file;
    if (is_it) mask = static_cast<uint8_t>(mask | (target.arms ? kArmingSite : 1u << i));
  }
  return mask;
}

struct Matched {
  const norn_site* site = nullptr;
  const norn_site* own = nullptr;
  uint32_t identity = 0;
  uint8_t mask = 0;
};
constexpr uint32_t kMatched = 1024;
constinit Matched matched[kMatched];

// Says once what a site is called.
void name_site(const Matched& site) {
  constexpr uint32_t kNamed = 4096;
  static constinit uint32_t named[kNamed] = {};
  if (!rt::start.settings.places || site.own == nullptr) return;
  uint32_t& place = named[site.identity % kNamed];
  if (place == site.identity) return;
  place = site.identity;
  report_place(site.identity, *site.own);
}

// What a site is, for the schedule. Of the holder.
Matched find_out(const ThreadState& state, const norn_site* site) {
  // A statement of the program's own code is itself, whoever called it.
  const bool is_own = site != nullptr && (site->flags & NORN_SITE_LIBRARY) == 0;
  Matched& known = matched[reinterpret_cast<uintptr_t>(site) / sizeof(norn_site) % kMatched];
  if (is_own && known.site == site) return known;
  const norn_site* own = nullptr;
  const uint64_t identity = identity_here(state, site, own);
  const Matched found = {site, own, static_cast<uint32_t>(identity), match(identity, own)};
  if (is_own) known = found;
  return found;
}

// --- the log ---------------------------------------------------------------------------------------------------------

void record(const LogEntry& entry) {
  const uint64_t number = outcome->decisions++;
  outcome->hash = schedule::extend_hash(outcome->hash, entry);
  if (written.header != nullptr && number < written.header->capacity) {
    written.entries[number] = entry;
    written.header->count = number + 1;
  }
  if (expected.header == nullptr || expected.entries[0].op == schedule::kSegment) return;
  if (outcome->differs_at != Outcome::kNever) return;
  if (number < expected.header->count && !(expected.entries[number] == entry)) outcome->differs_at = number;
}

uint32_t pick(uint32_t count) {
  if (count < 2) return 0;
  const uint32_t picked = strategy->pick(count);
  record({static_cast<uint16_t>(picked), LogEntry::kPick, static_cast<uint8_t>(count < 255 ? count : 255), 0});
  return picked;
}

// --- waiting and waking ----------------------------------------------------------------------------------------------

void make_ready(Slot& slot, Woken why) {
  slot.woken = why;
  slot.until = kForever;
  slot.status.store(Status::kReady, std::memory_order_relaxed);
}

// Neither a lock nor the routine of another is given up for a signal.
bool can_be_interrupted(Waiting waiting) { return waiting != Waiting::kLock && waiting != Waiting::kOnce; }

bool waits_for(const Slot& slot, uint64_t object) {
  return slot.status.load(std::memory_order_relaxed) == Status::kWaiting && slot.object == object &&
         slot.waiting != Waiting::kTime && slot.waiting != Waiting::kFile;
}

// Threads whose time has come.
void expire() {
  for (uint32_t i = 0; i < high; ++i) {
    Slot& slot = slots[i];
    if (slot.status.load(std::memory_order_relaxed) == Status::kWaiting && slot.until <= clock_now) {
      make_ready(slot, Woken::kTimeout);
    }
  }
}

// Time goes on to when the first of the sleepers wakes; false if there is none.
bool pass_time() {
  Time next = kForever;
  for (uint32_t i = 0; i < high; ++i) {
    const Slot& slot = slots[i];
    if (slot.status.load(std::memory_order_relaxed) == Status::kWaiting && slot.until < next) next = slot.until;
  }
  if (next == kForever) return false;
  if (next > clock_now) {
    outcome->slept += next - clock_now;
    clock_now = next;
  }
  expire();
  return true;
}

// Threads with a descriptor that became ready wake; true if there is any. Waits so many milliseconds for one.
bool look_at_files(long milliseconds) {
  constexpr uint32_t kMost = 256;
  static constinit pollfd files[kMost] = {};
  static constinit Slot* whose[kMost] = {};
  uint32_t count = 0;
  for (uint32_t i = 0; i < high; ++i) {
    Slot& slot = slots[i];
    if (slot.status.load(std::memory_order_relaxed) != Status::kWaiting || slot.waiting != Waiting::kFile) continue;
    for (uint32_t k = 0; k < slot.file_count && count < kMost; ++k) {
      files[count] = {slot.files[k].fd, slot.files[k].events, 0};
      whose[count++] = &slot;
    }
  }
  if (count == 0) return false;
  if (sys::call(__NR_poll, sys::as_long(files), count, milliseconds) <= 0) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (files[i].revents != 0) make_ready(*whose[i], Woken::kWoken);
  }
  return true;
}

bool any_with(Status status, Waiting waiting = Waiting::kNothing) {
  for (uint32_t i = 0; i < high; ++i) {
    if (slots[i].status.load(std::memory_order_relaxed) != status) continue;
    if (waiting == Waiting::kNothing || slots[i].waiting == waiting) return true;
  }
  return false;
}

// --- choosing --------------------------------------------------------------------------------------------------------

uint32_t list_enabled() {
  uint32_t count = 0;
  for (uint32_t i = 0; i < high; ++i) {
    const Status status = slots[i].status.load(std::memory_order_relaxed);
    if (status != Status::kReady) continue;
    enabled[count] = slots[i].step;
    enabled[count++].idle = slots[i].yields >= kIdleYields;
  }
  return count;
}

bool are_idle(const Step* steps, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!steps[i].idle) return false;
  }
  return true;
}

// Something happened that those may have waited for who only yield.
void expect_again() {
  for (uint32_t i = 0; i < high; ++i) slots[i].yields = 0;
}

void tell_meeting(const Step& first, const Step& second) {
  ++outcome->meetings;
  const auto stand = [&](uint8_t a, uint8_t b) { return (first.sites & a) != 0 && (second.sites & b) != 0; };
  if (stand(schedule::kFirstSite, schedule::kSecondSite)) outcome->orders |= Outcome::kFirstThenSecond;
  if (stand(schedule::kSecondSite, schedule::kFirstSite)) outcome->orders |= Outcome::kSecondThenFirst;
  if (outcome->first_meeting == Outcome::kNever) outcome->first_meeting = outcome->decisions;
  if (rt::start.settings.debug) __norn_on_meeting(slots[first.thread].id, slots[second.thread].id);
}

// Who goes on; null: nobody can.
Slot* choose(Slot* running) {
  for (;;) {
    expire();
    look_at_files(0);
    const uint32_t count = list_enabled();
    if (count == 0) {
      if (any_with(Status::kWaiting, Waiting::kFile) && look_at_files(kIdlePoll)) continue;
      if (pass_time()) continue;
      return nullptr;
    }
    if (are_idle(enabled, count)) {
      expect_again();
      if (pass_time()) continue;
    }
    const Enabled all = {enabled, count, running == nullptr ? schedule::kNobody : running->number};
    const uint32_t index = strategy->choose(all);
    if (index == schedule::kNobody) {
      expect_again();
      if (jumps_for_held_back < kJumpsForHeldBack && pass_time()) {
        ++jumps_for_held_back;
        continue;
      }
      if (jumps_for_held_back == kJumpsForHeldBack) ++outcome->starved;
      jumps_for_held_back = 0;
      ++outcome->let_go;
      strategy->let_go(all);
      continue;
    }
    Slot& chosen = slots[all[index].thread];
    record({static_cast<uint16_t>(chosen.number), static_cast<uint8_t>(chosen.step.op),
            static_cast<uint8_t>(count < 255 ? count : 255), chosen.identity});
    if (&chosen != running && running != nullptr) {
      ++outcome->switches;
      if (all.index_of(running->number) != schedule::kNobody && running->step.op != Op::kYield) ++outcome->preemptions;
    }
    const uint32_t met = schedule::met_by(all, index);
    if (met != schedule::kNobody) tell_meeting(all[index], all[met]);
    return &chosen;
  }
}

void give(Slot& next, const Slot* self) {
  holder = &next;
  seen_at = sys::now();
  next.status.store(Status::kRunning, std::memory_order_relaxed);
  if (&next == self) return;
  next.go.store(1, std::memory_order_release);
  sys::call(__NR_futex, sys::as_long(&next.go), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

// The turn goes to whoever is chosen, under the mutex. True: that is the caller, who keeps it.
bool hand_on(Slot* self) {
  holder = nullptr;
  Slot* next = choose(self);
  if (next != nullptr) {
    give(*next, self);
    return next == self;
  }
  // Someone may still come back from the kernel, or another process may do something.
  if (any_with(Status::kOutside) || any_with(Status::kWaiting, Waiting::kOutsider) ||
      any_with(Status::kWaiting, Waiting::kFile) || !any_with(Status::kWaiting)) {
    return false;
  }
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < high; ++i) waiting += slots[i].status.load() == Status::kWaiting ? 1 : 0;
  outcome->deadlocked = waiting;
  end_by_deadlock(slots, high);
}

// --- waiting for the turn --------------------------------------------------------------------------------------------

bool sleeps_in_kernel(uint32_t tid) {
  char path[64];
  report::Buffer name(path, sizeof(path) - 1);
  name.sink().put("/proc/self/task/");
  name.sink().put(report::Decimal(tid).text());
  name.sink().put("/stat");
  path[name.text().size] = '\0';
  const int fd = sys::open_file(path, O_RDONLY);
  if (fd < 0) return false;
  char line[256];
  const long size = sys::read_some(fd, line, sizeof(line));
  sys::close_file(fd);
  long at = size;  // behind the name, which may have anything in it
  while (at > 0 && line[at - 1] != ')') --at;
  return at + 1 < size && (line[at + 1] == 'S' || line[at + 1] == 'D');
}

uint64_t progress() { return outcome->decisions + outcome->accesses; }

// A thread that has waited long looks whether things go on without it: the watchdog (RaceFuzzer's monitor, §4).
void look_after() {
  const SpinLock lock(mutex);
  if (holder == nullptr) {
    for (uint32_t i = 0; i < high; ++i) {
      if (slots[i].waiting == Waiting::kOutsider && slots[i].status.load() == Status::kWaiting) {
        make_ready(slots[i], Woken::kWoken);
      }
    }
    hand_on(nullptr);
    return;
  }
  if (rt::start.settings.debug) return;  // a debugger stops threads for longer than any watchdog bears
  const uint64_t now = sys::now();
  if (progress() != seen_progress) {
    seen_progress = progress();
    seen_at = now;
    return;
  }
  // A creator waits for its thread to arrive, which takes as long as the machine is busy.
  if (any_with(Status::kReserved)) return;
  const uint64_t patience = sleeps_in_kernel(holder->tid) ? kBlockedUnseen : kRunsUnseen;
  if (now - seen_at < patience) return;
  if (holder->status.load(std::memory_order_relaxed) != Status::kRunning) return;
  ++outcome->taken_away;
  holder->status.store(Status::kOutside, std::memory_order_relaxed);
  hand_on(nullptr);
}

// Outside, signals blocked, without the mutex.
void await_turn(Slot& self) {
  while (self.go.load(std::memory_order_acquire) == 0) {
    const bool idle = holder == nullptr;
    const timespec tick = {0, idle ? 1'000'000 : static_cast<long>(kTick) * 1000};
    const long result =
        sys::call(__NR_futex, sys::as_long(&self.go), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, sys::as_long(&tick));
    if (result == -ETIMEDOUT && self.go.load(std::memory_order_acquire) == 0) look_after();
  }
  self.go.store(0, std::memory_order_relaxed);
  wait_for_dying();
}

// The calling thread, inside, with the mutex; leaves both when it has handed the turn on, and comes back with it.
class Choice {
 public:
  explicit Choice(Slot& self) : self_(self), state_(*current_state) {
    entered_ = enter(state_);
    mutex.lock();
  }
  ~Choice() {
    if (!done_) mutex.unlock();
    if (entered_) leave(state_);
  }
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;

  // Whoever is chosen goes on; returns when that is the caller.
  void take() {
    self_.top = __norn_stack;
    if (hand_on(&self_)) return;
    await();
  }
  // The turn is not ours to give.
  void await() {
    const SignalMask mask = block_signals();
    mutex.unlock();
    done_ = true;
    if (entered_) leave(state_);
    entered_ = false;
    await_turn(self_);
    set_signal_mask(mask);
  }

 private:
  Slot& self_;
  ThreadState& state_;
  bool entered_ = false;
  bool done_ = false;
};

uint8_t sites_for(Slot& self, uint8_t mask) {
  if (!has_arming_site) return mask;
  if ((mask & kArmingSite) != 0) self.armed = true;
  constexpr unsigned kFirst = schedule::kFirstSite;
  return static_cast<uint8_t>(mask & ~unsigned{kArmingSite} & ~(self.armed ? 0u : kFirst));
}

void step(Slot& self, Op op, const Matched& site, uint64_t address, uint64_t size, bool writes) {
  self.step = {self.number, op, writes, sites_for(self, site.mask), address, size};
  self.identity = site.identity;
  self.accesses_in_a_row = 0;
  name_site(site);
  Choice choice(self);
  self.status.store(Status::kReady, std::memory_order_relaxed);
  if (op == Op::kYield) {
    ++self.yields;
    strategy->yielded(self.number);
  } else if (op == Op::kBegin || op == Op::kSignal || op == Op::kCreate || op == Op::kJoin) {
    self.yields = 0;
  } else if (++self.steps % kManySteps == 0) {
    self.yields += kYieldsOfManySteps;
    if (self.yields >= kIdleYields) strategy->yielded(self.number);
  }
  choice.take();
}

// True: the thread has been looking at this for a while.
bool only_looks(Slot& self, const norn_site* site, uint64_t address, bool writes, uint32_t patience) {
  if (writes || self.last_site != site || self.last_address != address) {
    self.last_site = site;
    self.last_address = address;
    self.looks = 0;
    return false;
  }
  if (++self.looks < patience) return false;
  self.looks = 0;
  self.yields += kYieldsOfLooks - 1;  // and one for the yield that follows
  return true;
}

bool is_own_stack(const ThreadState& state, uint64_t address) {
  return address >= state.stack_begin && address < state.stack_end;
}

// A thread that nobody created, or whose creator the runtime did not see.
Slot* adopt(ThreadState& state) {
  const uint32_t number = reserve(state.id);
  if (number == kNoSlot) return nullptr;
  Slot& self = slots[number];
  self.state = &state;
  self.tid = sys::tid();
  current_slot = &self;
  const SpinLock lock(mutex);
  self.status.store(Status::kOutside, std::memory_order_relaxed);
  return &self;
}

void come_back(Slot& self) {
  self.step = {self.number, Op::kReturn, false, 0, 0, 0};
  self.identity = 0;
  Choice choice(self);
  ++outcome->kernel_returns;
  self.status.store(Status::kReady, std::memory_order_relaxed);
  if (holder == nullptr) {
    choice.take();
  } else {
    self.top = __norn_stack;
    choice.await();
  }
}

void* map_file(report::Text path, size_t& size, bool write) {
  char name[4096];
  report::Buffer buffer(name, sizeof(name) - 1);
  buffer.sink().put(path);
  name[buffer.text().size] = '\0';
  const int fd = sys::open_file(name, write ? O_RDWR : O_RDONLY);
  if (fd < 0) refuse("cannot open ", path);
  size = static_cast<size_t>(sys::call(__NR_lseek, fd, 0, SEEK_END));
  const long mapped = sys::call(__NR_mmap, 0, static_cast<long>(size), write ? PROT_READ | PROT_WRITE : PROT_READ,
                                write ? MAP_SHARED : MAP_PRIVATE, fd, 0);
  sys::close_file(fd);
  if (sys::failed(mapped)) refuse("cannot map ", path);
  return reinterpret_cast<void*>(mapped);
}

Log map_log(report::Text path, bool write) {
  size_t size = 0;
  auto* header = static_cast<schedule::LogHeader*>(map_file(path, size, write));
  if (size < sizeof(*header) || header->magic != schedule::LogHeader::kMagic) refuse("not a log of decisions: ", path);
  const uint64_t room = (size - sizeof(*header)) / sizeof(LogEntry);
  if (write) header->capacity = room;
  if (header->count > room) refuse("a log that was cut off: ", path);
  return {header, reinterpret_cast<LogEntry*>(header + 1)};
}

}  // namespace

void start() {
  const report::Settings& settings = rt::start.settings;
  auto kind = static_cast<schedule::StrategyKind>(settings.schedule);
  watches_atomicity = (settings.hazards & report::kHazardAtomicity) != 0 && settings.outcome.empty();
  if (kind == schedule::StrategyKind::kOff && watches_atomicity) kind = schedule::StrategyKind::kRoundRobin;
  if (kind == schedule::StrategyKind::kOff) return;
  if (!settings.outcome.empty()) {
    size_t size = 0;
    outcome = static_cast<Outcome*>(map_file(settings.outcome, size, true));
    if (size < sizeof(Outcome) || outcome->magic != Outcome::kMagic) refuse("not an outcome: ", settings.outcome);
    uint32_t nobody = 0;
    const uint32_t pid = sys::pid();
    if (!outcome->pid.compare_exchange_strong(nobody, pid) && nobody != pid) return;
  }
  if (!settings.decisions.empty()) written = map_log(settings.decisions, true);
  if (!settings.expected.empty()) expected = map_log(settings.expected, false);
  read_targets(settings.sites);
  schedule::Plan plan;
  plan.kind = kind;
  plan.seed = settings.seed;
  plan.depth = settings.depth;
  plan.length = settings.length;
  if (expected.header != nullptr) {
    plan.log = expected.entries;
    plan.log_count = expected.header->count;
  }
  strategy = &any_strategy.make(plan);
  numbers = schedule::RandomBits(settings.seed ^ 0x6e6f726e);
  const uint32_t number = reserve(current_state->id);
  Slot& self = slots[number];
  self.state = current_state;
  self.tid = sys::tid();
  self.status.store(Status::kRunning, std::memory_order_relaxed);
  current_slot = &self;
  holder = &self;
  only_scheduled = !settings.outcome.empty();
  controlled.store(true, std::memory_order_release);
}

void stop() {
  controlled.store(false, std::memory_order_relaxed);
  only_scheduled = false;
}

bool active() {
  if (!is_controlled() || current_ended) return false;
  ThreadState* state = current_state;
  if (state == nullptr) state = adopt_thread();
  if (state == nullptr || state->depth.load(std::memory_order_relaxed) != 0) return false;
  Slot* self = current_slot;
  if (self == nullptr) self = adopt(*state);
  if (self == nullptr) return false;
  if (self->status.load(std::memory_order_relaxed) != Status::kRunning) come_back(*self);
  return true;
}

void point(Op op, const volatile void* object, const norn_site* site) {
  if (!is_watching()) return;
  step(*current_slot, op, find_out(*current_state, site), address_of(object), 1, true);
}

void yield(const norn_site* site) {
  if (!is_watching()) return;
  step(*current_slot, Op::kYield, find_out(*current_state, site), 0, 0, false);
}

void access(AccessKind kind, const volatile void* address, size_t size, const norn_site* site) {
  if (!active()) return;
  Slot& self = *current_slot;
  ++outcome->accesses;
  const bool writes = kind != AccessKind::kRead && kind != AccessKind::kAtomicRead;
  const bool matters = target_count != 0 || rt::start.settings.accesses;
  const Matched found = matters ? find_out(*current_state, site) : Matched{};
  const bool everywhere = rt::start.settings.accesses && !is_own_stack(*current_state, address_of(address));
  const bool looks = only_looks(self, site, address_of(address), writes, kLooksInARow);
  if (found.mask != 0 || everywhere) {
    step(self, looks && found.mask == 0 ? Op::kYield : Op::kAccess, found, address_of(address), size, writes);
  } else if (looks || ++self.accesses_in_a_row >= kAccessesInARow) {
    step(self, Op::kYield, found, 0, 0, false);
  }
}

void atomic(const volatile void* address, size_t size, bool writes, const norn_site* site) {
  if (!active()) return;
  Slot& self = *current_slot;
  const bool looks = only_looks(self, site, address_of(address), false, kAtomicLooksInARow);
  step(self, looks ? Op::kYield : Op::kAtomic, find_out(*current_state, site), address_of(address), size, writes);
}

Woken wait(Waiting waiting, const volatile void* object, Time until) {
  Slot& self = *current_slot;
  if (self.cancelled && can_be_interrupted(waiting)) {
    self.cancelled = false;
    return Woken::kInterrupted;
  }
  Choice choice(self);
  self.waiting = waiting;
  self.object = address_of(object);
  self.until = until;
  self.woken = Woken::kWoken;
  self.step.sites = 0;
  self.status.store(Status::kWaiting, std::memory_order_relaxed);
  if (until == kForever && waiting == Waiting::kLock && is_deadlocked(slots, high, self)) {
    self.top = __norn_stack;
    outcome->deadlocked = 2;
    end_by_deadlock(slots, high);
  }
  choice.take();
  self.waiting = Waiting::kNothing;
  return self.woken;
}

Woken wait_for_files(const pollfd* files, uint32_t count, Time until) {
  current_slot->files = files;
  current_slot->file_count = count;
  return wait(count == 0 ? Waiting::kTime : Waiting::kFile, nullptr, until);
}

bool await_file(int fd, short events, const norn_site& site) {
  if (!active()) return true;
  const long flags = sys::call(__NR_fcntl, fd, F_GETFL, 0);
  if (sys::failed(flags) || (flags & O_NONBLOCK) != 0) return true;
  pollfd file = {fd, events, 0};
  if (sys::call(__NR_poll, sys::as_long(&file), 1, 0) != 0) return true;
  point(Op::kAcquire, nullptr, &site);
  while (sys::call(__NR_poll, sys::as_long(&file), 1, 0) == 0) {
    if (wait_for_files(&file, 1, kForever) != Woken::kInterrupted) continue;
    errno = EINTR;
    return false;
  }
  return true;
}

bool may_wait_to_write(int fd, size_t size) {
  if (!active()) return false;
  struct stat status = {};
  if (sys::call(__NR_fstat, fd, sys::as_long(&status)) != 0 || S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)) {
    return false;
  }
  const long flags = sys::call(__NR_fcntl, fd, F_GETFL, 0);
  if ((flags & O_NONBLOCK) != 0) return false;
  constexpr size_t kAtOnce = 4096;  // PIPE_BUF
  pollfd file = {fd, POLLOUT, 0};
  return size > kAtOnce || sys::call(__NR_poll, sys::as_long(&file), 1, 0) == 0;
}

void interrupt(ThreadId id, bool cancels) {
  const Inspection here;
  const SpinLock lock(mutex);
  for (uint32_t i = 0; i < high; ++i) {
    Slot& slot = slots[i];
    if (slot.id != id || slot.status.load(std::memory_order_relaxed) == Status::kFree) continue;
    if (slot.status.load(std::memory_order_relaxed) == Status::kWaiting && can_be_interrupted(slot.waiting)) {
      make_ready(slot, Woken::kInterrupted);
    } else {
      slot.cancelled = slot.cancelled || cancels;
    }
  }
}

void wake_all(const volatile void* object) {
  const Inspection here;
  const SpinLock lock(mutex);
  for (uint32_t i = 0; i < high; ++i) {
    if (waits_for(slots[i], address_of(object))) make_ready(slots[i], Woken::kWoken);
  }
}

void wake_one(const volatile void* object) {
  const Inspection here;
  const SpinLock lock(mutex);
  uint32_t count = 0;
  for (uint32_t i = 0; i < high; ++i) count += waits_for(slots[i], address_of(object)) ? 1 : 0;
  if (count == 0) return;
  uint32_t chosen = pick(count);
  for (uint32_t i = 0; i < high; ++i) {
    if (!waits_for(slots[i], address_of(object)) || chosen-- != 0) continue;
    make_ready(slots[i], Woken::kWoken);
    return;
  }
}

uint32_t waiters(const volatile void* object) {
  const Inspection here;
  const SpinLock lock(mutex);
  uint32_t count = 0;
  for (uint32_t i = 0; i < high; ++i) count += waits_for(slots[i], address_of(object)) ? 1 : 0;
  return count;
}

namespace {

struct Routine {
  uint64_t control;  // 0: none
  const Slot* runner;
};
constexpr uint32_t kMaxRoutines = 256;
constinit Routine routines[kMaxRoutines] = {};

Routine* find_routine(uint64_t control) {
  for (Routine& routine : routines) {
    if (routine.control == control) return &routine;
  }
  return nullptr;
}

}  // namespace

void await_routine(const volatile void* control) {
  for (;;) {
    {
      const Inspection here;
      const SpinLock lock(mutex);
      const Routine* running = find_routine(address_of(control));
      // Its own, again: the library knows what to say of that.
      if (running == nullptr || running->runner == current_slot) return;
    }
    wait(Waiting::kOnce, control);
  }
}

void begin_routine(const volatile void* control) {
  if (!is_controlled() || !active()) return;
  const Inspection here;
  const SpinLock lock(mutex);
  if (Routine* place = find_routine(0); place != nullptr) *place = {address_of(control), current_slot};
}

void end_routine(const volatile void* control) {
  if (!is_controlled() || !active()) return;
  {
    const Inspection here;
    const SpinLock lock(mutex);
    if (Routine* place = find_routine(address_of(control)); place != nullptr) *place = {};
  }
  wake_all(control);
}

bool go_outside() {
  if (!active()) return false;
  Slot& self = *current_slot;
  const Inspection here;
  const SpinLock lock(mutex);
  self.top = __norn_stack;
  self.status.store(Status::kOutside, std::memory_order_relaxed);
  hand_on(nullptr);
  return true;
}

Outside::Outside() : gave_(go_outside()) {}

Outside::~Outside() {
  if (!gave_ || current_slot == nullptr) return;
  if (current_slot->status.load(std::memory_order_relaxed) != Status::kRunning) come_back(*current_slot);
}

Handler::Handler() {
  was_outside_ = is_controlled() && current_slot != nullptr &&
                 current_slot->status.load(std::memory_order_relaxed) == Status::kOutside;
}

Handler::~Handler() {
  if (!was_outside_ || current_slot == nullptr) return;
  const Inspection here;
  const SpinLock lock(mutex);
  if (current_slot->status.load(std::memory_order_relaxed) != Status::kRunning) return;
  current_slot->status.store(Status::kOutside, std::memory_order_relaxed);
  hand_on(nullptr);
}

// --- threads ---------------------------------------------------------------------------------------------------------

uint32_t reserve(ThreadId id) {
  const Inspection here;
  const SpinLock lock(mutex);
  uint32_t number = 0;
  while (number < high && slots[number].status.load(std::memory_order_relaxed) != Status::kFree) ++number;
  if (number == schedule::kMaxThreads) return kNoSlot;
  if (number == high) ++high;
  Slot& slot = slots[number];
  slot.number = number;
  slot.id = id;
  slot.state = nullptr;
  slot.identity = 0;
  slot.step = {number, Op::kBegin, false, 0, 0, 0};
  slot.until = kForever;
  slot.waiting = Waiting::kNothing;
  slot.cancelled = false;
  slot.armed = false;
  slot.go.store(0, std::memory_order_relaxed);
  slot.arrived.store(0, std::memory_order_relaxed);
  slot.status.store(Status::kReserved, std::memory_order_relaxed);
  ++outcome->threads;
  uint32_t living = 0;
  for (uint32_t i = 0; i < high; ++i) living += slots[i].status.load() != Status::kFree ? 1 : 0;
  if (living > outcome->most_threads) outcome->most_threads = living;
  return number;
}

void release(uint32_t slot) {
  if (slot == kNoSlot) return;
  slots[slot].status.store(Status::kFree, std::memory_order_relaxed);
}

void created(uint32_t slot) {
  if (slot == kNoSlot) return;
  Slot& child = slots[slot];
  while (child.arrived.load(std::memory_order_acquire) == 0) {
    sys::call(__NR_futex, sys::as_long(&child.arrived), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, 0);
  }
  const Inspection here;
  const SpinLock lock(mutex);
  child.status.store(Status::kReady, std::memory_order_relaxed);
}

void begin(uint32_t slot) {
  if (slot == kNoSlot) return;
  Slot& self = slots[slot];
  self.state = current_state;
  self.tid = sys::tid();
  self.top = __norn_stack;
  current_slot = &self;
  self.arrived.store(1, std::memory_order_release);
  sys::call(__NR_futex, sys::as_long(&self.arrived), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
  const SignalMask mask = block_signals();
  await_turn(self);
  set_signal_mask(mask);
}

void end() {
  Slot* self = current_slot;
  if (self == nullptr || !is_controlled()) return;
  current_slot = nullptr;
  // What comes now is the C library's, with signals as they are.
  const SignalMask mask = block_signals();
  {
    const SpinLock lock(mutex);
    for (uint32_t i = 0; i < high; ++i) {
      if (waits_for(slots[i], address_of(self))) make_ready(slots[i], Woken::kWoken);
    }
    add_dying(self->tid);
    const bool had_turn = holder == self;
    self->status.store(Status::kFree, std::memory_order_relaxed);
    self->state = nullptr;
    strategy->ended(self->number);
    if (had_turn || holder == nullptr) hand_on(nullptr);
  }
  set_signal_mask(mask);
}

Woken join(ThreadId id, Time until) {
  for (;;) {
    const Slot* target = nullptr;
    {
      const Inspection here;
      const SpinLock lock(mutex);
      for (uint32_t i = 0; i < high; ++i) {
        if (slots[i].status.load(std::memory_order_relaxed) != Status::kFree && slots[i].id == id) target = &slots[i];
      }
    }
    if (target == nullptr) return Woken::kWoken;
    const Woken woken = wait(Waiting::kThread, target, until);
    if (woken != Woken::kWoken) return woken;
  }
}

// --- time ------------------------------------------------------------------------------------------------------------

namespace {

constexpr Time kSecond = 1'000'000'000;
// What the clocks show when the program starts: always the same.
constexpr Time kRealStart = 1'767'225'600 * kSecond;  // the first second of 2026
constexpr Time kMonotonicStart = 100'000 * kSecond;

Time start_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return kRealStart;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return 0;
    default:
      return kMonotonicStart;
  }
}

}  // namespace

Time now() {
  const Inspection here;
  const SpinLock lock(mutex);
  return clock_now;
}

timespec read_clock(clockid_t clock) {
  // Whoever waits by looking at the clock gets there sooner the longer it looks.
  constexpr uint32_t kPatient = 64;
  Slot* self = current_slot;
  if (self != nullptr) ++self->clock_looks;
  const Time step = self != nullptr && self->clock_looks > kPatient ? 100'000 : 1'000;
  Time time = 0;
  {
    const Inspection here;
    const SpinLock lock(mutex);
    clock_now += step;
    time = start_of(clock) + clock_now;
  }
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

Time deadline(clockid_t clock, const timespec* until) {
  if (until == nullptr) return kForever;
  const Time begin = start_of(clock);
  if (until->tv_sec < 0) return 0;
  if (static_cast<Time>(until->tv_sec) > Time{1} << 33) return kForever - 1;
  const Time time = static_cast<Time>(until->tv_sec) * kSecond + static_cast<Time>(until->tv_nsec);
  return time <= begin ? 0 : time - begin;
}

Time after(const timespec& duration) {
  if (duration.tv_sec < 0) return 0;
  if (static_cast<Time>(duration.tv_sec) > Time{1} << 33) return kForever - 1;
  if (current_slot != nullptr) current_slot->clock_looks = 0;
  return now() + static_cast<Time>(duration.tv_sec) * kSecond + static_cast<Time>(duration.tv_nsec);
}

void fill_random(void* bytes, size_t size) {
  auto* out = static_cast<unsigned char*>(bytes);
  const Inspection here;
  const SpinLock lock(mutex);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<unsigned char>(numbers.next() >> 56);
}

const char* name_of(Waiting waiting) {
  constexpr const char* kNames[] = {"nothing",      "a lock",      "a condition variable", "a thread to end",
                                    "a barrier",    "a semaphore", "a once routine",       "a futex",
                                    "time to pass", "a file",      "another process"};
  return kNames[static_cast<size_t>(waiting)];
}

}  // namespace control
}  // namespace norn::rt
