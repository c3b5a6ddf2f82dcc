// Puts the threads of a test into a fixed order in time, by means that no detector takes for synchronization.
//
// The turn is the position of a file that all threads share: waiting for it and ending it are system calls made
// without the C library, so there is no memory for a detector to see, no loop over a variable that could be taken
// for a spin loop, and no function to intercept. So "x = 1; end_turn();" in one thread and "await_turn(1); x = 2;"
// in another always happen in this order, and always race.
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NORN_TEST_INVISIBLE static __attribute__((unused, noinline, no_sanitize("thread")))

// One per program, whatever the number of its translation units.
__attribute__((weak)) int norn_test_turns = -1;
// NORN_TEST_UNORDERED in the environment: nobody waits for a turn, so that a scheduler may choose the order.
__attribute__((weak)) int norn_test_unordered;

NORN_TEST_INVISIBLE long norn_test_syscall(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

enum { kNornTestLseek = 8, kNornTestYield = 24 };
enum { kNornTestSeekCurrent = 1 };

// By the C library, of which the compiler knows that it creates no thread here.
__attribute__((constructor(101))) NORN_TEST_INVISIBLE void norn_test_open_turns(void) {
  norn_test_unordered = getenv("NORN_TEST_UNORDERED") != NULL;
  if (norn_test_turns < 0) norn_test_turns = memfd_create("turns", 0);
}

// Waits until `turn` turns were ended. The first turn is turn 0.
NORN_TEST_INVISIBLE void await_turn(long turn) {
  while (!norn_test_unordered && norn_test_syscall(kNornTestLseek, norn_test_turns, 0, kNornTestSeekCurrent) < turn)
    norn_test_syscall(kNornTestYield, 0, 0, 0);
}

NORN_TEST_INVISIBLE void end_turn(void) { norn_test_syscall(kNornTestLseek, norn_test_turns, 1, kNornTestSeekCurrent); }

// For the body of a loop that waits: ends the turn when it has come round twice, so that the thread is seen waiting.
NORN_TEST_INVISIBLE void come_round(int* rounds) {
  if (++*rounds == 2) end_turn();
  if (!norn_test_unordered) norn_test_syscall(kNornTestYield, 0, 0, 0);
}

static __attribute__((unused)) void* norn_test_call(void* function) {
  ((void (*)(void))function)();
  return NULL;
}

// Runs both functions, each in a thread of its own, and waits for their ends.
static __attribute__((unused)) void run_two(void (*first)(void), void (*second)(void)) {
  pthread_t a, b;
  pthread_create(&a, NULL, norn_test_call, (void*)first);
  pthread_create(&b, NULL, norn_test_call, (void*)second);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
