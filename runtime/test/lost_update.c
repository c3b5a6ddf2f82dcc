// A race that always happens, for the runtime's own smoke test.
#include <pthread.h>
#include <stdio.h>

static struct Account {
  int number;
  int balance;
} account;

static void* deposit(void* unused) {
  for (int i = 0; i < 1000; i++) account.balance++;
  return unused;
}

int main(void) {
  pthread_t tellers[2];
  for (int i = 0; i < 2; i++) pthread_create(&tellers[i], NULL, deposit, NULL);
  for (int i = 0; i < 2; i++) pthread_join(tellers[i], NULL);
  puts("closed");
}
