// A look-up gives out a pointer to the entry, which is read when the reader lock is long released. The functions of XBD
// 4.12 order what stands before the unlock with what stands after the next lock; the read comes after the unlock and
// holds no lock, and the writer writes without regard to it (XBD 4.12: access shall be restricted).
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct route {
  int gateway;
  int metric;
};

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
struct route routes[4] = {{1, 10}, {2, 10}, {3, 10}, {4, 10}};
atomic_int found;
int metric_seen;

static struct route* find(int index) {
  pthread_rwlock_rdlock(&lock);
  struct route* route = &routes[index];
  pthread_rwlock_unlock(&lock);
  return route;
}

static void* reads(void* unused) {
  struct route* route = find(2);
  // The writer comes after the look-up; relaxed, so nothing is ordered by it.
  atomic_store_explicit(&found, 1, memory_order_relaxed);
  metric_seen = route->metric;  // RACE: observed routes
  return unused;
}

static void* changes(void* unused) {
  while (!atomic_load_explicit(&found, memory_order_relaxed)) sched_yield();
  pthread_rwlock_wrlock(&lock);
  routes[2].metric = 20;  // RACE: observed routes
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t reader, writer;
  pthread_create(&reader, NULL, reads, NULL);
  pthread_create(&writer, NULL, changes, NULL);
  pthread_join(reader, NULL);
  pthread_join(writer, NULL);
  return metric_seen != 10 && metric_seen != 20;
}
