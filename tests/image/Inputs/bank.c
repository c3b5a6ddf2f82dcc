// Two threads deposit without a lock.
#include <pthread.h>
#include <stdio.h>

int balance;
void deposit(int amount);

static void* teller(void* unused) {
  for (int i = 0; i < 10; ++i) deposit(i);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, teller, NULL);
  pthread_create(&two, NULL, teller, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  puts("closed");
  return 0;
}
