// SPDX-License-Identifier: GPL-2.0-or-later
// What programs say of themselves by calling functions that a detector supplies: norn's own interface
// (include/norn/annotate.h), ThreadSanitizer's, and that of dynamic_annotations.h. Here they are, for programs that
// declare them weak; and they replace the empty ones that other programs bring along.
#include <stddef.h>

#include "valgrind/preload/preload.h"

// The parameters in front are not needed.
#define ANNOTATION(type, name, parameters, ...)     \
  type name parameters;                             \
  type name parameters { __VA_ARGS__; }             \
  type VG_REPLACE_FUNCTION_ZZ(Za, name) parameters; \
  type VG_REPLACE_FUNCTION_ZZ(Za, name) parameters { __VA_ARGS__; }

typedef const volatile void* Tag;

enum { kIgnoreReads = 1, kIgnoreWrites = 2, kIgnoreSync = 4 };  // core/event.h
#define ACCESSES (kIgnoreReads | kIgnoreWrites)
#define EVERYTHING (ACCESSES | kIgnoreSync)

// --- norn --------------------------------------------------------------------------------------------------------

ANNOTATION(int, norn_is_running, (void), return 1)
ANNOTATION(void, norn_acquire, (Tag tag), TELL(kNornHappensAfter, tag, 0, 0))
ANNOTATION(void, norn_release, (Tag tag), TELL(kNornHappensBefore, tag, 0, 0))
ANNOTATION(void, norn_lock_acquired, (Tag lock, int exclusive), TELL(kNornLockTook, lock, !exclusive, 0))
ANNOTATION(void, norn_lock_releasing, (Tag lock, int exclusive), TELL(kNornLockGiving, lock, !exclusive, 0))
ANNOTATION(void, norn_lock_destroyed, (Tag lock), TELL(kNornLockMade, lock, 0, 0))
ANNOTATION(void, norn_reads, (Tag address, size_t size), TELL(kNornReads, address, size, 0))
ANNOTATION(void, norn_writes, (Tag address, size_t size), TELL(kNornWrites, address, size, 0))
ANNOTATION(void, norn_new_memory, (Tag address, size_t size), TELL(kNornNewMemory, address, size, 0))
ANNOTATION(void, norn_benign_race, (Tag address, size_t size, const char* why), (void)why;
           TELL(kNornBenign, address, size, 0))
ANNOTATION(void, norn_ignore_begin, (void), TELL(kNornIgnoreBegin, ACCESSES, 0, 0))
ANNOTATION(void, norn_ignore_end, (void), TELL(kNornIgnoreEnd, ACCESSES, 0, 0))
ANNOTATION(void, norn_ignore_sync_begin, (void), TELL(kNornIgnoreBegin, kIgnoreSync, 0, 0))
ANNOTATION(void, norn_ignore_sync_end, (void), TELL(kNornIgnoreEnd, kIgnoreSync, 0, 0))
ANNOTATION(void, norn_thread_name, (const char* name), TELL(kNornName, 0, name, 0))

// --- ThreadSanitizer (sanitizer/tsan_interface.h) ----------------------------------------------------------------

enum { kTsanReadLock = 1 << 3, kTsanTryLock = 1 << 4, kTsanTryLockFailed = 1 << 5 };

ANNOTATION(void, __tsan_acquire, (void* tag), TELL(kNornHappensAfter, tag, 0, 0))
ANNOTATION(void, __tsan_release, (void* tag), TELL(kNornHappensBefore, tag, 0, 0))
ANNOTATION(void, __tsan_mutex_create, (void* lock, unsigned flags), (void)flags; TELL(kNornLockGone, lock, 0, 0))
ANNOTATION(void, __tsan_mutex_destroy, (void* lock, unsigned flags), (void)flags; TELL(kNornLockGone, lock, 0, 0))
// Between `pre` and `post` runs the lock's own code. What it does to its own memory is not the program's doing.
ANNOTATION(void, __tsan_mutex_pre_lock, (void* lock, unsigned flags), (void)lock; (void)flags;
           TELL(kNornIgnoreBegin, EVERYTHING, 0, 0))
ANNOTATION(void, __tsan_mutex_post_lock, (void* lock, unsigned flags, int recursion), {
  TELL(kNornIgnoreEnd, EVERYTHING, 0, 0);
  if ((flags & kTsanTryLockFailed) != 0) return;
  for (int i = 0; i < (recursion > 1 ? recursion : 1); ++i) {
    TELL(kNornLockTook, lock, (flags & kTsanReadLock) != 0, (flags & kTsanTryLock) != 0);
  }
})
ANNOTATION(int, __tsan_mutex_pre_unlock, (void* lock, unsigned flags), {
  TELL(kNornLockGiving, lock, (flags & kTsanReadLock) != 0, 0);
  TELL(kNornIgnoreBegin, EVERYTHING, 0, 0);
  return 1;
})
ANNOTATION(void, __tsan_mutex_post_unlock, (void* lock, unsigned flags), (void)lock; (void)flags;
           TELL(kNornIgnoreEnd, EVERYTHING, 0, 0))
