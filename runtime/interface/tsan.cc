// ThreadSanitizer's public interface: <sanitizer/tsan_interface.h>, and what Java virtual machines call. What clang and
// gcc emit for -fsanitize=thread is in hooks/tsan_hooks.cc, what the program asks of a report in tsan_report.cc, what
// all sanitizers have in sanitizer.cc.
#include "norn/site.h"
#include "report/race.h"
#include "runtime/interface/annotations.h"
#include "runtime/memory/blocks.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/hazard_reporter.h"
#include "runtime/reporting/misuse.h"

using namespace norn;
using namespace norn::rt;

// --- order and locks ---------------------------------------------------------------------------------------------

namespace {

enum TsanFlag : unsigned {
  kLinkerInit = 1u << 0,
  kReadLock = 1u << 3,
  kTryLock = 1u << 4,
  kTryLockFailed = 1u << 5,
  kRecursiveLock = 1u << 6,
  kRecursiveUnlock = 1u << 7,
};

constexpr norn_site kLock = library_site("__tsan_mutex_post_lock");
constexpr norn_site kCheck = library_site("__tsan_check_no_mutexes_held");
constexpr norn_site kJavaAllocate = library_site("__tsan_java_alloc");
constexpr norn_site kJavaLock = library_site("__tsan_java_mutex_lock");
constexpr uint8_t kEverything = kIgnoreReads | kIgnoreWrites | kIgnoreSync;

LockMode mode_of(unsigned flags) { return (flags & kReadLock) != 0 ? LockMode::kShared : LockMode::kExclusive; }

// How often the calling thread has taken the lock.
int levels_of(const void* lock) {
  const Inspection here;
  if (!here) return 0;
  const Held* held = here.thread().find_held(address_of(lock));
  return held == nullptr ? 0 : static_cast<int>(held->depth);
}

void take_levels(const void* lock, LockMode mode, int levels, const norn_site& site, LockAttempt attempt) {
  for (int i = 0; i < levels; ++i) took(lock, mode, site, attempt);
}
// Gives all levels up; returns how many there were.
int give_levels(const void* lock) {
  const int levels = levels_of(lock);
  for (int i = 0; i < levels; ++i) giving(lock);
  return levels;
}

void forget_lock(const void* lock) {
  if (const Inspection here; here) emit.lock_destroy(here.thread(), address_of(lock));
}

}  // namespace

NORN_EXPORT void __tsan_acquire(void* tag) { acquire(tag); }
NORN_EXPORT void __tsan_release(void* tag) { release(tag); }
NORN_EXPORT void __tsan_mutex_create(void* lock, unsigned /*flags*/) { forget_lock(lock); }
NORN_EXPORT void __tsan_mutex_destroy(void* lock, unsigned flags) {
  if ((flags & kLinkerInit) == 0) forget_lock(lock);
}
// Between `pre` and `post` runs the lock's own code. What it does to its own memory is not the program's doing.
NORN_EXPORT void __tsan_mutex_pre_lock(void* /*lock*/, unsigned /*flags*/) { begin_ignoring(kEverything); }
NORN_EXPORT void __tsan_mutex_post_lock(void* lock, unsigned flags, int recursion) {
  end_ignoring(kEverything);
  if ((flags & kTryLockFailed) != 0) return;
  const int levels = (flags & kRecursiveLock) != 0 && recursion > 1 ? recursion : 1;
  take_levels(lock, mode_of(flags), levels, kLock,
              (flags & kTryLock) != 0 ? LockAttempt::kTry : LockAttempt::kBlocking);
}
NORN_EXPORT int __tsan_mutex_pre_unlock(void* lock, unsigned flags) {
  int levels = 1;
  if ((flags & kRecursiveUnlock) != 0) {
    levels = give_levels(lock);
  } else {
    giving(lock, mode_of(flags));
  }
  begin_ignoring(kEverything);
  return levels;
}
NORN_EXPORT void __tsan_mutex_post_unlock(void* /*lock*/, unsigned /*flags*/) { end_ignoring(kEverything); }
NORN_EXPORT void __tsan_mutex_pre_signal(void* /*lock*/, unsigned /*flags*/) { begin_ignoring(kEverything); }
NORN_EXPORT void __tsan_mutex_post_signal(void* /*lock*/, unsigned /*flags*/) { end_ignoring(kEverything); }
// The lock's code leaves for somewhere else for a while (to abort, or to call back).
NORN_EXPORT void __tsan_mutex_pre_divert(void* /*lock*/, unsigned /*flags*/) { end_ignoring(kEverything); }
NORN_EXPORT void __tsan_mutex_post_divert(void* /*lock*/, unsigned /*flags*/) { begin_ignoring(kEverything); }

