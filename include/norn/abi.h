/* The contract between instrumented code and the runtime. C and C++ may include it.
 *
 * The compiler plugin (compiler/) emits data of the types below and calls to the functions below; the runtime
 * (runtime/) defines the functions. Nothing else passes between the two. A change of a layout or of a meaning is
 * a change of NORN_ABI_VERSION, which is part of a symbol that every instrumented object refers to, so that
 * objects of another version fail to link instead of failing to run.
 */
#ifndef NORN_RUNTIME_ABI_H
#define NORN_RUNTIME_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "norn/site.h"

#define NORN_ABI_VERSION 8

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Global variables -------------------------------------------------------------------------------------
 *
 * Section "norn_globals": one entry for each variable with static or thread storage that is defined here.
 */

enum norn_global_flag {
  NORN_GLOBAL_THREAD_LOCAL = 1 /* `address` is a `void* (*)(void)` that gives the calling thread's variable */
};

/* Where the leaves of a variable's type lie. An array is one entry: its elements lie `stride` apart, `count` times,
 * and the first "[]" of `path` stands for the index; without an array `count` is 1. A byte `b` of the variable is in
 * the member if b >= offset, (b - offset) / stride < count and (b - offset) % stride < size. */
typedef struct norn_member {
  const char* path; /* to be appended to the variable's name: ".balance", "[]", ".items[].next" */
  uint64_t offset;
  uint64_t size;
  uint64_t stride;
  uint64_t count;
} norn_member;

typedef struct norn_global {
  const void* address;
  uint64_t size;
  const char* name; /* "account", "Bank::total", "teller(int)::calls" */
  const char* file;
  const char* directory;
  const norn_member* members; /* in order of their offsets; null for a scalar */
  uint32_t member_count;
  uint32_t line;
  uint32_t flags;
  uint32_t reserved;
} norn_global;

NORN_ABI_ASSERT(sizeof(norn_member) == 40, "the plugin lays members out in 40 bytes");
NORN_ABI_ASSERT(sizeof(norn_global) == 64, "the plugin lays globals out in 64 bytes");
NORN_ABI_ASSERT(offsetof(norn_global, member_count) == 48 && offsetof(norn_global, flags) == 56, "norn_global");

/* ---- Variables on the stack -------------------------------------------------------------------------------
 *
 * Section "norn_locals": one entry for each variable of a function that other threads may reach. While the variable
 * lives, the word behind it (aligned to 8 bytes) has the entry's address.
 */
typedef struct norn_local {
  const char* name;           /* "pool" */
  const char* function;       /* whose variable it is */
  const char* frame_function; /* in whose frame it lies: another one if the first was inlined */
  const char* file;
  const char* directory;
  const norn_member* members; /* as of a global variable */
  uint64_t size;
  uint32_t member_count;
  uint32_t line;
} norn_local;

NORN_ABI_ASSERT(sizeof(norn_local) == 64, "the plugin lays locals out in 64 bytes");

/* ---- Loops that wait --------------------------------------------------------------------------------------
 *
 * Section "norn_loops": one entry for each exit of a loop that is taken because another thread wrote something (a
 * spin), and one for each loop around a wait on a condition variable.
 */

enum norn_loop_kind {
  NORN_LOOP_SPIN = 1,
  NORN_LOOP_WAIT = 2, /* with SPIN: the exit of a loop that waits on a condition variable too */
  NORN_LOOP_LOCKS = 4 /* the loop may take or give up locks as it goes round */
};

/* A variable that an exit's condition reads, known before anything runs. */
typedef struct norn_flag {
  const void* address;
  uint64_t size;
} norn_flag;

typedef struct norn_loop {
  const norn_site* site; /* where the exit is decided */
  const char* text;      /* what is waited for: "ready", "queue.head" */
  const char* graph;     /* its blocks and edges for graphviz, with '%' for a number of its own */
  const norn_flag* flags;
  uint32_t kind;   /* norn_loop_kind, some of them */
  uint32_t blocks; /* how many blocks the condition is spread over */
  uint32_t flag_count;
  uint32_t reserved;
} norn_loop;

