// Two threads read into one block, by a function that is inlined where an exception would have to be cleaned up after.
#include <pthread.h>
#include <unistd.h>

char block[4];
int depth;

struct Deeper {
  Deeper() { __atomic_fetch_add(&depth, 1, __ATOMIC_SEQ_CST); }
  ~Deeper() { __atomic_fetch_sub(&depth, 1, __ATOMIC_SEQ_CST); }
};

static long fill() { return read(0, block, sizeof block); }

static void* reader(void*) {
  Deeper deeper;
  fill();
  return nullptr;
}

int main() {
  pthread_t one, two;
  pthread_create(&one, nullptr, reader, nullptr);
  pthread_create(&two, nullptr, reader, nullptr);
  pthread_join(one, nullptr);
  pthread_join(two, nullptr);
}
