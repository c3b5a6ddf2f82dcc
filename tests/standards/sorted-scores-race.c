// One thread sorts an array by qsort while another looks something up in it by bsearch. Neither has a lock: what the
// library's functions read and write through their arguments conflicts (C11 7.1.4p5, 5.1.2.4p25).
// RUN: %check %s

#include <pthread.h>
#include <stdlib.h>

long scores[64];

static int ascending(const void* a, const void* b) {
  long one = *(const long*)a, other = *(const long*)b;  // RACE: observed scores
  return (one > other) - (one < other);
}

static void* sorts(void* unused) {
  (void)unused;
  qsort(scores, 64, sizeof scores[0], ascending);  // RACE: observed scores
  return NULL;
}

int main(void) {
  pthread_t thread;
  long wanted = 7;
  void* found;
  for (int i = 0; i < 64; i++) scores[i] = i * 37 % 64;
  if (pthread_create(&thread, NULL, sorts, NULL) != 0) return 1;
  found = bsearch(&wanted, scores, 64, sizeof scores[0], ascending);
  pthread_join(thread, NULL);
  return found == scores + 64;
}
