// Threads that wait by looking, when nothing that they look at can change any more: their state says so, no clock. The
// time limit is longer than the test may take. Where the wait has an end of its own, nothing is said.
// RUN: %norn-cc -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: for how in plain lock exchange try many joined sleep naps poll only own-stack; do not %norn confirm --explore --strategy=random --runs=2 -- %t $how > $how.txt 2>&1 && FileCheck %s --input-file=$how.txt || exit 1; done
// RUN: FileCheck %s --check-prefix=MANY --input-file=many.txt
// RUN: FileCheck %s --check-prefix=JOINED --input-file=joined.txt
// RUN: for how in counts random clock timed handler toggles shared changes; do %norn confirm --explore --strategy=random --runs=2 -- %t $how || exit 1; done
// RUN: %norn confirm --explore --strategy=rr --runs=1 --timeout=3 -- %t seen-stack > seen.txt 2>&1 || test $? = 66
// RUN: FileCheck %s --check-prefix=SEEN --input-file=seen.txt
// RUN: NORN_OPTIONS=schedule=rr not %norn run -- %t yield 2>&1 | FileCheck %s --check-prefix=ALONE
// CHECK: something went wrong in 2 of 2 runs
// CHECK-NEXT: hang in 2 of them: by its state: {{.*}} at what can change no more
// CHECK: standstill: {{[0-9]+}} thread{{s?}} {{waits?}} for what never comes, {{.*}} by looking at what can change no more
// CHECK: looks again and again here
// CHECK: {{^ +}}standstill.c:{{[0-9]+}}
// MANY: standstill: 9 threads wait for what never comes, 8 by looking
// MANY: thread 1 waits for a thread to end
// JOINED: standstill: 2 threads wait for what never comes, 1 by looking
// SEEN-NOT: standstill
// (Whether it is harm goes by whether threads that really run at once met: then the reference runs ended.)
// SEEN: {{hang in 1 of them: by the clock|none of 2 runs ended by itself: .* nor does a run that does not end}}
// ALONE: standstill: 1 thread waits for what never comes, all by looking at what can change no more

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int flag, other_flag;
static volatile int plain_flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static volatile int* place;
static int rounds;

static void on_alarm(int number) {
  (void)number;
  flag = 1;
}

static void* nothing(void* unused) {
  if (unused != NULL) plain_flag = 1;
  return unused;
}

static void* looks(void* unused) {
  while (!atomic_load(&flag)) sched_yield();
  return unused;
}

static void until_flag(void) {
  while (!atomic_load(&flag)) sched_yield();
}

static void is_never_over(const char* how) {
  if (strcmp(how, "atomic") == 0) while (!atomic_load(&flag)) continue;
  if (strcmp(how, "plain") == 0) while (!plain_flag) continue;
  if (strcmp(how, "yield") == 0) until_flag();
  if (strcmp(how, "sleep") == 0) while (!atomic_load(&flag)) usleep(1000);
  if (strcmp(how, "naps") == 0) {
    for (int length = 1; !plain_flag; length = length < 1000 ? 2 * length : length) {
      const struct timespec nap = {0, length};
      struct timespec left = {0, 0};
      nanosleep(&nap, &left);
    }
  }
  if (strcmp(how, "poll") == 0) while (!plain_flag) poll(NULL, 0, 10);
  if (strcmp(how, "only") == 0) while (1) sleep(3600);
  if (strcmp(how, "own-stack") == 0) {
    for (volatile int turn = 0; !atomic_load(&flag); usleep(10)) {
      place = &turn;
      turn = 1;
      turn = 0;
    }
  }
  if (strcmp(how, "lock") == 0) {
    for (int seen = 0; seen == 0; sched_yield()) {
      pthread_mutex_lock(&mutex);
      seen = ready;
      pthread_mutex_unlock(&mutex);
    }
  }
  if (strcmp(how, "exchange") == 0) {
    flag = 1;
    while (atomic_exchange(&flag, 1) == 1) continue;
  }
  if (strcmp(how, "try") == 0) {
    pthread_mutex_lock(&mutex);
    while (pthread_mutex_trylock(&mutex) != 0) usleep(10);
  }
  if (strcmp(how, "many") == 0 || strcmp(how, "joined") == 0) {
    pthread_t threads[8];
    const int count = strcmp(how, "many") == 0 ? 8 : 1;
    for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, looks, NULL);
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  }
}

