// T1's g++ (under m) and T3's g = 1 race whenever T1 comes late, which it does only if T2's nap ends early: a sleeper may
// be chosen while others can run.
// RUN: %norn-c++ -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: not %norn check --strategy=race-directed --runs=60 -- %t 2>&1 | FileCheck %s
// CHECK: race on g {{.*}}: confirmed in {{[1-9][0-9]*}} of 60 runs

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
int g;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
sem_t s;
void* t1(void*) { pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m); return nullptr; }
void* t2(void*) {
  usleep(100000);
  pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m);
  sem_post(&s);
  return nullptr;
}
void* t3(void*) { sem_wait(&s); g = 1; return nullptr; }
int main() {
  sem_init(&s, 0, 0);
  pthread_t a, b, c;
  pthread_create(&a, nullptr, t1, nullptr);
  pthread_create(&b, nullptr, t2, nullptr);
  pthread_create(&c, nullptr, t3, nullptr);
  pthread_join(a, nullptr); pthread_join(b, nullptr); pthread_join(c, nullptr);
}
