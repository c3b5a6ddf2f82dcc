// Opens no file after its start, which only the kernel knows, and has more races than there is room for.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <utility>

#include "order.h"

enum { kRaces = 100 };
int x[kRaces];

template <int kWhich>
__attribute__((noinline)) void touch() {
  x[kWhich]++;
}

template <int... kWhich>
void touch_all(std::integer_sequence<int, kWhich...>) {
  (touch<kWhich>(), ...);
}

static void first(void) {
  touch_all(std::make_integer_sequence<int, kRaces>());
  end_turn();
}

static void second(void) {
  await_turn(1);
  touch_all(std::make_integer_sequence<int, kRaces>());
}

int main() {
  sock_filter refuses[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {sizeof(refuses) / sizeof(refuses[0]), refuses};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  norn_test_syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, reinterpret_cast<long>(&program));
  run_two(first, second);
}
