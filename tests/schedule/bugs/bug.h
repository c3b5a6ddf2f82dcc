// What the programs with schedule-dependent bugs share. judge.py reads the comment at the top of each:
//
//   BUG: kind=KIND preemptions=N threads=N shows=HOW finding=WHAT
//
// KIND says what is wrong. N preemptions are the fewest that reach it: how often a thread must lose its turn though it
// could have gone on. HOW: assertion, crash, exception, status, hang. WHAT norn finds of it in a run that goes well:
// race:NAME, deadlock, atomicity:NAME, or none.
//
// Run as they are, the programs end well nearly always: a thread's start takes longer than what the threads do.
// With -DSHOW each goes straight into its bug: step(n) waits for the steps 0 to n-1, wherever they stand.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>

#ifdef SHOW
static int bug_step;

static __attribute__((unused)) void step(int number) {
  while (__atomic_load_n(&bug_step, __ATOMIC_ACQUIRE) < number) sched_yield();
  __atomic_compare_exchange_n(&bug_step, &number, number + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
#else
static __attribute__((unused)) void step(int number) { (void)number; }
#endif

// Waits for the steps 0 to n-1 and makes none: for code that several threads run, of which one must not go ahead.
static __attribute__((unused)) void after_step(int number) {
#ifdef SHOW
  while (__atomic_load_n(&bug_step, __ATOMIC_ACQUIRE) < number) sched_yield();
#else
  (void)number;
#endif
}

// With SHOW each call is an operation of thread `self` that others notice, and they come in the order of `schedule`: a
// letter for each, 'A' for thread 0. A thread that calls again has done what it came for. Behind the last letter all
// run free. For bugs that need many preemptions of code that all threads share.
static __attribute__((unused)) void follow(const char* schedule, int self) {
#ifdef SHOW
  static __thread int mine;  // an operation is under way that the others wait for
  if (mine) mine = 0, __atomic_fetch_add(&bug_step, 1, __ATOMIC_ACQ_REL);
  for (;;) {
    const char next = schedule[__atomic_load_n(&bug_step, __ATOMIC_ACQUIRE)];
    if (next == '\0') return;
    if (next == 'A' + self) break;
    sched_yield();
  }
  mine = 1;
#else
  (void)schedule, (void)self;
#endif
}

// About a millisecond of work in registers that gives way to every other thread: what makes this one late in ordinary
// runs. The system calls are made without the C library, so that no scheduler but the system's takes note of them.
static __attribute__((unused)) void compute(void) {
  for (int slices = 0; slices < 8; ++slices) {
    for (unsigned rounds = 0; rounds < 250000; ++rounds) __asm__ volatile("" : "+r"(rounds));
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"((long)SYS_sched_yield) : "rcx", "r11", "memory");
  }
}

// pthread_cond_wait. With SHOW the thread makes the step `waits` when it waits, and is woken by the steps before
// `woken` rather than by a signal, so that others may come between its waking and its taking of the mutex.
static __attribute__((unused)) void wait_in_steps(pthread_cond_t* condition, pthread_mutex_t* mutex, int waits,
                                                  int woken) {
#ifdef SHOW
  (void)condition;
  step(waits);
  pthread_mutex_unlock(mutex);
  step(woken);
  pthread_mutex_lock(mutex);
#else
  (void)waits, (void)woken;
  pthread_cond_wait(condition, mutex);
#endif
}

#ifndef __cplusplus
typedef void* Body(void*);

// Runs the functions, each in a thread of its own that gets its number, and waits for their ends.
static __attribute__((unused)) void run_bodies(size_t count, Body* const bodies[]) {
  pthread_t threads[count];
  for (size_t i = 0; i < count; ++i) pthread_create(&threads[i], NULL, bodies[i], (void*)i);
  for (size_t i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

#define RUN(...) run_bodies(sizeof((Body*[]){__VA_ARGS__}) / sizeof(Body*), (Body*[]){__VA_ARGS__})
#endif
