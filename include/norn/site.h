/* Sites and the stack of calls: the part of the contract between instrumented code and the runtime (norn/abi.h, which
 * has its version) that most of the runtime looks at. C and C++ may include it.
 */
#ifndef NORN_RUNTIME_SITE_H
#define NORN_RUNTIME_SITE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define NORN_ABI_ASSERT(condition, words) static_assert(condition, words)
#else
#define NORN_ABI_ASSERT(condition, words) _Static_assert(condition, words)
#endif

/* Of hooks that preserve all general registers but r11. */
#if defined(__clang__)
#define NORN_SLOW __attribute__((preserve_most))
#endif

/* ---- Sites ------------------------------------------------------------------------------------------------
 *
 * A site is one place in the source that does something norn listens to. Sites are constant data, in section
 * "norn_sites", densely packed over all objects of one linked module (executable or shared object).
 */

enum norn_site_kind {
  NORN_SITE_READ = 0,
  NORN_SITE_WRITE = 1,
  NORN_SITE_ATOMIC_LOAD = 2,
  NORN_SITE_ATOMIC_STORE = 3,
  NORN_SITE_ATOMIC_RMW = 4, /* exchange, fetch-and-op */
  NORN_SITE_ATOMIC_CAS = 5,
  NORN_SITE_FENCE = 6,
  NORN_SITE_CALL = 7, /* a call, or the call that the code of another site was inlined at */
  NORN_SITE_VPTR_READ = 8,
  NORN_SITE_VPTR_WRITE = 9,
  NORN_SITE_RANGE_READ = 10, /* by memcpy, memmove, a struct passed by value */
  NORN_SITE_RANGE_WRITE = 11 /* by memcpy, memmove, memset */
};

/* The values of norn::MemoryOrder; consume is acquire. */
enum norn_order { NORN_RELAXED = 0, NORN_ACQUIRE = 1, NORN_RELEASE = 2, NORN_ACQ_REL = 3, NORN_SEQ_CST = 4 };
/* Added to the order of an atomic operation (of a CAS: to the success order) in code that nobody looks at: it counts
 * for what it orders, not as an access. See Sampling. */
#define NORN_UNSAMPLED_ORDER 16
/* Added to the call sites that such code pushes: what its calls access (free, memcpy, ...) need not be looked at. */
#define NORN_UNSAMPLED_CALL 2

enum norn_site_flag {
  NORN_SITE_VOLATILE = 1,
  NORN_SITE_SIGNAL_SCOPE = 2, /* orders the thread with its own signal handlers only (atomic_signal_fence) */
  NORN_SITE_LIBRARY = 4,      /* the function is of a system header: a report may fold the frame */
  NORN_SITE_READS_TOO = 8,    /* a write that stands for a read of its bytes before it: x++ is one access */
  NORN_SITE_COUNTS = 16,      /* a read whose value goes into the write of its bytes after it, and nowhere else */
  NORN_SITE_SAYS_VALUE = 32   /* a write whose hook is given what is written */
};

/* What the bytes that a site accesses mean, as far as the source says: in its flags, from NORN_SITE_TYPE_AT on. */
enum norn_value_type {
  NORN_VALUE_UNKNOWN = 0,
  NORN_VALUE_UNSIGNED = 1,
  NORN_VALUE_SIGNED = 2,
  NORN_VALUE_FLOAT = 3,
  NORN_VALUE_BOOL = 4,
  NORN_VALUE_CHAR = 5,
  NORN_VALUE_POINTER = 6
};
#define NORN_SITE_TYPE_AT 8
#define NORN_SITE_TYPE_MASK 7

typedef struct norn_site {
  const char* file;      /* as the compiler was told; null: unknown */
  const char* directory; /* where a relative `file` starts; null if `file` is absolute */
  const char* function;  /* demangled, without return type: "deposit(Account&, int)", "main" */
  /* What is accessed, as a programmer would write it: "account.balance", "node->next", "queue.items[]", "*p".
   * Of a call: what its first pointer argument points to ("audit_mutex"). Null: cannot be named. */
  const char* expression;
  const struct norn_site* inlined_at; /* the call this code was inlined at (kind CALL), or null */
  uint32_t line;                      /* 0: unknown */
  uint32_t column;                    /* 0: unknown */
  /* Identity that survives edits elsewhere: of the file's base name, function, kind, expression, and the ordinal
   * among equals in the function. Not of line and directory, nor of what the function was inlined into: for this the
   * expression is taken in the function's own words. */
  uint64_t hash;
  uint8_t kind;  /* norn_site_kind */
  uint8_t order; /* norn_order; of a CAS the success order */
  uint16_t size; /* in bytes; 0: not known at compile time, or none */
  uint32_t flags;
} norn_site;

NORN_ABI_ASSERT(sizeof(norn_site) == 64, "the plugin lays sites out in 64 bytes");
NORN_ABI_ASSERT(offsetof(norn_site, inlined_at) == 32, "norn_site: five pointers");
NORN_ABI_ASSERT(offsetof(norn_site, line) == 40 && offsetof(norn_site, hash) == 48, "norn_site: position, hash");
NORN_ABI_ASSERT(offsetof(norn_site, kind) == 56 && offsetof(norn_site, order) == 57, "norn_site: kind, order");
NORN_ABI_ASSERT(offsetof(norn_site, size) == 58 && offsetof(norn_site, flags) == 60, "norn_site: size, flags");

/* ---- Call stacks ------------------------------------------------------------------------------------------
 *
 * Each thread has an array of call sites that the runtime owns; __norn_stack points to its next free slot. A
 * function that calls others does
 *
 *     sp = __norn_stack                      once, somewhere before its first call
 *     sp[0] = &site; __norn_stack = sp + 1   before a call
 *     __norn_stack = sp                      after it, on a landing pad, and after a second return of setjmp
 *
 * and a function without calls does nothing. So the stack of an access is: its own site, expanded through
 * inlined_at; then the call sites from __norn_stack[-1] down, each expanded the same way. On return the pointer is
 * what it was on entry, so an uninstrumented caller needs to know nothing.
 *
 * - Intrinsics, calls of hooks, and calls of functions that touch no memory push nothing.
 * - A `musttail` call pushes nothing: the frame is gone by then, and a chain of such calls is unbounded.
 * - Between two calls of a block with no hook between them the pointer stays high (one store saved): nobody looks.
 * - A frame that pushes takes at least 16 bytes of native stack: half the size of a thread's stack is enough for
 *   its array, whatever it recurses.
 * - The pointer must be usable before the runtime has initialised anything and in threads it never saw: its initial
 *   value should be the start of a scratch array, shared by them all.
 * - A signal may arrive between the two stores of a push. Whoever calls a handler must leave one slot free:
 *   `saved = __norn_stack; __norn_stack = saved + 1;` (slot 0 of it may hold anything old) and restore after.
 */
#if defined(__GNUC__)
extern __thread const norn_site** __norn_stack __attribute__((tls_model("initial-exec")));
#endif

#ifdef __cplusplus
}  // extern "C"
#endif
#endif /* NORN_RUNTIME_SITE_H */