NORN_ABI_ASSERT(sizeof(norn_loop) == 48, "the plugin lays loops out in 48 bytes");

/* ---- Modules ----------------------------------------------------------------------------------------------
 *
 * Every linked module has one constructor, before all others of the module, and one destructor, after all others,
 * that register its tables. Either range may be empty (both ends equal, possibly null). The same module may come
 * twice (links that keep two copies of the constructor): the second time must be ignored. Constructors of shared
 * objects run before those of the executable, so the first call may be the runtime's first sign of life. The name
 * carries the version: an object of another version does not link.
 */
#define NORN_VERSIONED_(name, version) name##_v##version
#define NORN_VERSIONED(name, version) NORN_VERSIONED_(name, version)
#define __norn_module_init NORN_VERSIONED(__norn_module_init, NORN_ABI_VERSION)

typedef struct norn_module {
  const norn_site* sites_begin;
  const norn_site* sites_end;
  const norn_global* globals_begin;
  const norn_global* globals_end;
  const norn_loop* loops_begin;
  const norn_loop* loops_end;
  const void* conditions;  /* not null: some of its code calls what may be a condition variable's */
  uint32_t* regions_begin; /* section "norn_regions", see Sampling; empty but in the sampling profile */
  uint32_t* regions_end;
  const norn_local* locals_begin;
  const norn_local* locals_end;
} norn_module;

void __norn_module_init(const norn_module* module); /* `module` lives as long as the code */
void __norn_module_fini(const norn_module* module); /* at dlclose and at exit */

/* ---- Plain accesses ---------------------------------------------------------------------------------------
 *
 * Called before the access, which the program itself then does. Any alignment. Never called for addresses that
 * provably do not leave their thread, for constants, or when another hook in the same stretch of code without
 * synchronization surely says as much about the same bytes (docs/design/pruning.md). `value` is what is written,
 * widened by zeros, for reports alone; it is anything if the site does not say that it is given (NORN_SITE_SAYS_VALUE).
 */
void __norn_read1(const void* address, const norn_site* site);
void __norn_read2(const void* address, const norn_site* site);
void __norn_read4(const void* address, const norn_site* site);
void __norn_read8(const void* address, const norn_site* site);
void __norn_read16(const void* address, const norn_site* site);
void __norn_write1(const void* address, const norn_site* site, uint64_t value);
void __norn_write2(const void* address, const norn_site* site, uint64_t value);
void __norn_write4(const void* address, const norn_site* site, uint64_t value);
void __norn_write8(const void* address, const norn_site* site, uint64_t value);
void __norn_write16(const void* address, const norn_site* site);
void __norn_read_range(const void* address, size_t size, const norn_site* site); /* size may be 0 */
void __norn_write_range(const void* address, size_t size, const norn_site* site);
/* Of a loop that begins: so many values of `size` bytes, `step` bytes from one to the next. Gives the time at which
 * they were emitted, which must be the same for all of a loop. 0: each access is to be emitted by itself all the same.
 */
uint64_t __norn_run_read(const void* first, uint64_t count, uint64_t step, uint64_t size, const norn_site* site);
uint64_t __norn_run_write(const void* first, uint64_t count, uint64_t step, uint64_t size, const norn_site* site);

/* Optimised code looks first whether the thread has done the same at its present time already, and calls only if it has
 * not. For one or two bytes aligned to their size, or four, eight or sixteen aligned to four, eight and eight:
 *
 *     fast  = __norn_fast
 *     word = *(uint64_t*)(fast->granules + 4 * (address & fast->mask))   the shadow of the address: 32 bytes for 8
 *     news  = (word ^ fast->read) & fast->read_bits                      of writes: fast->write, NORN_FAST_WRITE_BITS
 *     if (news != 0) __norn_slow_read8(address, site)
 *
 * Of shorter accesses only the bits of their bytes count, of those from NORN_FAST_BYTES_AT on, and they call only if
 * there are news with fast->others instead of fast->granules, too: what the thread did to other bytes last may have
 * taken the first shadow word's place. Sixteen bytes have two shadow words, 32 bytes apart, both of which must match.
 * Whoever wants to see every access sets `read` and `write` to a shadow word that there is not. docs/design/fastpath.md
 * says why what passes need not be seen.
 *
 * The slow hooks do what the others do and preserve all general registers but r11 (clang's preserve_most). */
