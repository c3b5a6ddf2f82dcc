// What nobody can know is not said: of memory that other processes may write to, and of atomics. While a thread is in
// the kernel, and comes back when it likes, nothing is said of anything.
// RUN: %norn-c++ -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: not %norn run -- %t
// RUN: not %norn confirm --all --strategy=race-directed --runs=4 -- %t | FileCheck %s
// RUN: %norn report --json=report.json
// RUN: grep -c '"values": "' report.json | FileCheck %s --check-prefix=COUNT
// RUN: not %norn run -- %t outside
// RUN: not %norn confirm --all --strategy=race-directed --runs=4 -- %t outside | FileCheck %s --check-prefix=OUTSIDE

// CHECK-DAG: race on *shared_page {{.*}}: confirmed in 4 of 4 runs
// CHECK-DAG: race on mixed {{.*}}: confirmed in 4 of 4 runs
// CHECK-DAG: race on plain {{.*}}: confirmed in 4 of 4 runs
// CHECK-DAG: values: values-unknown.cpp:{{[0-9]+}} write: 7 → {{[12]}}, then
// CHECK-NOT: values: {{.*}}values:
// The two of `plain`, the plain one of `mixed`; and what the run itself found where the page was written later.
// COUNT: {{^4$}}
// OUTSIDE: race on plain {{.*}}: confirmed in 4 of 4 runs
// OUTSIDE-NOT: values:

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

// Not static: what nobody reads would be left out.
int plain = 7;
int mixed = 5;
int* shared_page;

[[gnu::noinline]] static void one() {
  plain = 1;
  shared_page[0] = 1;
  std::atomic_ref(mixed).store(6);
}

[[gnu::noinline]] static void other() {
  plain = 2;
  shared_page[0] = 2;
  mixed = 8;
}

// Until the thread is in wait4.
static void await_outside(const std::atomic<long>& tid) {
  for (;;) {
    const std::string path = "/proc/self/task/" + std::to_string(tid.load()) + "/syscall";
    std::ifstream file(path);
    long number = -1;
    if (tid.load() != 0 && file >> number && number == SYS_wait4) return;
    sched_yield();
  }
}

int main(int count, char** words) {
  shared_page = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int ends[2];
  std::atomic<long> tid = 0;
  std::thread waits;
  if (count > 1) {
    if (pipe(ends) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) {
      close(ends[1]);
      char byte;
      _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
    }
    waits = std::thread([&tid, child] {
      tid = gettid();
      waitpid(child, nullptr, 0);
    });
    await_outside(tid);
  }
  std::thread a(one), b(other);
  a.join();
  b.join();
  if (count > 1) {
    close(ends[1]);
    waits.join();
  }
}
