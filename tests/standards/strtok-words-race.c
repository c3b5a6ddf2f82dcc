// Two threads take the first word of their own line by strtok. It keeps its state in a place of its own that all
// threads share, and need not be thread-safe (POSIX.1-2017, XSH 2.9.1 and strtok); C11 7.24.5.8 says the same: it is
// not required to avoid data races with other calls.
// RUN: %check %s

#include <pthread.h>
#include <string.h>

struct job {
  char line[32];
  size_t length;
};

struct job jobs[2] = {{"GET /index.html", 0}, {"POST /form", 0}};

static void* parses(void* argument) {
  struct job* job = argument;
  char* word = strtok(job->line, " ");  // RACE: observed <strtok>
  job->length = word == NULL ? 0 : strlen(word);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, parses, &jobs[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return jobs[0].length != 3 || jobs[1].length != 4;
}