NORN_EXPORT void __tsan_check_no_mutexes_held(void) {
  const Inspection here;
  if (!here || here.thread().held_count == 0) return;
  const Held& held = here.thread().held[here.thread().held_count - 1];
  report_misuse({report::HazardKind::kHeldInWrongContext, held.address, here->id, stack_id(*here, &kCheck), here->id,
                 held.taken_at});
}

NORN_EXPORT void __tsan_ignore_thread_begin(void) { begin_ignoring(kIgnoreReads | kIgnoreWrites); }
NORN_EXPORT void __tsan_ignore_thread_end(void) { end_ignoring(kIgnoreReads | kIgnoreWrites); }
// The history of accesses is bounded by itself (memory_limit).
NORN_EXPORT void __tsan_flush_memory(void) {}
NORN_EXPORT void __tsan_on_thread_idle(void) {}

// --- objects of libraries ----------------------------------------------------------------------------------------

namespace {

// What a library calls its objects. A tag is the address of an entry.
struct Tag {
  const char* name;
  const char* header;
};
constinit Tag tags[64] = {};
constinit std::atomic<unsigned> tag_count{0};

}  // namespace

NORN_EXPORT void* __tsan_external_register_tag(const char* name) {
  const unsigned number = tag_count.fetch_add(1, std::memory_order_relaxed);
  if (number >= sizeof(tags) / sizeof(tags[0])) return nullptr;
  tags[number].name = name;
  return &tags[number];
}
NORN_EXPORT void __tsan_external_register_header(void* tag, const char* header) {
  if (tag != nullptr) static_cast<Tag*>(tag)->header = header;
}
NORN_EXPORT void __tsan_external_assign_tag(void* /*object*/, void* /*tag*/) {}
NORN_EXPORT void __tsan_external_read(void* object, void* /*caller*/, void* /*tag*/) {
  access(AccessKind::kRead, object, 1);
}
NORN_EXPORT void __tsan_external_write(void* object, void* /*caller*/, void* /*tag*/) {
  access(AccessKind::kWrite, object, 1);
}

// --- Java --------------------------------------------------------------------------------------------------------
// A virtual machine has one heap, which it collects while its threads stand still.

namespace {

struct JavaHeap {
  Address begin = 0;
  Address end = 0;
};
constinit JavaHeap java_heap;

void begin_life(const Inspection& here, Address address, uint64_t size) {
  if (is_watching()) emit.allocate(here.thread(), address, size);
  Block block;
  block.address = address;
  block.size = size;
  block.thread = here->id;
  block.where = stack_id(*here, &kJavaAllocate);
  add_block(block);
}

void end_life(const Inspection& here, Address address, uint64_t size) {
  const Address end = address + size;
  while (address < end) {
    Block ended;
    // A block that is freed is found until its memory is used again.
    if (find_block(address, ended) && !ended.freed && ended.address == address) {
      end_block(address, ended);
      address += ended.size;
    } else {
      address += 8;
    }
  }
  if (is_watching()) emit.allocate(here.thread(), end - size, size);
}

}  // namespace

