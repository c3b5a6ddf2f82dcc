// What was done before a signal was sent comes before its handler, and before who waits for it.
// NORACE
// RUN: %check %s

#include <signal.h>
#include <stdatomic.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "order.h"

int data[6];
volatile sig_atomic_t handled;
pthread_t interrupted;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  data[info->si_value.sival_int]++;
  handled++;
}

static void on_alarm(int number) {
  (void)number;
  data[2]++;
  handled++;
}

static void sends(void) {
  await_turn(1);
  data[0] = 1;
  pthread_sigqueue(interrupted, SIGUSR1, (union sigval){.sival_int = 0});
  await_turn(2);
  data[1] = 1;
  sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 1});
  await_turn(3);
  data[2] = 1;
  struct itimerval soon = {.it_value.tv_usec = 1000};
  setitimer(ITIMER_REAL, &soon, NULL);
  await_turn(4);
  data[3] = 1;
  kill(getpid(), SIGUSR2);
  await_turn(5);
  data[4] = 1;
  pthread_kill(interrupted, SIGUSR2);
  await_turn(6);
  data[5] = 1;
  kill(getpid(), SIGHUP);
}

static void* is_interrupted(void* unused) {
  sigset_t to_handle, to_wait;
  sigemptyset(&to_handle);
  sigaddset(&to_handle, SIGUSR1);
  sigaddset(&to_handle, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &to_handle, NULL);
  for (int i = 0; i < 3; i++) {
    end_turn();
    while (handled == i) sched_yield();
  }
  sigemptyset(&to_wait);
  sigaddset(&to_wait, SIGUSR2);
  int number;
  siginfo_t info;
  end_turn();
  if (sigwait(&to_wait, &number) == 0) data[3]++;
  end_turn();
  if (sigwaitinfo(&to_wait, &info) == SIGUSR2) data[4]++;
  sigemptyset(&to_wait);
  sigaddset(&to_wait, SIGHUP);
  int file = signalfd(-1, &to_wait, 0);
  struct signalfd_siginfo told;
  end_turn();
  if (read(file, &told, sizeof told) == sizeof told) data[5]++;
  return unused;
}

int main(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGALRM, on_alarm);
  pthread_create(&interrupted, NULL, is_interrupted, NULL);
  pthread_t sender;
  pthread_create(&sender, NULL, norn_test_call, (void*)sends);
  pthread_join(sender, NULL);
  pthread_join(interrupted, NULL);
  for (int i = 0; i < 6; i++) {
    if (data[i] != 2) return i + 1;
  }
}
