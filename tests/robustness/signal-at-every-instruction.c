// A signal's handler releases something, and so begins an epoch, at every single instruction between a statement and
// the end of its hooks. What the statement wrote is ordered by the release after it, wherever the handler came.
// STDOUT: done
// NORACE
// RUN: %check %s

#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "annotations.h"
#include "order.h"

enum { kMost = 8000, kTraces = 3 };

// What the statements write: a way of access each.
struct places {
  _Alignas(64) long plain;
  _Alignas(64) char across[16];  // some bytes of it lie in two granules
  _Alignas(64) char block[48];
  _Alignas(64) long row[8];
};
struct places places[kMost];
char tags[kMost];
sem_t of_handler;
int rounds;
long sum;
long one = 1;

// The instructions that a statement executes: the processor traps after each. Then a breakpoint in the place of one,
// and the signal comes there. What handles traps is not known to norn: the kernel is asked for it.
uint8_t* instructions[kMost];
int instruction_count;
uint8_t* breakpoint;
uint8_t replaced;
int process;
int hits;
extern char __executable_start, etext;

NORN_TEST_INVISIBLE void note(uint8_t* at) {
  if (at < (uint8_t*)&__executable_start || at >= (uint8_t*)&etext) return;
  for (int i = 0; i < instruction_count; i++) {
    if (instructions[i] == at) return;
  }
  if (instruction_count < kMost) instructions[instruction_count++] = at;
}

NORN_TEST_INVISIBLE void take_away_breakpoint(void) {
  if (breakpoint != NULL) *breakpoint = replaced;
  breakpoint = NULL;
}

NORN_TEST_INVISIBLE void put_breakpoint(uint8_t* at) {
  breakpoint = at;
  replaced = *at;
  *at = 0xcc;
}

NORN_TEST_INVISIBLE void on_trap(int number, siginfo_t* info, void* context) {
  (void)number, (void)info;
  greg_t* at = &((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  if (breakpoint == NULL) {
    note((uint8_t*)*at);
    return;
  }
  *at = (greg_t)breakpoint;
  take_away_breakpoint();
  hits++;
  norn_test_syscall(SYS_tgkill, process, norn_test_syscall(SYS_gettid, 0, 0, 0), SIGUSR1);
}

static void on_signal(int number) {
  (void)number;
  sem_post(&of_handler);
}

extern void come_back(void);
__asm__(".text\ncome_back: mov $15, %eax\nsyscall\n");  // rt_sigreturn

static void handle_traps(void) {
  struct {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } action = {on_trap, SA_SIGINFO | 0x04000000 /* SA_RESTORER */, come_back, 0};
  syscall(SYS_rt_sigaction, SIGTRAP, &action, 0, 8);
  const uintptr_t page = 4096;
  uint8_t* begin = (uint8_t*)&__executable_start;
  mprotect((void*)((uintptr_t)begin & -page), (uintptr_t)&etext - (uintptr_t)begin + page,
           PROT_READ | PROT_WRITE | PROT_EXEC);
}

// Below what the function may keep below its stack pointer.
#define SET_TRAPS(flag)                                                                  \
  __asm__ volatile(                                                                      \
      "lea -128(%%rsp), %%rsp; pushf; andl $0xfffffeff, (%%rsp); orl %0, (%%rsp); popf;" \
      "lea 128(%%rsp), %%rsp" ::"r"(flag)                                                \
      : "memory", "cc")
#define TRACED(statement)          \
  do {                             \
    SET_TRAPS(traces ? 0x100 : 0); \
    statement;                     \
    SET_TRAPS(0);                  \
  } while (0)

typedef long anywhere __attribute__((aligned(1), may_alias));

static void write_plain(struct places* p, int traces) { TRACED(p->plain = 1); }
static void write_across(struct places* p, int traces) { TRACED(*(anywhere*)(p->across + 5) = one); }
static void write_block(struct places* p, int traces) { TRACED(memset(p->block, 1, sizeof p->block)); }
static void write_row(struct places* p, int traces) {
  long value = one;
  TRACED(for (int i = 0; i < 8; i++) p->row[i] = value);
}

static void (*const kWays[])(struct places*, int traces) = {write_plain, write_across, write_block, write_row};
enum { kWayCount = sizeof kWays / sizeof *kWays };

static void round_of(int way, int traces) {
  if (rounds == kMost) _exit(3);
  struct places* p = &places[rounds];
  char* tag = &tags[rounds++];
  one = 1;  // the epoch has a word
  kWays[way](p, traces);
  if (__tsan_release) __tsan_release(tag);  // which accesses nothing itself
}

static void writes(void) {
  memset(places, 0, sizeof places);  // the thread's own words are there, of an older epoch
  sem_post(&of_handler);
  for (int way = 0; way < kWayCount; way++) {
    instruction_count = 0;
    for (int i = 0; i < kTraces; i++) round_of(way, 1);
    hits = 0;
    for (int i = 0; i < instruction_count; i++) {
      put_breakpoint(instructions[i]);
      round_of(way, 0);
      take_away_breakpoint();
    }
    if (hits == 0) _exit(4);
  }
  end_turn();
}

NORN_TEST_INVISIBLE int get_rounds(void) { return rounds; }

static void reads(void) {
  await_turn(1);
  const int last = get_rounds();
  for (int i = 0; i < last; i++) {
    if (__tsan_acquire) __tsan_acquire(&tags[i]);
    const struct places* p = &places[i];
    sum += p->plain + p->across[5] + p->block[0] + p->row[0];
  }
}

int main(void) {
  process = getpid();
  sem_init(&of_handler, 0, 0);
  struct sigaction action = {0};
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, NULL);
  handle_traps();
  run_two(writes, reads);
  puts("done");
}