typedef struct norn_fast {
  uint64_t mask;
  const void* granules;
  uint64_t read;
  uint64_t read_bits;
  uint64_t write;
  const void* others;
} norn_fast;

#define NORN_FAST_WRITE_BITS (~UINT64_C(0) << 23)
#define NORN_FAST_BYTES_AT 26
#define NORN_FAST_GRANULE 32

NORN_ABI_ASSERT(offsetof(norn_fast, read) == 16 && offsetof(norn_fast, write) == 32, "norn_fast");

#if defined(__GNUC__)
extern __thread const norn_fast* __norn_fast __attribute__((tls_model("initial-exec")));
#endif
#if defined(__clang__)
NORN_SLOW void __norn_slow_read1(const void* address, const norn_site* site);
NORN_SLOW void __norn_slow_read2(const void* address, const norn_site* site);
NORN_SLOW void __norn_slow_read4(const void* address, const norn_site* site);
NORN_SLOW void __norn_slow_read8(const void* address, const norn_site* site);
NORN_SLOW void __norn_slow_read16(const void* address, const norn_site* site);
NORN_SLOW void __norn_slow_write1(const void* address, const norn_site* site, uint64_t value);
NORN_SLOW void __norn_slow_write2(const void* address, const norn_site* site, uint64_t value);
NORN_SLOW void __norn_slow_write4(const void* address, const norn_site* site, uint64_t value);
NORN_SLOW void __norn_slow_write8(const void* address, const norn_site* site, uint64_t value);
NORN_SLOW void __norn_slow_write16(const void* address, const norn_site* site);
#endif

/* The pointer to an object's virtual table. Storing the value that is already there is not a race: a constructor
 * of a class without own virtual functions does it, and so does a destructor. */
void __norn_vptr_read(const void* address, const norn_site* site);
void __norn_vptr_write(const void* address, const void* value, const norn_site* site);

/* These do the operation. A null site: that side need not be checked. */
void* __norn_memcpy(void* to, const void* from, size_t size, const norn_site* to_site, const norn_site* from_site);
void* __norn_memmove(void* to, const void* from, size_t size, const norn_site* to_site, const norn_site* from_site);
void* __norn_memset(void* to, int value, size_t size, const norn_site* site);

/* ---- Atomics ----------------------------------------------------------------------------------------------
 *
 * These do the operation, so that it and the bookkeeping can be one step. Orders are norn_order. A weak
 * compare-exchange is done as a strong one; it succeeded if what it returns equals `expected`. Operations the
 * processor has no instruction for (min, max, floating point, wrapping increments) arrive as a relaxed load and a
 * loop of compare-exchanges.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type does not stand in parentheses */
#define NORN_ATOMIC_HOOKS(bits, type)                                                                           \
  type __norn_atomic##bits##_load(const volatile type* address, int order, const norn_site* site);              \
  void __norn_atomic##bits##_store(volatile type* address, type value, int order, const norn_site* site);       \
  type __norn_atomic##bits##_exchange(volatile type* address, type value, int order, const norn_site* site);    \
  type __norn_atomic##bits##_fetch_add(volatile type* address, type value, int order, const norn_site* site);   \
  type __norn_atomic##bits##_fetch_sub(volatile type* address, type value, int order, const norn_site* site);   \
  type __norn_atomic##bits##_fetch_and(volatile type* address, type value, int order, const norn_site* site);   \
  type __norn_atomic##bits##_fetch_or(volatile type* address, type value, int order, const norn_site* site);    \
  type __norn_atomic##bits##_fetch_xor(volatile type* address, type value, int order, const norn_site* site);   \
  type __norn_atomic##bits##_fetch_nand(volatile type* address, type value, int order, const norn_site* site);  \
  type __norn_atomic##bits##_compare_exchange(volatile type* address, type expected, type desired, int success, \
                                              int failure, const norn_site* site);

