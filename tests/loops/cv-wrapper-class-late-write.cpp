// Condition variable: a class around it; the data is written after the event that announces it.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

class Event {
 public:
  void set() {
    pthread_mutex_lock(&mutex_);
    set_ = true;
    pthread_cond_signal(&changed_);
    pthread_mutex_unlock(&mutex_);
  }
  void wait() {
    pthread_mutex_lock(&mutex_);
    while (!is_set()) wait_once();
    pthread_mutex_unlock(&mutex_);
  }

 private:
  bool is_set() const { return set_; }
  void wait_once() { pthread_cond_wait(&changed_, &mutex_); }
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  bool set_ = false;
};

Event event;
int x;

static void announces() {
  event.set();
  x = 1;  // RACE: observed x
}

static void waits() {
  event.wait();
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
