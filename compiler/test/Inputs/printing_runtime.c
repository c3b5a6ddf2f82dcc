// A runtime that prints each call of a hook, with the call stack, to stderr.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "norn/abi.h"

static const norn_site* stack[1 << 16];
__thread const norn_site** __norn_stack = stack;

// Nothing is known: everything is emitted.
static const uint64_t no_words[8];
static const norn_fast fast = {0, no_words, ~UINT64_C(0), NORN_FAST_WRITE_BITS, ~UINT64_C(0), no_words};
__thread const norn_fast* __norn_fast = &fast;

static void print_frames(const norn_site* site) {
  for (; site != NULL; site = site->inlined_at) fprintf(stderr, " < %s:%u", site->function, site->line);
}

static void print(const char* hook, const norn_site* site, size_t size) {
  if (site == NULL || getenv("QUIET") != NULL) return;
  fprintf(stderr, "%s(%s)", hook, site->expression != NULL ? site->expression : "?");
  if (size != 0) fprintf(stderr, " %zu bytes", size);
  print_frames(site);
  for (const norn_site** top = __norn_stack; top > stack; --top) print_frames(top[-1]);
  fprintf(stderr, "\n");
}

#define VALUE , uint64_t value
#define NO_VALUE
#define ACCESS(size, more)                                                                             \
  void __norn_read##size(const void* a, const norn_site* s) { (void)a, print("read", s, size); }       \
  void __norn_write##size(const void* a, const norn_site* s more) { (void)a, print("write", s, size); } \
  NORN_SLOW void __norn_slow_read##size(const void* a, const norn_site* s) {                       \
    (void)a, s->kind == NORN_SITE_VPTR_READ ? print("vptr-read", s, 0) : print("read", s, size);   \
  }                                                                                               \
  NORN_SLOW void __norn_slow_write##size(const void* a, const norn_site* s more) { (void)a, print("write", s, size); }
ACCESS(1, VALUE)
ACCESS(2, VALUE)
ACCESS(4, VALUE)
ACCESS(8, VALUE)
ACCESS(16, NO_VALUE)
void __norn_read_range(const void* a, size_t n, const norn_site* s) { (void)a, print("read-range", s, n); }
void __norn_write_range(const void* a, size_t n, const norn_site* s) { (void)a, print("write-range", s, n); }
// Each access is wanted by itself.
uint64_t __norn_run_read(const void* first, uint64_t count, uint64_t step, uint64_t size, const norn_site* s) {
  return (void)first, (void)count, (void)step, (void)size, (void)s, 0;
}
uint64_t __norn_run_write(const void* first, uint64_t count, uint64_t step, uint64_t size, const norn_site* s) {
  return (void)first, (void)count, (void)step, (void)size, (void)s, 0;
}
void __norn_vptr_read(const void* a, const norn_site* s) { (void)a, print("vptr-read", s, 0); }
void __norn_vptr_write(const void* a, const void* value, const norn_site* s) {
  print(*(void* const*)a == value ? "vptr-same" : "vptr-write", s, 0);
}
void* __norn_memcpy(void* to, const void* from, size_t n, const norn_site* t, const norn_site* f) {
  print("memcpy-to", t, n), print("memcpy-from", f, n);
  return memcpy(to, from, n);
}
void* __norn_memmove(void* to, const void* from, size_t n, const norn_site* t, const norn_site* f) {
  print("memmove-to", t, n), print("memmove-from", f, n);
  return memmove(to, from, n);
}
void* __norn_memset(void* to, int value, size_t n, const norn_site* s) {
  print("memset", s, n);
  return memset(to, value, n);
}
__thread const norn_loop* __norn_spinning;
void __norn_spin_read(const void* a, size_t n, const norn_site* s, const norn_loop* l, int sweeps) {
  (void)a, (void)l, print(sweeps ? "spin-sweep" : "spin-read", s, n);
}
void __norn_spin_begin(const norn_loop* l, uint32_t part) { (void)part, __norn_spinning = l; }
void __norn_spin_end(void) { __norn_spinning = NULL; }
void __norn_spin_called(const void* a, size_t n, const norn_site* s) { (void)a, print("spin-called", s, n); }
void __norn_spin_leave(const norn_loop* l, int because) { if (because) print("spin-leave", l->site, 0); }
void __norn_wait_begin(const norn_loop* l, int alone) { print(alone ? "wait-alone" : "wait", l->site, 0); }
void __norn_wait_end(void) {}
void __norn_wait_leave(const norn_loop* l, const void* condition, int because) {
  if (because) print(condition == NULL ? "wait-leave ?" : "wait-leave", l->site, 0);
}
void __norn_fence(int order, int signal_scope, const norn_site* s) {
  print(signal_scope ? "signal-fence" : "fence", s, (size_t)order);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define UPDATE(bits, type, name, builtin)                                                              \
  type __norn_atomic##bits##_##name(volatile type* a, type value, int order, const norn_site* s) {    \
    (void)order, print(#name, s, bits / 8);                                                            \
    return builtin(a, value, __ATOMIC_SEQ_CST);                                                        \
  }
#define ATOMIC(bits, type)                                                                             \
  type __norn_atomic##bits##_load(const volatile type* a, int order, const norn_site* s) {            \
    (void)order, print("load", s, bits / 8);                                                           \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                       \
  }                                                                                                    \
  void __norn_atomic##bits##_store(volatile type* a, type value, int order, const norn_site* s) {     \
    (void)order, print("store", s, bits / 8);                                                          \
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                    \
  UPDATE(bits, type, exchange, __atomic_exchange_n)                                                    \
  UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                                    \
  UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                                    \
  UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                                    \
  UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                                      \
  UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                                    \
  UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                                  \
  type __norn_atomic##bits##_compare_exchange(volatile type* a, type expected, type desired, int success, int failure, \
                                              const norn_site* s) {                                   \
    (void)success, (void)failure, print("compare_exchange", s, bits / 8);                              \
    __atomic_compare_exchange_n(a, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
    return expected;                                                                                   \
  }
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
// The library's 16-byte operations want libatomic; nothing here runs them.
#define ABORT128(result, name, ...) \
  result __norn_atomic128_##name(__VA_ARGS__) { abort(); }
ABORT128(norn_uint128, load, const volatile norn_uint128* a, int o, const norn_site* s)
ABORT128(void, store, volatile norn_uint128* a, norn_uint128 v, int o, const norn_site* s)

void __norn_module_init(const norn_module* module) {
  if (getenv("MODULES") == NULL) return;
  fprintf(stderr, "module: %d sites, %d globals\n", (int)(module->sites_end - module->sites_begin),
          (int)(module->globals_end - module->globals_begin));
  for (const norn_global* global = module->globals_begin; global != module->globals_end; ++global) {
    fprintf(stderr, "global: %s at %s:%u, %d bytes%s", global->name, global->file, global->line, (int)global->size,
            global->flags & NORN_GLOBAL_THREAD_LOCAL ? ", thread local" : "");
    for (uint32_t i = 0; i < global->member_count; ++i) {
      const norn_member* member = &global->members[i];
      fprintf(stderr, "; %s %d+%d/%dx%d", member->path, (int)member->offset, (int)member->size, (int)member->stride,
              (int)member->count);
    }
    fprintf(stderr, "\n");
  }
}
void __norn_module_fini(const norn_module* module) {
  if (getenv("MODULES") != NULL) fprintf(stderr, "gone: %d sites\n", (int)(module->sites_end - module->sites_begin));
}
