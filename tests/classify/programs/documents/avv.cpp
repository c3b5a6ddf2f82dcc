// The micro-benchmark AVV, all values valid (Portend, §6.3.1): the threads write different values, all of them valid.
#include "threads.h"

static int batch_size;

static void* one(void*) {
  // RACE small large: k-witness-harmless states=differ: any positive size is valid, and the items are the same then
  batch_size = 3;  // @small
  return nullptr;
}

static void* other(void*) {
  batch_size = 7;  // @large
  return nullptr;
}

int main() {
  run_both(one, other);
  int items = 0;
  for (int done = 0; done < 21; done += batch_size) items += batch_size;
  printf("items: %d\n", items);
}
