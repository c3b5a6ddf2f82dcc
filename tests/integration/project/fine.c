#include <pthread.h>
#include <stddef.h>

int balance;

static void* deposit(void* unused) {
  (void)unused;
  balance = 1;
  return NULL;
}

int main(void) {
  pthread_t one;
  pthread_create(&one, NULL, deposit, NULL);
  pthread_join(one, NULL);
  return balance - 1;
}