NORN_EXPORT void __tsan_java_init(uintptr_t heap, uintptr_t size) { java_heap = {heap, heap + size}; }
NORN_EXPORT int __tsan_java_fini(void) { return 0; }
NORN_EXPORT void __tsan_java_alloc(uintptr_t address, uintptr_t size) {
  if (const Inspection here; here) begin_life(here, address, size);
}
NORN_EXPORT void __tsan_java_free(uintptr_t address, uintptr_t size) {
  if (const Inspection here; here) end_life(here, address, size);
}
// The object's past stays behind: everyone stood still, so nothing before can race with what comes.
NORN_EXPORT void __tsan_java_move(uintptr_t from, uintptr_t to, uintptr_t size) {
  const Inspection here;
  if (!here) return;
  end_life(here, from, size);
  begin_life(here, to, size);
}
// The first object from here on: where a range of `from` to `to` begins to be used; 0 if it does not.
NORN_EXPORT uintptr_t __tsan_java_find(uintptr_t* from, uintptr_t to) {
  const Inspection here;
  if (!here) return 0;
  for (Address at = *from; at < to && at < java_heap.end; at += 8) {
    Block block;
    if (!find_block(at, block) || block.freed || block.address != at) continue;
    *from = at;
    return block.size;
  }
  return 0;
}
// A finalizer comes after all that was done to its object, by whomever.
NORN_EXPORT void __tsan_java_finalize(void) {
  if (const Inspection here; here) emit.come_after_all(here.thread());
}
NORN_EXPORT void __tsan_java_mutex_lock(uintptr_t lock) {
  took(reinterpret_cast<void*>(lock), LockMode::kExclusive, kJavaLock);
}
NORN_EXPORT void __tsan_java_mutex_unlock(uintptr_t lock) { giving(reinterpret_cast<void*>(lock)); }
NORN_EXPORT void __tsan_java_mutex_read_lock(uintptr_t lock) {
  took(reinterpret_cast<void*>(lock), LockMode::kShared, kJavaLock);
}
NORN_EXPORT void __tsan_java_mutex_read_unlock(uintptr_t lock) {
  giving(reinterpret_cast<void*>(lock), LockMode::kShared);
}
NORN_EXPORT void __tsan_java_mutex_lock_rec(uintptr_t lock, int levels) {
  take_levels(reinterpret_cast<void*>(lock), LockMode::kExclusive, levels, kJavaLock, LockAttempt::kBlocking);
}
NORN_EXPORT int __tsan_java_mutex_unlock_rec(uintptr_t lock) { return give_levels(reinterpret_cast<void*>(lock)); }
NORN_EXPORT void __tsan_java_acquire(uintptr_t address) { acquire(reinterpret_cast<void*>(address)); }
NORN_EXPORT void __tsan_java_release(uintptr_t address) { release(reinterpret_cast<void*>(address)); }
// What was released there before is forgotten: the store takes its place.
NORN_EXPORT void __tsan_java_release_store(uintptr_t address) {
  if (const Inspection here; here) emit.sync_destroy(here.thread(), address);
  release(reinterpret_cast<void*>(address));
}

// --- for tests of detectors --------------------------------------------------------------------------------------
// A barrier that orders nothing: who uses it decides who comes first without synchronizing.

NORN_EXPORT void __tsan_testonly_barrier_init(uint32_t* barrier, uint32_t count) {
  barrier[0] = count;
  barrier[1] = 0;
}
NORN_EXPORT void __tsan_testonly_barrier_wait(uint32_t* barrier) {
  const uint32_t count = barrier[0];
  if (count == 0) return;
  const uint32_t arrived = __atomic_add_fetch(&barrier[1], 1, __ATOMIC_SEQ_CST);
  const uint32_t full = (arrived + count - 1) / count * count;
  while (static_cast<int32_t>(__atomic_load_n(&barrier[1], __ATOMIC_SEQ_CST) - full) < 0) sys::yield();
}
NORN_EXPORT size_t __tsan_testonly_shadow_stack_current_size(void) {
  const ThreadState* state = current_state;
  return state == nullptr ? 0 : static_cast<size_t>(__norn_stack - state->running->begin);
}
