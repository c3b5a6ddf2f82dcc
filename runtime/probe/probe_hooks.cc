// What the program's code calls: at active probes, and while synchronization is followed (include/norn/abi.h).
#include "norn/abi.h"
#include "norn/annotate.h"
#include "runtime/probe/following.h"

using namespace norn::probe;

#define NORN_EXPORT extern "C" __attribute__((visibility("default"), used))

NORN_EXPORT void __norn_probe_module_init(const norn_probe_module* module, int flags) {
  validation.add_module(module, flags);
}
NORN_EXPORT void __norn_probe_module_fini(const norn_probe_module* module) { validation.remove_module(module); }

NORN_EXPORT NORN_SLOW void __norn_probe(const void* address, norn_probe* probe) {
  validation.access({{object_at(address), probe->size}, probe, __builtin_return_address(0)});
}
NORN_EXPORT NORN_SLOW void __norn_probe_range(const void* address, norn_probe* probe, size_t size) {
  validation.access({{object_at(address), size}, probe, __builtin_return_address(0)});
}
NORN_EXPORT NORN_SLOW void __norn_probe_release(const void* address, int order) {
  validation.atomic_release(object_at(address), order);
}
NORN_EXPORT NORN_SLOW void __norn_probe_acquire(const void* address, int order) {
  validation.atomic_acquire(object_at(address), order);
}
NORN_EXPORT NORN_SLOW void __norn_probe_fence(int order) { validation.fence(order); }
NORN_EXPORT NORN_SLOW void __norn_probe_waited(void) { validation.come_after_all(); }

// What a program says of its own synchronization counts here, too (norn/annotate.h).
NORN_EXPORT void norn_acquire(const volatile void* tag) { after_acquire(tag); }
NORN_EXPORT void norn_release(const volatile void* tag) { before_release(tag); }
NORN_EXPORT void norn_lock_acquired(const volatile void* lock, int exclusive) { after_acquire(lock, exclusive != 0); }
NORN_EXPORT void norn_lock_releasing(const volatile void* lock, int exclusive) {
  before_release(lock, exclusive != 0 ? Passes::kToAll : Passes::kToWriters);
}
NORN_EXPORT void norn_new_memory(const volatile void* address, size_t size) {
  validation.renew(object_at(address), size);
}

NORN_EXPORT void norn_benign_race(const volatile void* address, size_t size, const char* /*reason*/) {
  validation.accept_races({object_at(address), size});
}
NORN_EXPORT void norn_ignore_begin(void) { Validation::begin_ignoring(); }
NORN_EXPORT void norn_ignore_end(void) { Validation::end_ignoring(); }

// The same in ThreadSanitizer's words and in those of dynamic annotations. A program may have its own.
#define NORN_ANNOTATION extern "C" __attribute__((weak, visibility("default"), used))
namespace {
constexpr unsigned kReads = 1 << 3;  // __tsan_mutex_read_lock
}
NORN_ANNOTATION void __tsan_acquire(void* tag) { after_acquire(tag); }
NORN_ANNOTATION void __tsan_release(void* tag) { before_release(tag); }
NORN_ANNOTATION void __tsan_mutex_post_lock(void* lock, unsigned flags, int /*recursion*/) {
  after_acquire(lock, (flags & kReads) == 0);
}
NORN_ANNOTATION int __tsan_mutex_pre_unlock(void* lock, unsigned flags) {
  before_release(lock, (flags & kReads) == 0 ? Passes::kToAll : Passes::kToWriters);
  return 0;
}
NORN_ANNOTATION void AnnotateHappensBefore(const char* /*file*/, int /*line*/, const volatile void* tag) {
  before_release(tag);
}
NORN_ANNOTATION void AnnotateHappensAfter(const char* /*file*/, int /*line*/, const volatile void* tag) {
  after_acquire(tag);
}
NORN_ANNOTATION void __tsan_ignore_thread_begin() { Validation::begin_ignoring(); }
NORN_ANNOTATION void __tsan_ignore_thread_end() { Validation::end_ignoring(); }
NORN_ANNOTATION void AnnotateIgnoreReadsBegin(const char* /*file*/, int /*line*/) { Validation::begin_ignoring(); }
NORN_ANNOTATION void AnnotateIgnoreReadsEnd(const char* /*file*/, int /*line*/) { Validation::end_ignoring(); }
NORN_ANNOTATION void AnnotateIgnoreWritesBegin(const char* /*file*/, int /*line*/) { Validation::begin_ignoring(); }
NORN_ANNOTATION void AnnotateIgnoreWritesEnd(const char* /*file*/, int /*line*/) { Validation::end_ignoring(); }
NORN_ANNOTATION void AnnotateBenignRaceSized(const char* /*file*/, int /*line*/, const volatile void* address,
                                             size_t size, const char* /*reason*/) {
  validation.accept_races({object_at(address), size});
}
