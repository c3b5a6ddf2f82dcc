// The annotations of ThreadSanitizer and of dynamic_annotations.h, as a program that knows no detector declares
// them: weak, so that it links without one, and called only where one is there.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NORN_TEST_WEAK __attribute__((weak))
void __tsan_acquire(void* address) NORN_TEST_WEAK;
void __tsan_release(void* address) NORN_TEST_WEAK;
void __tsan_mutex_create(void* address, unsigned flags) NORN_TEST_WEAK;
void __tsan_mutex_destroy(void* address, unsigned flags) NORN_TEST_WEAK;
void __tsan_mutex_pre_lock(void* address, unsigned flags) NORN_TEST_WEAK;
void __tsan_mutex_post_lock(void* address, unsigned flags, int recursion) NORN_TEST_WEAK;
int __tsan_mutex_pre_unlock(void* address, unsigned flags) NORN_TEST_WEAK;
void __tsan_mutex_post_unlock(void* address, unsigned flags) NORN_TEST_WEAK;
void __tsan_mutex_pre_signal(void* address, unsigned flags) NORN_TEST_WEAK;
void __tsan_mutex_post_signal(void* address, unsigned flags) NORN_TEST_WEAK;
void __tsan_mutex_pre_divert(void* address, unsigned flags) NORN_TEST_WEAK;
void __tsan_mutex_post_divert(void* address, unsigned flags) NORN_TEST_WEAK;
void* __tsan_get_current_fiber(void) NORN_TEST_WEAK;
void* __tsan_create_fiber(unsigned flags) NORN_TEST_WEAK;
void __tsan_destroy_fiber(void* fiber) NORN_TEST_WEAK;
void __tsan_switch_to_fiber(void* fiber, unsigned flags) NORN_TEST_WEAK;

void AnnotateHappensBefore(const char* file, int line, const volatile void* address) NORN_TEST_WEAK;
void AnnotateHappensAfter(const char* file, int line, const volatile void* address) NORN_TEST_WEAK;
void AnnotateRWLockCreate(const char* file, int line, const volatile void* lock) NORN_TEST_WEAK;
void AnnotateRWLockDestroy(const char* file, int line, const volatile void* lock) NORN_TEST_WEAK;
void AnnotateRWLockAcquired(const char* file, int line, const volatile void* lock, long is_writer) NORN_TEST_WEAK;
void AnnotateRWLockReleased(const char* file, int line, const volatile void* lock, long is_writer) NORN_TEST_WEAK;
void AnnotateBenignRaceSized(const char* file, int line, const volatile void* address, size_t size,
                             const char* why) NORN_TEST_WEAK;
void AnnotateIgnoreReadsBegin(const char* file, int line) NORN_TEST_WEAK;
void AnnotateIgnoreReadsEnd(const char* file, int line) NORN_TEST_WEAK;
void AnnotateIgnoreWritesBegin(const char* file, int line) NORN_TEST_WEAK;
void AnnotateIgnoreWritesEnd(const char* file, int line) NORN_TEST_WEAK;
void AnnotateIgnoreSyncBegin(const char* file, int line) NORN_TEST_WEAK;
void AnnotateIgnoreSyncEnd(const char* file, int line) NORN_TEST_WEAK;

#ifdef __cplusplus
}
#endif

enum { kTsanNotStatic = 1 << 8, kTsanReadLock = 1 << 3, kTsanNoSync = 1 };

// Calls the annotation if there is a detector that has it.
#define TSAN(name, ...)                            \
  do {                                             \
    if (__tsan_##name) __tsan_##name(__VA_ARGS__); \
  } while (0)
#define ANNOTATE(name, ...)                                                \
  do {                                                                     \
    if (Annotate##name) Annotate##name(__FILE__, __LINE__, ##__VA_ARGS__); \
  } while (0)
