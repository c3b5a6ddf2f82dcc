// A sandbox that kills whoever makes a system call that the program itself does not make.
// STDOUT: sandboxed
// RUN: %check %s
// RUN: clang-19 -D_GNU_SOURCE -O1 -pthread -I%behaviour %s -o %t && %t | grep sandboxed
// RUN: %norn-cc -O1 %s -o %t && (%t > %t.out 2> %t.err; test $? -eq 66) && grep 'race on x' %t.err

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(void) {
  struct sock_filter kills[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      // What threads are made of.
      ALLOW(SYS_mmap),
      ALLOW(SYS_munmap),
      ALLOW(SYS_mprotect),
      ALLOW(SYS_madvise),
      ALLOW(SYS_getrandom),
      ALLOW(SYS_brk),
      ALLOW(SYS_clone),
      ALLOW(SYS_clone3),
      ALLOW(SYS_set_robust_list),
      ALLOW(SYS_rseq),
      ALLOW(SYS_rt_sigprocmask),
      ALLOW(SYS_rt_sigaction),
      ALLOW(SYS_futex),
      ALLOW(SYS_exit),
      ALLOW(SYS_exit_group),
      ALLOW(SYS_getpid),
      ALLOW(SYS_gettid),
      // What they wait by.
      ALLOW(SYS_lseek),
      ALLOW(SYS_sched_yield),
      // What prints.
      ALLOW(SYS_write),
      ALLOW(SYS_fstat),
      ALLOW(SYS_newfstatat),
      ALLOW(SYS_ioctl),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog program = {sizeof(kills) / sizeof(kills[0]), kills};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) return 1;
  run_two(first, second);
  puts("sandboxed");
  return 0;
}
