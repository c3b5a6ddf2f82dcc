// Two threads, each with its own text, table and lock, which it takes every so many bytes. The text is read byte by
// byte, and again by words that are not aligned, as a compressor looks for matches.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kText = 15 * 1024, kTable = 1 << 16, kLongest = 16, kRounds = 2 };

struct Job {
  uint8_t* text;
  uint32_t* table;
  uint32_t seed, every;
  pthread_mutex_t mutex;
  int progress;
};

static void* find_matches(void* argument) {
  struct Job* job = argument;
  uint8_t* text = job->text;
  uint32_t state = job->seed;
  unsigned long found = 0;
  for (int i = 0; i < kText + kLongest; i++) {
    state = state * 1103515245u + 12345u;
    text[i] = (uint8_t)(state >> 24 & 7);
  }
  for (int round = 0; round < kRounds; round++) {
    for (uint32_t i = 0; i < kText; i++) {
      if (i % job->every == 0) {
        pthread_mutex_lock(&job->mutex);
        job->progress++;
        pthread_mutex_unlock(&job->mutex);
      }
      uint32_t hash = (uint32_t)(text[i] | text[i + 1] << 4 | text[i + 2] << 8 | text[i + 3] << 12) & (kTable - 1);
      uint32_t match = job->table[hash];
      job->table[hash] = i;
      uint32_t length = 0;
      while (length < kLongest && i + length < kText && text[match + length] == text[i + length]) length++;
      uint64_t here, there;
      memcpy(&here, text + i, 8);
      memcpy(&there, text + match, 8);
      found += length + (here == there);
    }
  }
  return (void*)found;
}

int main(int count, char** words) {
  struct Job jobs[2];
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    uint32_t every = count > 1 ? (uint32_t)atoi(words[1]) : 1024;
    jobs[i] =
        (struct Job){malloc(kText + kLongest), calloc(kTable, 4), (uint32_t)i + 1, every, PTHREAD_MUTEX_INITIALIZER, 0};
    pthread_create(&threads[i], 0, find_matches, &jobs[i]);
  }
  for (int i = 0; i < 2; i++) {
    void* found;
    pthread_join(threads[i], &found);
    printf("%lu\n", (unsigned long)found);
    free(jobs[i].text);
    free(jobs[i].table);
  }
}
