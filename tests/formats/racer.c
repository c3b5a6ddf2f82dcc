// One race that every detector sees, for reports to be compared.
#include <pthread.h>
#include <stdlib.h>

int shared;

static void* racer(void* argument) {
  shared = *(int*)argument;
  return NULL;
}

int main(void) {
  pthread_t one, two;
  int* block = malloc(sizeof(int));
  *block = 7;
  pthread_create(&one, NULL, racer, block);
  pthread_create(&two, NULL, racer, block);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  free(block);
  return shared == 7 ? 0 : 1;
}