ANNOTATION(void, __tsan_mutex_pre_signal, (void* lock, unsigned flags), (void)lock; (void)flags;
           TELL(kNornIgnoreBegin, EVERYTHING, 0, 0))
ANNOTATION(void, __tsan_mutex_post_signal, (void* lock, unsigned flags), (void)lock; (void)flags;
           TELL(kNornIgnoreEnd, EVERYTHING, 0, 0))
ANNOTATION(void, __tsan_mutex_pre_divert, (void* lock, unsigned flags), (void)lock; (void)flags;
           TELL(kNornIgnoreEnd, EVERYTHING, 0, 0))
ANNOTATION(void, __tsan_mutex_post_divert, (void* lock, unsigned flags), (void)lock; (void)flags;
           TELL(kNornIgnoreBegin, EVERYTHING, 0, 0))

// --- dynamic_annotations.h ---------------------------------------------------------------------------------------

#define DYNAMIC(name, parameters, ...) \
  ANNOTATION(void, name, (const char* file, int line FOLLOWED_BY parameters), (void)file; (void)line; __VA_ARGS__)
#define FOLLOWED_BY(...) __VA_OPT__(, ) __VA_ARGS__

DYNAMIC(AnnotateHappensBefore, (Tag tag), TELL(kNornHappensBefore, tag, 0, 0))
DYNAMIC(AnnotateHappensAfter, (Tag tag), TELL(kNornHappensAfter, tag, 0, 0))
DYNAMIC(AnnotateCondVarSignal, (Tag tag), TELL(kNornHappensBefore, tag, 0, 0))
DYNAMIC(AnnotateCondVarSignalAll, (Tag tag), TELL(kNornHappensBefore, tag, 0, 0))
DYNAMIC(AnnotateCondVarWait, (Tag tag, Tag lock), (void)lock; TELL(kNornHappensAfter, tag, 0, 0))
DYNAMIC(AnnotatePCQPut, (Tag tag), TELL(kNornHappensBefore, tag, 0, 0))
DYNAMIC(AnnotatePCQGet, (Tag tag), TELL(kNornHappensAfter, tag, 0, 0))
DYNAMIC(AnnotateNewMemory, (Tag address, size_t size), TELL(kNornNewMemory, address, size, 0))
DYNAMIC(AnnotateEnableRaceDetection, (int enable), TELL(enable ? kNornIgnoreEnd : kNornIgnoreBegin, ACCESSES, 0, 0))
DYNAMIC(AnnotateThreadName, (const char* name), TELL(kNornName, 0, name, 0))
DYNAMIC(AnnotateBenignRace, (Tag address, const char* why), (void)why; TELL(kNornBenign, address, 8, 0))
DYNAMIC(AnnotateBenignRaceSized, (Tag address, size_t size, const char* why), (void)why;
        TELL(kNornBenign, address, size, 0))
DYNAMIC(AnnotateIgnoreReadsBegin, (), TELL(kNornIgnoreBegin, kIgnoreReads, 0, 0))
DYNAMIC(AnnotateIgnoreReadsEnd, (), TELL(kNornIgnoreEnd, kIgnoreReads, 0, 0))
DYNAMIC(AnnotateIgnoreWritesBegin, (), TELL(kNornIgnoreBegin, kIgnoreWrites, 0, 0))
DYNAMIC(AnnotateIgnoreWritesEnd, (), TELL(kNornIgnoreEnd, kIgnoreWrites, 0, 0))
DYNAMIC(AnnotateIgnoreSyncBegin, (), TELL(kNornIgnoreBegin, kIgnoreSync, 0, 0))
DYNAMIC(AnnotateIgnoreSyncEnd, (), TELL(kNornIgnoreEnd, kIgnoreSync, 0, 0))
DYNAMIC(AnnotateRWLockCreate, (Tag lock), TELL(kNornLockGone, lock, 0, 0))
DYNAMIC(AnnotateRWLockDestroy, (Tag lock), TELL(kNornLockGone, lock, 0, 0))
DYNAMIC(AnnotateRWLockAcquired, (Tag lock, long is_writer), TELL(kNornLockTook, lock, is_writer == 0, 0))
DYNAMIC(AnnotateRWLockReleased, (Tag lock, long is_writer), TELL(kNornLockGiving, lock, is_writer == 0, 0))
DYNAMIC(AnnotateBarrierInit, (Tag barrier, long count, long again), (void)again;
        TELL(kNornBarrierMade, barrier, count, 0))
DYNAMIC(AnnotateBarrierWaitBefore, (Tag barrier), TELL(kNornBarrierEnter, barrier, 0, 0))
DYNAMIC(AnnotateBarrierWaitAfter, (Tag barrier), TELL(kNornBarrierLeave, barrier, 0, 0))
DYNAMIC(AnnotateBarrierDestroy, (Tag barrier), TELL(kNornObjectGone, barrier, 0, 0))
