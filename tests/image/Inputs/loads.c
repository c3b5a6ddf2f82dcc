// What is not seen of it is all in main.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/uio.h>

char block[8];

static void* teller(void* unused) {
  block[0]++;
  return unused;
}

int main(void) {
  struct iovec where = {block, sizeof block};
  pthread_t one;
  pthread_create(&one, 0, teller, 0);
  __asm__ volatile("nop" : : "r"(block) : "memory");
  readv(0, &where, 1);
  pthread_join(one, 0);
  return dlopen("gone.so", RTLD_NOW) != 0;
}
