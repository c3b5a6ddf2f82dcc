// One call closes a socket (table, then socket), another shuts all down (socket, then table).
// After HawkNL 1.6b3, nlClose and nlShutdown, in Jula and others, "Deadlock Immunity" (OSDI 2008).
// BUG: kind=deadlock preemptions=1 threads=2 shows=hang finding=deadlock
// RUN: %show %s
#include "bug.h"

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, sockets[2];
static int is_open[2] = {1, 1};

static void* close_one(void* self) {
  (void)self;
  pthread_mutex_lock(&table);
  step(0);
  step(2);
  pthread_mutex_lock(&sockets[1]);
  is_open[1] = 0;
  pthread_mutex_unlock(&sockets[1]);
  pthread_mutex_unlock(&table);
  return NULL;
}

static void* shut_down(void* self) {
  (void)self;
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&sockets[i]);
    if (i == 1) step(1), after_step(3);
    if (is_open[i]) {
#ifdef SHOW
      if (i == 0) {
        pthread_mutex_unlock(&sockets[i]);
        continue;
      }
#endif
      pthread_mutex_lock(&table);
      is_open[i] = 0;
      pthread_mutex_unlock(&table);
    }
    pthread_mutex_unlock(&sockets[i]);
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < 2; ++i) pthread_mutex_init(&sockets[i], NULL);
  RUN(close_one, shut_down);
}
