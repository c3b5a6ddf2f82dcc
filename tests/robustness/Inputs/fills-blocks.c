// Two threads, each with blocks of its own: allocated, filled by a loop (l) or by the library (m), and freed.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 200, kWords = 1000 };

static char way;

static void* fills(void* unused) {
  long sum = 0;
  for (int block = 0; block < kBlocks; ++block) {
    long* words = malloc(kWords * sizeof *words);
    if (way == 'm') {
      memset(words, block, kWords * sizeof *words);
    } else {
      for (long i = 0; i < kWords; ++i) words[i] = i + block;
    }
    __asm__ volatile("" : : "r"(words) : "memory");
    sum += words[block];
    free(words);
  }
  return (void*)sum;
}

int main(int argc, char** argv) {
  way = argc > 1 ? argv[1][0] : 'l';
  pthread_t other;
  pthread_create(&other, 0, fills, 0);
  fills(0);
  pthread_join(other, 0);
  return 0;
}
