// Reduced from LevelDB (Version, MemTable, ManualCompaction, Logger): a race that was predicted and that no schedule can
// have. As written here it is not reported any more: main waits for the pointer in a loop, and (with --spin=0, or where
// there is no loop) the writer fills a block that it has just allocated. Where it did something else in between, it still
// is.
//
// norn said: race on first->value, predicted: the writer holds no lock, the reader holds none, and only the hand-over of
// `lock` orders them. But the reader can reach the object only by a pointer that it reads under the lock, and finds
// there only because the writer's critical section came first: in the other order it reads null and touches nothing.
//
// norn-c++ -pthread predicted-publication-by-lock.cpp && norn run --fail-on=any -- ./a.out
// wanted: no races.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>

struct Thing {
  int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Thing* published;

static void* publish(void*) {
  Thing* first = new Thing;
  first->value = 42;  // no lock: nobody else knows it yet
  pthread_mutex_lock(&lock);
  published = first;
  pthread_mutex_unlock(&lock);
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, publish, nullptr);
  Thing* seen = nullptr;
  while (!seen) {
    pthread_mutex_lock(&lock);
    seen = published;
    pthread_mutex_unlock(&lock);
    if (!seen) usleep(1000);
  }
  std::printf("%d\n", seen->value);  // no lock: it does not change any more
  pthread_join(thread, nullptr);
  delete seen;
}
