// The variable behind an array, and the array's last element.
#include <pthread.h>

int row[4];
int behind;

static void* works(void* argument) {
  row[3]++;
  behind++;
  return argument;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, works, NULL);
  pthread_create(&b, NULL, works, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
