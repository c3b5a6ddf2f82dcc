// A program that lives by its own handler for faults, as garbage collectors do.
// STDOUT: 100 faults
// RUN: %check %s

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "order.h"

enum { kPage = 4096 };
char* page;
volatile sig_atomic_t faults;
int x;

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  if ((char*)info->si_addr < page || (char*)info->si_addr >= page + kPage) _Exit(1);
  faults++;
  mprotect(page, kPage, PROT_READ | PROT_WRITE);
}

static void first(void) {
  for (int i = 0; i < 100; i++) {
    mprotect(page, kPage, PROT_NONE);
    page[i] = 1;
  }
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  page = mmap(NULL, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  run_two(first, second);
  printf("%d faults\n", (int)faults);
}