/* NOLINTEND(bugprone-macro-parentheses) */

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 norn_uint128;
NORN_ATOMIC_HOOKS(128, norn_uint128)
#endif
NORN_ATOMIC_HOOKS(8, uint8_t)
NORN_ATOMIC_HOOKS(16, uint16_t)
NORN_ATOMIC_HOOKS(32, uint32_t)
NORN_ATOMIC_HOOKS(64, uint64_t)

/* Does the fence too. `signal_scope`: atomic_signal_fence, which orders nothing between threads. */
void __norn_fence(int order, int signal_scope, const norn_site* site);

/* Around inline assembly with a lock prefix, xchg or a fence, for each memory operand it may write: together they mean
   a read-modify-write that releases and acquires. */
void __norn_assembly_before(const void* address, size_t size, const norn_site* site);
void __norn_assembly_after(const void* address, size_t size, const norn_site* site);
/* A barrier for the compiler: asm volatile("" ::: "memory"). */
void __norn_cut(void);
/* At a client request of Valgrind's headers: its words, the request's code first. */
void __norn_client_request(const uint64_t* words);

/* ---- Loops that wait: hooks -------------------------------------------------------------------------------
 *
 * Instead of __norn_read: a read that an exit's condition depends on. Which of the places read at one site counts is
 * the last one, unless it `sweeps`: then all of them do.
 */
void __norn_spin_read(const void* address, size_t size, const norn_site* site, const norn_loop* exit, int sweeps);

/* Around a call or an atomic that the condition depends on: what it reads is what the exit waits for. `part` tells the
 * calls of one condition apart. Evaluations do not nest: the outermost counts. */
void __norn_spin_begin(const norn_loop* exit, uint32_t part);
void __norn_spin_end(void);

/* Whether the thread is between the two. Functions that conditions call ask before each read, and say it by
 * __norn_spin_called instead of __norn_read. */
#if defined(__GNUC__)
extern __thread const norn_loop* __norn_spinning __attribute__((tls_model("initial-exec")));
#endif
void __norn_spin_called(const void* address, size_t size, const norn_site* site);

/* On the edge out of the loop. `because`: whether this exit's condition was why. */
void __norn_spin_leave(const norn_loop* exit, int because);

/* Around a call that waits on a condition variable, or may. `alone`: nothing but the loop's condition follows. */
void __norn_wait_begin(const norn_loop* loop, int alone);
void __norn_wait_end(void);

/* On the edge out of the loop. `condition`: the condition variable; null if only the wait itself knows. */
void __norn_wait_leave(const norn_loop* loop, const void* condition, int because);

/* ---- Sampling ---------------------------------------------------------------------------------------------
 *
 * The sampling profile has two copies of code, one with hooks of plain accesses and one without; both have all others.
 * A region is a function or a loop. Section "norn_regions" has a word for each, where the runtime writes the region's
 * number when the module is registered; 0 until then. Each thread has an array of norn_region, by number. Before a
 * region is executed (at the entry of the function, before another iteration of the loop) its code does
 *
 *     if (--__norn_regions[number].left < 0 && __norn_sample(number)) the checked copy; else the other
 *
 * The array must be usable before the runtime has initialised anything, and in threads it never saw. __norn_sample
 * keeps all registers but r11 and its result's (clang's preserve_all).
 */
typedef struct norn_region {
  int32_t left;   /* so many executions that nobody asks about */
  uint16_t burst; /* the runtime's own */
  uint16_t level;
} norn_region;

#define NORN_REGIONS 65536 /* numbers there are; a program with more regions shares them */

NORN_ABI_ASSERT(sizeof(norn_region) == 8, "the plugin takes 8 bytes for a region");

#if defined(__GNUC__)
extern __thread norn_region* __norn_regions __attribute__((tls_model("initial-exec")));
#endif
#if defined(__clang__)
__attribute__((preserve_all)) int __norn_sample(uint32_t number);
#endif

/* ---- Regions ----------------------------------------------------------------------------------------------
 *
 * The trace profile has one copy of all code, leaves no check out, and says which regions are executed: who records
 * keeps it (trace/trace_format.h). `region` is a word that belongs to the region alone, for its number; 0 until it has
 * one. Null where the step is none of a region.
 */
