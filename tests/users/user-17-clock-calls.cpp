// Line 17: the newer calls with a clock, and what the standard library makes of them.
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "order.h"

using namespace std::chrono_literals;

static timespec later() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  now.tv_sec += 60;
  return now;
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
std::timed_mutex timed;
std::recursive_timed_mutex recursive;
std::shared_timed_mutex shared;
sem_t slots;
int a, b, c, d, e, f;

static void adds() {
  timespec deadline = later();
  for (int i = 0; i < 50; i++) {
    if (pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadline) == 0) {
      a++;
      pthread_mutex_unlock(&mutex);
    }
    if (pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &deadline) == 0) {
      b++;
      pthread_rwlock_unlock(&rwlock);
    }
    if (std::unique_lock lock(timed, 60s); lock) c++;
    if (std::unique_lock lock(recursive, std::chrono::steady_clock::now() + 60s); lock) d++;
    if (std::unique_lock lock(shared, std::chrono::system_clock::now() + 60s); lock) e++;
    if (sem_clockwait(&slots, CLOCK_MONOTONIC, &deadline) == 0) {
      f++;
      sem_post(&slots);
    }
  }
}

int main() {
  sem_init(&slots, 0, 1);
  run_two(adds, adds);
  return a + b + c + d + e + f != 600;
}
