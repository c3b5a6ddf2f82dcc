// What a race leads to is told by its kind. The order in which nothing happens is the usual one: the second thread waits
// for the first, though not for ever, and not in a way that orders anything.
// RUN: %norn-c++ -g %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: for kind in crash abort assertion exception deadlock status output none; do not %norn check --runs=12 -- %t $kind > $kind.txt 2>&1 && FileCheck %s --check-prefix=$kind --input-file=$kind.txt || exit 1; done
// RUN: not %norn check --runs=4 --timeout=5 -- %t hang 2>&1 | FileCheck %s --check-prefix=hang
// RUN: %norn-c++ -g -fsanitize=shift %s -o %t.sanitized
// RUN: not %norn check --runs=12 -- %t.sanitized sanitizer 2>&1 | FileCheck %s --check-prefix=sanitizer
//
// crash: race on ready {{.*}}: confirmed in 12 of 12 runs, in both orders
// crash-NEXT: crash in {{[0-9]+}} of them: SIGSEGV
// crash-NEXT: nothing seen in {{[0-9]+}} of them
// crash: 1 to confirm: 1 confirmed, 1 of them with consequences; 0 not met
// abort: abort in {{[0-9]+}} of them: it was too early
// assertion: failed assertion in {{[0-9]+}} of them: {{.*}}Assertion `seen != 0' failed.
// exception: uncaught exception in {{[0-9]+}} of them: terminate called {{.*}}what():{{.*}}too early
// deadlock: deadlock in {{[0-9]+}} of them
// deadlock: waits for a lock: mutex; holds mutex, taken at consequences.cpp:{{[0-9]+}}
// status: exit status in {{[0-9]+}} of them: 7
// output: different output in {{[0-9]+}} of them: line 1: "0" instead of "1"
// none: confirmed in 12 of 12 runs, in both orders
// none-NEXT: nothing seen in 12 of them
// none: 1 to confirm: 1 confirmed, 0 of them with consequences; 0 not met
// hang: hang in {{[0-9]+}} of them: by {{its state|the clock}}
// sanitizer: sanitizer report in {{[0-9]+}} of them: {{.*}}runtime error: shift exponent 40 is too large

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace {

int ready;
std::atomic<bool> is_over;
const char* kind;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

bool is(const char* name) { return std::strcmp(kind, name) == 0; }

void harm(int seen) {
  if (is("crash")) *static_cast<volatile int*>(nullptr) = 1;
  if (is("abort")) {
    std::fputs("it was too early\n", stderr);
    std::abort();
  }
  if (is("assertion")) assert(seen != 0);
  if (is("exception")) throw std::runtime_error("too early");
  if (is("sanitizer")) std::printf("%d\n", 1 << (40 - seen));
  if (is("deadlock")) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
  }
  if (is("hang"))
    for (;;) asm volatile("");
  if (is("status")) std::exit(7);
}

void* set(void* unused) {
  ready = 1;
  is_over.store(true, std::memory_order_relaxed);
  return unused;
}

void* look(void* unused) {
  for (int i = 0; i < 50 && !is_over.load(std::memory_order_relaxed); ++i) usleep(200000);
  const int seen = ready;
  if (is("output")) std::printf("%d\n", seen);
  if (seen == 0) harm(seen);
  return unused;
}

}  // namespace

int main(int, char** arguments) {
  kind = arguments[1];
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, set, nullptr);
  pthread_create(&threads[1], nullptr, look, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
