// What programs say of themselves: norn's own interface (include/norn/annotate.h), that of dynamic_annotations.h, and
// Valgrind's client requests. ThreadSanitizer's is in tsan.cc.
#include "norn/annotate.h"

#include "norn/abi.h"
#include "norn/check.h"
#include "runtime/control/predicates.h"
#include "runtime/interface/annotations.h"
#include "runtime/process/emit.h"

using namespace norn;
using namespace norn::rt;

namespace {

constexpr norn_site kAnnotatedLock = library_site("norn_lock_acquired");

}  // namespace

// --- norn --------------------------------------------------------------------------------------------------------

NORN_EXPORT int norn_is_running(void) { return 1; }
NORN_EXPORT void norn_acquire(const volatile void* tag) { acquire(tag); }
NORN_EXPORT void norn_release(const volatile void* tag) { release(tag); }
NORN_EXPORT void norn_lock_acquired(const volatile void* lock, int exclusive) {
  took(lock, exclusive != 0 ? LockMode::kExclusive : LockMode::kShared, kAnnotatedLock);
}
NORN_EXPORT void norn_lock_releasing(const volatile void* lock, int exclusive) {
  giving(lock, exclusive != 0 ? LockMode::kExclusive : LockMode::kShared);
}
NORN_EXPORT void norn_lock_destroyed(const volatile void* lock) { destroyed_lock(lock, kAnnotatedLock); }
NORN_EXPORT void norn_reads(const volatile void* address, size_t size) { access(AccessKind::kRead, address, size); }
NORN_EXPORT void norn_writes(const volatile void* address, size_t size) { access(AccessKind::kWrite, address, size); }
NORN_EXPORT void norn_new_memory(const volatile void* address, size_t size) { new_memory(address, size); }
NORN_EXPORT void norn_benign_race(const volatile void* address, size_t size, const char* /*reason*/) {
  benign(address, size);
}
NORN_EXPORT void norn_ignore_begin(void) { begin_ignoring(kIgnoreReads | kIgnoreWrites); }
NORN_EXPORT void norn_ignore_end(void) { end_ignoring(kIgnoreReads | kIgnoreWrites); }
NORN_EXPORT void norn_ignore_sync_begin(void) { begin_ignoring(kIgnoreSync); }
NORN_EXPORT void norn_ignore_sync_end(void) { end_ignoring(kIgnoreSync); }
NORN_EXPORT void norn_thread_name(const char* name) {
  if (const Inspection here; here) set_thread_name(here->id, name);
}
NORN_EXPORT void norn_add_invariant(const norn_invariant* invariant) { control::add_invariant(*invariant); }

// --- dynamic_annotations.h ---------------------------------------------------------------------------------------

#define NORN_ANNOTATION(name, ...) \
  NORN_EXPORT void Annotate##name(const char* /*file*/, int /*line*/ __VA_OPT__(, ) __VA_ARGS__)

NORN_ANNOTATION(HappensBefore, const volatile void* tag) { release(tag); }
NORN_ANNOTATION(HappensAfter, const volatile void* tag) { acquire(tag); }
NORN_ANNOTATION(CondVarSignal, const volatile void* condition) { release(condition); }
NORN_ANNOTATION(CondVarSignalAll, const volatile void* condition) { release(condition); }
NORN_ANNOTATION(CondVarWait, const volatile void* condition, const volatile void* /*lock*/) { acquire(condition); }
NORN_ANNOTATION(MutexIsNotPHB, const volatile void* /*lock*/) {}
NORN_ANNOTATION(MutexIsUsedAsCondVar, const volatile void* /*lock*/) {}
NORN_ANNOTATION(PCQCreate, const volatile void* /*queue*/) {}
NORN_ANNOTATION(PCQDestroy, const volatile void* /*queue*/) {}
NORN_ANNOTATION(PCQPut, const volatile void* queue) { release(queue); }
NORN_ANNOTATION(PCQGet, const volatile void* queue) { acquire(queue); }
NORN_ANNOTATION(PublishMemoryRange, const volatile void* /*address*/, size_t /*size*/) {}
NORN_ANNOTATION(UnpublishMemoryRange, const volatile void* /*address*/, size_t /*size*/) {}
NORN_ANNOTATION(NewMemory, const volatile void* address, size_t size) { new_memory(address, size); }
NORN_ANNOTATION(TraceMemory, const volatile void* /*address*/) {}
NORN_ANNOTATION(FlushState) {}
NORN_ANNOTATION(NoOp, const volatile void* /*address*/) {}
NORN_ANNOTATION(FlushExpectedRaces) {}
NORN_ANNOTATION(ExpectRace, const volatile void* /*address*/, const char* /*what*/) {}
NORN_ANNOTATION(EnableRaceDetection, int enable) {
  (enable != 0 ? end_ignoring : begin_ignoring)(kIgnoreReads | kIgnoreWrites);
}
NORN_ANNOTATION(ThreadName, const char* name) { norn_thread_name(name); }
NORN_ANNOTATION(BenignRace, const volatile void* address, const char* /*why*/) { benign(address, 8); }
NORN_ANNOTATION(BenignRaceSized, const volatile void* address, size_t size, const char* /*why*/) {
  benign(address, size);
}
NORN_ANNOTATION(IgnoreReadsBegin) { begin_ignoring(kIgnoreReads); }
NORN_ANNOTATION(IgnoreReadsEnd) { end_ignoring(kIgnoreReads); }
NORN_ANNOTATION(IgnoreWritesBegin) { begin_ignoring(kIgnoreWrites); }
NORN_ANNOTATION(IgnoreWritesEnd) { end_ignoring(kIgnoreWrites); }
NORN_ANNOTATION(IgnoreSyncBegin) { begin_ignoring(kIgnoreSync); }
NORN_ANNOTATION(IgnoreSyncEnd) { end_ignoring(kIgnoreSync); }

