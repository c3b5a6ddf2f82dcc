// Reduced from LevelDB's DBImpl::~DBImpl and BackgroundCall: a predicted race that no schedule can have. It is no longer
// reported, since the compiler tells of loops around waits; with --cv=off it still is.
//
// norn: race on work, predicted, when the worker is done before main looks (the sleep makes it so): main then never
// waits, so no signal orders it, and only the hand-over of `lock` is left. But main leaves the loop only after it read
// `busy` as the worker's critical section wrote it. This is the lost signal of docs/design/order.md (cv=lost, cv=wr:
// wait-loop-leave), which needs to be told of the loop around the wait even if the wait is never called.
//
// norn-c++ -pthread predicted-lost-signal.cpp && norn run --fail-on=any -- ./a.out
// wanted: no races.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static bool busy = true;
static int* work;

static void* background(void*) {
  *work = 1;  // no lock, as a compaction works without it
  pthread_mutex_lock(&lock);
  busy = false;
  pthread_cond_signal(&done);
  pthread_mutex_unlock(&lock);
  return nullptr;
}

int main() {
  work = new int;
  pthread_t thread;
  pthread_create(&thread, nullptr, background, nullptr);
  pthread_detach(thread);
  usleep(100000);
  pthread_mutex_lock(&lock);
  while (busy) pthread_cond_wait(&done, &lock);
  pthread_mutex_unlock(&lock);
  std::printf("%d\n", *work);
  delete work;
}
