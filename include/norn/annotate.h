/* What a program can tell norn about itself: its own locks, its own hand-overs, accesses that no compiler sees.
 *
 * C and C++ may include it. The functions are weak: in a program that is linked without norn they do not exist, and the
 * macros below do nothing. So this header can stay in production code.
 *
 *   // A lock made of inline assembly
 *   void take(struct ticket* t)  { …take it…; NORN_LOCK_ACQUIRED(t, 1); }
 *   void give(struct ticket* t)  { NORN_LOCK_RELEASING(t, 1); …give it up…; }
 *
 *   // A hand-over that norn cannot see (shared memory, a device, an interrupt)
 *   fill(buffer); NORN_RELEASE(buffer); ring_the_bell();
 *   wait_for_the_bell(); NORN_ACQUIRE(buffer); use(buffer);
 *
 *   // Memory that inline assembly writes
 *   NORN_WRITES(page, 4096); asm volatile("rep stosb" …);
 */
#ifndef NORN_ANNOTATE_H
#define NORN_ANNOTATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NORN_WEAK __attribute__((weak))

/* 1 in a program that norn checks. */
int norn_is_running(void) NORN_WEAK;

/* What came before norn_release(tag) in one thread is ordered before what comes after norn_acquire(tag) in another, if
 * the acquire came later. The tag is any address; it is not accessed. */
void norn_acquire(const volatile void* tag) NORN_WEAK;
void norn_release(const volatile void* tag) NORN_WEAK;

/* A lock of the program's own: say so after it was taken and before it is given up, and whether exclusively (1) or
 * shared with other readers (0). It may be recursive. The address is its name in reports. */
void norn_lock_acquired(const volatile void* lock, int exclusive) NORN_WEAK;
void norn_lock_releasing(const volatile void* lock, int exclusive) NORN_WEAK;
void norn_lock_destroyed(const volatile void* lock) NORN_WEAK;

/* The calling thread is about to read or write these bytes, in a way the compiler does not see. */
void norn_reads(const volatile void* address, size_t size) NORN_WEAK;
void norn_writes(const volatile void* address, size_t size) NORN_WEAK;

/* These bytes are handed out anew, by an allocator of the program's own: what was done to them before does not count.
 */
void norn_new_memory(const volatile void* address, size_t size) NORN_WEAK;

/* Races on these bytes are known and accepted. The reason is for whoever reads the source. */
void norn_benign_race(const volatile void* address, size_t size, const char* reason) NORN_WEAK;

/* Between the two, the calling thread's accesses (or its synchronization) do not count. They nest. */
void norn_ignore_begin(void) NORN_WEAK;
void norn_ignore_end(void) NORN_WEAK;
void norn_ignore_sync_begin(void) NORN_WEAK;
void norn_ignore_sync_end(void) NORN_WEAK;

/* The calling thread's name in reports. pthread_setname_np does the same. */
void norn_thread_name(const char* name) NORN_WEAK;

#ifdef __cplusplus
}
#endif

#define NORN_IF_THERE_(function, arguments) ((function) != NULL ? (void)function arguments : (void)0)
#define NORN_ACQUIRE(tag) NORN_IF_THERE_(norn_acquire, (tag))
#define NORN_RELEASE(tag) NORN_IF_THERE_(norn_release, (tag))
#define NORN_LOCK_ACQUIRED(lock, exclusive) NORN_IF_THERE_(norn_lock_acquired, (lock, exclusive))
#define NORN_LOCK_RELEASING(lock, exclusive) NORN_IF_THERE_(norn_lock_releasing, (lock, exclusive))
#define NORN_LOCK_DESTROYED(lock) NORN_IF_THERE_(norn_lock_destroyed, (lock))
#define NORN_READS(address, size) NORN_IF_THERE_(norn_reads, (address, size))
#define NORN_WRITES(address, size) NORN_IF_THERE_(norn_writes, (address, size))
#define NORN_NEW_MEMORY(address, size) NORN_IF_THERE_(norn_new_memory, (address, size))
#define NORN_BENIGN_RACE(address, size, reason) NORN_IF_THERE_(norn_benign_race, (address, size, reason))
#define NORN_IGNORE_BEGIN() NORN_IF_THERE_(norn_ignore_begin, ())
#define NORN_IGNORE_END() NORN_IF_THERE_(norn_ignore_end, ())
#define NORN_THREAD_NAME(name) NORN_IF_THERE_(norn_thread_name, (name))

#endif /* NORN_ANNOTATE_H */