namespace {
constexpr norn_site kAnnotatedRwlock = library_site("AnnotateRWLockAcquired");
}

NORN_ANNOTATION(RWLockCreate, const volatile void* lock) {
  if (const Inspection here; here) emit.lock_destroy(here.thread(), address_of(lock));
}
NORN_ANNOTATION(RWLockCreateStatic, const volatile void* /*lock*/) {}
NORN_ANNOTATION(RWLockDestroy, const volatile void* lock) {
  if (const Inspection here; here) emit.lock_destroy(here.thread(), address_of(lock));
}
NORN_ANNOTATION(RWLockAcquired, const volatile void* lock, long is_writer) {
  took(lock, is_writer != 0 ? LockMode::kExclusive : LockMode::kShared, kAnnotatedRwlock);
}
NORN_ANNOTATION(RWLockReleased, const volatile void* lock, long is_writer) {
  giving(lock, is_writer != 0 ? LockMode::kExclusive : LockMode::kShared);
}
NORN_ANNOTATION(BarrierInit, const volatile void* barrier, long count, long /*reinitialize*/) {
  if (const Inspection here; here) {
    emit.barrier_init(here.thread(), address_of(barrier), static_cast<uint32_t>(count));
  }
}
NORN_ANNOTATION(BarrierWaitBefore, const volatile void* barrier) {
  if (const Inspection here; here) emit.barrier_enter(here.thread(), address_of(barrier));
}
NORN_ANNOTATION(BarrierWaitAfter, const volatile void* barrier) {
  if (const Inspection here; here) emit.barrier_leave(here.thread(), address_of(barrier));
}
NORN_ANNOTATION(BarrierDestroy, const volatile void* barrier) {
  if (const Inspection here; here) emit.sync_destroy(here.thread(), address_of(barrier));
}
NORN_ANNOTATION(MemoryIsInitialized, const volatile void* /*address*/, size_t /*size*/) {}
NORN_ANNOTATION(MemoryIsUninitialized, const volatile void* /*address*/, size_t /*size*/) {}
NORN_EXPORT void WTFAnnotateHappensBefore(const char* /*file*/, int /*line*/, const volatile void* tag) {
  release(tag);
}
NORN_EXPORT void WTFAnnotateHappensAfter(const char* /*file*/, int /*line*/, const volatile void* tag) { acquire(tag); }
NORN_EXPORT void WTFAnnotateBenignRaceSized(const char* /*file*/, int /*line*/, const volatile void* address,
                                            size_t size, const char* /*why*/) {
  benign(address, size);
}
NORN_EXPORT int RunningOnValgrind(void) { return 0; }
NORN_EXPORT double ValgrindSlowdown(void) { return 10; }

// --- Valgrind's client requests ------------------------------------------------------------------------------------

namespace {

// Codes of helgrind.h (3.19) that order something or say what memory is. Tool 'HG', and 'DR' for drd.h, which
// Valgrind's ANNOTATE_… macros also use.
constexpr uint64_t kHelgrind = uint64_t{'H'} << 24 | uint64_t{'G'} << 16;
enum HelgrindRequest : uint64_t {
  kCleanMemory = kHelgrind,
  kRwlockDestroyed = kHelgrind + 271,
  kRwlockAcquired = kHelgrind + 273,
  kRwlockReleased = kHelgrind + 274,
  kSend = kHelgrind + 289,
  kReceive = kHelgrind + 290,
  kForget = kHelgrind + 291,
  kUntracked = kHelgrind + 295,
};
constexpr norn_site kRequestedLock = library_site("VALGRIND_HG_RWLOCK");

}  // namespace

NORN_EXPORT void __norn_client_request(const uint64_t* words) {
  const auto* object = reinterpret_cast<const void*>(words[1]);
  switch (words[0]) {
    case kSend:
      return release(object);
    case kReceive:
      return acquire(object);
    case kUntracked:
      return benign(object, words[2]);
    default:
      break;
  }
  const Inspection here;
  if (!here) return;
  const Address address = words[1];
  switch (words[0]) {
    case kCleanMemory:
      return emit.allocate(here.thread(), address, words[2]);
    case kForget:
      return emit.sync_destroy(here.thread(), address);
    case kRwlockDestroyed:
      return emit.lock_destroy(here.thread(), address);
    case kRwlockAcquired:
      return emit.lock_acquire(here.thread(), address, words[2] != 0 ? LockMode::kExclusive : LockMode::kShared,
                               LockAttempt::kTry, stack_id(*here, &kRequestedLock));
    case kRwlockReleased:
      return emit.lock_release(here.thread(), address, LockMode::kExclusive);
    default:
      return;
  }
}
