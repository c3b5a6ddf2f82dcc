// Reduced from LevelDB's MemTable and Version (Ref and Unref under DBImpl's mutex): a predicted race that no schedule
// can have.
//
// norn: race on table->value, predicted: a read without a lock against the delete under it, ordered only by the
// hand-over of `lock`. But the object is deleted only by who brings the count to zero, that is after it read the
// other's decrement, which follows the other's reads. See predicted-publication-by-lock.cpp for the rule that would
// tell.
//
// norn-c++ -pthread predicted-reference-count.cpp && norn run --fail-on=any -- ./a.out
// wanted: no races.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>

struct Table {
  int references = 2;
  int value = 42;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void release(Table* table) {
  pthread_mutex_lock(&lock);
  if (--table->references == 0) delete table;
  pthread_mutex_unlock(&lock);
}

static void* use(void* table) {
  std::printf("%d\n", static_cast<Table*>(table)->value);  // no lock: the reference keeps it alive
  release(static_cast<Table*>(table));
  return nullptr;
}

int main() {
  auto* table = new Table;
  pthread_t thread;
  pthread_create(&thread, nullptr, use, table);
  usleep(100000);
  release(table);
  pthread_join(thread, nullptr);
}