enum norn_region_step {
  NORN_REGION_FUNCTION = 0,        /* the function is entered */
  NORN_REGION_FUNCTION_ALWAYS = 1, /* the same, and the sampling profile has one copy of it, which is checked */
  NORN_REGION_AGAIN_ALWAYS = 2,    /* the next iteration of a loop, at each of which the unchecked copy asks */
  NORN_REGION_AGAIN_SOMETIMES = 3, /* ... at each 1024th of which it does */
  NORN_REGION_AGAIN_NEVER = 4,     /* ... at none of which it does */
  NORN_REGION_LEFT = 5,            /* the loop is left */
  NORN_REGION_RETURN = 6,          /* the function that entered last and has not returned does so */
  NORN_REGION_CAUGHT = 7           /* an exception has left all that the calling function called */
};
void __norn_region(uint32_t* region, int step);

/* ---- Probes -----------------------------------------------------------------------------------------------
 *
 * The production profile has none of the hooks above. Section "norn_probes" has an entry for each access that can be
 * looked at. The code looks before the access whether the entry is active, and calls only then:
 *
 *     if (probe.active) __norn_probe(address, &probe)
 *
 * An atomic or a fence asks for the byte __norn_following, which is set while somebody follows synchronization: before
 * the operation, if it may release, and after it, if it may acquire. So does the way out of a loop that waited.
 * docs/design/production.md says what is done then.
 */
enum norn_probe_flag {
  NORN_PROBE_WRITES = 1,
  NORN_PROBE_ATOMIC = 2,
  NORN_PROBE_LOOP = 4 /* no access: active while one of a loop's is. The loop stands twice, with and without probes */
};

typedef struct norn_probe {
  uint64_t site;  /* identity of the statement, as races have it */
  uint32_t size;  /* of the access; 0: the call says it */
  uint8_t flags;  /* norn_probe_flag */
  uint8_t active; /* changed while the program runs */
  uint16_t loop;  /* so many entries before this one is its loop's; 0: it has none */
} norn_probe;

NORN_ABI_ASSERT(sizeof(norn_probe) == 16, "the plugin lays probes out in 16 bytes");
NORN_ABI_ASSERT(offsetof(norn_probe, size) == 8 && offsetof(norn_probe, active) == 13, "norn_probe");

enum norn_probe_module_flag {
  NORN_PROBES_OPENMP = 1 /* its threads are ordered by a library that nobody follows */
};

typedef struct norn_probe_module {
  norn_probe* begin;
  norn_probe* end;
} norn_probe_module;

void __norn_probe_module_init(const norn_probe_module* module, int flags);
void __norn_probe_module_fini(const norn_probe_module* module); /* at dlclose and at exit */

extern uint8_t __norn_following;
#if defined(__clang__)
NORN_SLOW void __norn_probe(const void* address, norn_probe* probe);
NORN_SLOW void __norn_probe_range(const void* address, norn_probe* probe, size_t size);
NORN_SLOW void __norn_probe_release(const void* address, int order);
NORN_SLOW void __norn_probe_acquire(const void* address, int order);
NORN_SLOW void __norn_probe_fence(int order);
NORN_SLOW void __norn_probe_waited(void);
#endif

/* ---- OpenMP -----------------------------------------------------------------------------------------------
 *
 * Of code compiled with -fopenmp. `number` is the iteration's, counted from 0 over the whole loop (or the section's).
 */
void __norn_omp_iteration(uint64_t number); /* it begins now, and goes on until the next, or to the loop's end */
void __norn_omp_thread_local(void);         /* the address of a thread-local variable was taken */

/* Around the loop of a task of a taskloop, over the iterations from `lower` to `upper`. Its own variables are in the
 * `size` bytes of `task`. */
void __norn_omp_taskloop_begin(const void* task, uint64_t size, uint64_t lower, uint64_t upper);
void __norn_omp_taskloop_end(void);

#ifdef __cplusplus
}  // extern "C"
#endif
#endif /* NORN_RUNTIME_ABI_H */
