// Condition variable: the wait is behind a virtual call; the data is written after the section that announces it.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

struct Waiting {
  virtual ~Waiting() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
  virtual void wait() = 0;
  virtual void signal() = 0;
};

struct Pthreads final : Waiting {
  void lock() override { pthread_mutex_lock(&mutex); }
  void unlock() override { pthread_mutex_unlock(&mutex); }
  void wait() override { pthread_cond_wait(&changed, &mutex); }
  void signal() override { pthread_cond_signal(&changed); }
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
};

Waiting* volatile waiting;
int ready;
int x;

static void announces() {
  waiting->lock();
  ready = 1;
  waiting->signal();
  waiting->unlock();
  x = 1;  // RACE: observed x
}

static void waits() {
  waiting->lock();
  while (!ready) waiting->wait();
  waiting->unlock();
  x = 2;  // RACE: observed x
}

int main() {
  Pthreads pthreads;
  waiting = &pthreads;
  meet(waits, announces);
}