// One that may not get on for a long time, while another one looks, and lets it go then.
static void* counts_first(void* unused) {
  for (int i = 0; i < 30000; ++i) sched_yield();
  flag = 1;
  return unused;
}
static void* draws_first(void* unused) {
  srand(7);
  while (rand() % 5000 != 17) sched_yield();
  flag = 1;
  return unused;
}
static void* counts_in_memory(void* unused) {
  while (++rounds < 3000) sched_yield();
  flag = 1;
  return unused;
}
static void* toggles(void* unused) {
  while (!atomic_load(&flag)) {
    other_flag = 1;
    other_flag = 0;
  }
  return unused;
}
static void* sees_toggle(void* unused) {
  while (!atomic_load(&other_flag)) sched_yield();
  flag = 1;
  return unused;
}

// What one has on its stack for a moment, another could see, if it were let in between.
static volatile int* shared_place;
static void* toggles_stack(void* unused) {
  volatile int own = 0;
  shared_place = &own;
  while (!atomic_load(&flag)) {
    own = 1;
    own = 0;
    sched_yield();
  }
  return unused;
}
static void* sees_stack(void* unused) {
  while (shared_place == NULL || !*shared_place) sched_yield();
  flag = 1;
  return unused;
}

static void is_over_some_time(const char* how) {
  pthread_t thread, another;
  if (strcmp(how, "counts") == 0) pthread_create(&thread, NULL, counts_first, NULL);
  if (strcmp(how, "random") == 0) pthread_create(&thread, NULL, draws_first, NULL);
  if (strcmp(how, "changes") == 0) pthread_create(&thread, NULL, counts_in_memory, NULL);
  if (strcmp(how, "toggles") == 0 || strcmp(how, "seen-stack") == 0) {
    const int stacks = strcmp(how, "seen-stack") == 0;
    pthread_create(&thread, NULL, stacks ? toggles_stack : toggles, NULL);
    pthread_create(&another, NULL, stacks ? sees_stack : sees_toggle, NULL);
    pthread_join(thread, NULL);
    pthread_join(another, NULL);
    return;
  }
  if (strcmp(how, "clock") == 0) {
    const time_t begin = time(NULL);
    while (time(NULL) < begin + 2) sched_yield();
    return;
  }
  if (strcmp(how, "timed") == 0) {
    for (int i = 0; i < 2000; ++i) usleep(1000);
    return;
  }
  if (strcmp(how, "handler") == 0) {
    signal(SIGALRM, on_alarm);
    const struct itimerval soon = {{0, 0}, {0, 300000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    until_flag();
    return;
  }
  if (strcmp(how, "shared") == 0) {
    atomic_int* word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = fork();
    if (child == 0) {
      const struct timespec long_enough = {0, 300000000};
      nanosleep(&long_enough, NULL);
      *word = 1;
      _exit(0);
    }
    while (!atomic_load(word)) sched_yield();
    waitpid(child, NULL, 0);
    return;
  }
  until_flag();
  pthread_join(thread, NULL);
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  // With one thread there is nothing to schedule.
  pthread_t first;
  pthread_create(&first, NULL, nothing, NULL);
  pthread_join(first, NULL);
  is_never_over(how);
  if (strstr("atomic plain yield sleep naps poll only own-stack lock exchange try many joined", how) == NULL) is_over_some_time(how);
  return 0;
}
