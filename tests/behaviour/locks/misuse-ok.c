// Everything that looks like a misuse and is none: recursive and error-checking mutexes, a wait that takes its mutex
// again, a child that unlocks what its parent locked, threads that are detached, handlers that keep errno and signals
// that a thread sends itself. The hazards are asked for in misuse-ok.test.
// NORACE
// RUN: %check %s

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t detached_ended;
static int ready;
static volatile sig_atomic_t handled;

static void* waits(void* unused) {
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&cv, &m);
  pthread_mutex_unlock(&m);
  return unused;
}

static void* ends(void* unused) {
  sem_post(&detached_ended);
  return unused;
}

static void raised(int number) {
  (void)number;
  free(malloc(10));
  errno = EIO;
}
static void keeps_errno(int number) {
  (void)number;
  const int saved = errno;
  close(-1);
  errno = saved;
  handled = 1;
}

static void set_handler(int number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = handler;
  sigaction(number, &action, NULL);
}

static void kinds(int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  const int unowned = pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  const int again = pthread_mutex_lock(&mutex);
  if (unowned == 0 || (again != 0) == (kind == PTHREAD_MUTEX_RECURSIVE)) abort();
  if (again == 0) pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  pthread_mutex_init(&mutex, NULL);  // the same place, another life
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
  pthread_mutexattr_destroy(&attributes);
}

int main(void) {
  kinds(PTHREAD_MUTEX_RECURSIVE);
  kinds(PTHREAD_MUTEX_ERRORCHECK);
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&cv);
  pthread_mutex_unlock(&m);
  pthread_join(thread, NULL);

  sem_init(&detached_ended, 0, 0);
  pthread_create(&thread, NULL, ends, NULL);
  pthread_detach(thread);
  sem_wait(&detached_ended);

  // Not in the order in which they were taken.
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&other);
  pthread_rwlock_rdlock(&rw);
  pthread_rwlock_rdlock(&rw);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&other);
  pthread_rwlock_unlock(&rw);
  pthread_rwlock_unlock(&rw);
  pthread_rwlock_destroy(&rw);

  pthread_mutex_lock(&m);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_unlock(&m);
    _exit(0);
  }
  pthread_mutex_unlock(&m);
  int status = 0;
  waitpid(child, &status, 0);

  set_handler(SIGUSR1, raised);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR1);
  set_handler(SIGALRM, keeps_errno);
  const struct itimerval timer = {{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  while (!handled) usleep(100);
  return status;
}
