// Signals under control: to a thread that sleeps or waits, to oneself, and handlers that take part in the schedule.
// RUN: %norn-cc %s -o %t && %harmless

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static sem_t posted, never;
static atomic_int handled;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
  sem_post(&posted);
}

static void* sleeps(void* unused) {
  while (atomic_load(&handled) == 0) sleep(1);
  return unused;
}

static void* waits(void* unused) {
  while (sem_wait(&never) != 0) assert(errno == EINTR);
  return unused;
}

static void* pauses(void* unused) {
  sigset_t set;
  int number = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  assert(sigwait(&set, &number) == 0 && number == SIGUSR2);
  return unused;
}

int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handle;
  sigaction(SIGUSR1, &action, 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  sem_init(&posted, 0, 0);
  sem_init(&never, 0, 0);
  pthread_t a, b, c;
  pthread_create(&a, 0, sleeps, 0);
  pthread_create(&b, 0, waits, 0);
  pthread_create(&c, 0, pauses, 0);
  pthread_kill(a, SIGUSR1);
  pthread_kill(b, SIGUSR1);
  sem_wait(&posted);
  sem_wait(&posted);
  sem_post(&never);
  raise(SIGUSR1);
  pthread_kill(c, SIGUSR2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  assert(atomic_load(&handled) == 3);
  puts("done");
  return 0;
}
