// Two threads take the first word of their own line by strtok_r, which keeps its state where the caller says
// (POSIX.1-2017, XSH strtok). The threads share nothing.
// NORACE
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
  char* rest = NULL;
  char* word = strtok_r(job->line, " ", &rest);
  job->length = word == NULL ? 0 : strlen(word);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, parses, &jobs[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return jobs[0].length != 3 || jobs[1].length != 4;
}
