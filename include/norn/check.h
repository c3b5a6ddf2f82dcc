/* What must always hold in a program: norn looks at it at each point of the schedules that it tries.
 *
 * C and C++ may include it. In a program that is linked without norn an invariant costs a function that is never
 * called, so it can stay in production code.
 *
 *   NORN_INVARIANT(no_more_than_there_is, queue.taken <= queue.put)
 *
 * It stands at file scope. The first word is its name; the rest is an expression of the language, which may call
 * functions, but must not change anything, take a lock, or wait.
 *
 * Looked at is whatever norn check, norn confirm, norn classify and norn replay run under control: before each
 * synchronization operation, each atomic operation, and each access at the statements of the race in question. An
 * invariant counts from the first point on at which it holds: what is not set up yet is no violation.
 */
#ifndef NORN_CHECK_H
#define NORN_CHECK_H

#ifdef __cplusplus
extern "C" {
#endif

struct norn_invariant {
  int (*holds)(void);
  const char* name;
  const char* expression;
  const char* file;
  unsigned line;
};

/* By constructors, before main. `invariant` lives as long as the program. */
void norn_add_invariant(const struct norn_invariant* invariant) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#define NORN_INVARIANT(name, ...)                                                                               \
  static int norn_invariant_holds_##name(void) { return (__VA_ARGS__) ? 1 : 0; }                                \
  __attribute__((constructor)) static void norn_invariant_add_##name(void) {                                    \
    static const struct norn_invariant invariant = {norn_invariant_holds_##name, #name, #__VA_ARGS__, __FILE__, \
                                                    __LINE__};                                                  \
    if (norn_add_invariant != 0) norn_add_invariant(&invariant);                                                \
  }                                                                                                             \
  struct norn_invariant /* the semicolon's */

#endif
