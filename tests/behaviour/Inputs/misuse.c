// Primitives used as they must not be, one way for each argument.
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t c11;
static pthread_spinlock_t spin;
static volatile sig_atomic_t handled;
static void* volatile block;

static void* unlocks(void* unused) {
  pthread_mutex_unlock(&m);
  return unused;
}
static void* nothing(void* unused) { return unused; }
static void* unlocks_spin(void* unused) {
  pthread_spin_unlock(&spin);
  return unused;
}
static void* locks_twice(void* unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);  // waits for ever
  return unused;
}

static void allocates(int number) {
  (void)number;
  block = malloc(10);
  free(block);
  handled = 1;
}
static void prints(int number) {
  (void)number;
  printf("handler\n");
  handled = 1;
}
static void spoils(int number) {
  (void)number;
  close(-1);
  handled = 1;
}

// The signal comes from a timer, at no moment of the program's choice.
static void by_timer(void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = handler;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  while (!handled) usleep(100);
}

// Until this is the only thread, as the system counts them.
static void await_end(void) {
  for (int count = 0; count != 3;) {
    DIR* tasks = opendir("/proc/self/task");
    for (count = 0; readdir(tasks) != NULL; count++) {
    }
    closedir(tasks);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "destroy") == 0) {
    pthread_mutex_t local;
    pthread_mutex_init(&local, NULL);
    pthread_mutex_lock(&local);
    pthread_mutex_destroy(&local);
  } else if (strcmp(what, "destroy-rwlock") == 0) {
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_destroy(&rw);
  } else if (strcmp(what, "unlock") == 0) {
    pthread_mutex_unlock(&m);
  } else if (strcmp(what, "unlock-rwlock") == 0) {
    pthread_rwlock_unlock(&rw);
  } else if (strcmp(what, "unlock-c11") == 0) {
    mtx_init(&c11, mtx_plain);
    mtx_unlock(&c11);
  } else if (strcmp(what, "destroy-spin") == 0) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_destroy(&spin);
  } else if (strcmp(what, "unlock-spin") == 0) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    pthread_spin_unlock(&spin);
  } else if (strcmp(what, "foreign-spin") == 0) {
    pthread_t thread;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&spin);
    pthread_create(&thread, NULL, unlocks_spin, NULL);
    pthread_join(thread, NULL);
  } else if (strcmp(what, "foreign") == 0) {
    pthread_t thread;
    pthread_mutex_lock(&m);
    pthread_create(&thread, NULL, unlocks, NULL);
    pthread_join(thread, NULL);
  } else if (strcmp(what, "twice") == 0) {
    pthread_t thread;
    alarm(1);
    pthread_create(&thread, NULL, locks_twice, NULL);
    pthread_join(thread, NULL);
  } else if (strcmp(what, "destroyed") == 0) {
    pthread_mutex_destroy(&m);
    pthread_mutex_lock(&m);
  } else if (strcmp(what, "leak") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    await_end();
  } else if (strcmp(what, "unsafe") == 0) {
    by_timer(allocates);
  } else if (strcmp(what, "unsafe-stdio") == 0) {
    by_timer(prints);
  } else if (strcmp(what, "errno") == 0) {
    by_timer(spoils);
  }
  return 0;
}
