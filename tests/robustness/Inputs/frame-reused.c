// Another thread uses a variable in a frame of main's. When main knows that it has done so, by a look that no detector
// knows of, it leaves the frame and uses the same memory for another.
#include "../../behaviour/order.h"

static void* uses(void* variable) {
  *(volatile int*)variable = 1;
  end_turn();
  return NULL;
}

__attribute__((noinline)) static void lends(void) {
  volatile int variables[16] = {0};
  pthread_t thread;
  pthread_create(&thread, NULL, uses, (void*)&variables[8]);
  await_turn(1);
  pthread_detach(thread);
}

__attribute__((noinline)) static void goes_on(int depth) {
  volatile int others[16];
  for (int i = 0; i < 16; i++) others[i] = i;
  if (depth > 0) goes_on(depth - 1);
}

int main(void) {
  lends();
  goes_on(4);
  return 0;
}
