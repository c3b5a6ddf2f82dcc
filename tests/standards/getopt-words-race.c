// Two threads take the options out of a command line each. getopt keeps where it is in optind, which all threads share,
// and need not be thread-safe (POSIX.1-2017, XSH 2.9.1 and getopt).
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

struct command {
  char* words[4];
  int count;
  int verbose;
};

struct command commands[2] = {{{"copy", "-v", "file", NULL}, 3, 0}, {{"move", "-v", "-v", NULL}, 3, 0}};
static atomic_int turn;

static void parses(struct command* command) {
  int option;
  optind = 1;                                                             // MAYBE: getopt
  while ((option = getopt(command->count, command->words, "v")) != -1) {  // RACE: observed <getopt>
    command->verbose += option == 'v';
  }
}

static void* first(void* command) {
  parses(command);
  atomic_store_explicit(&turn, 1, memory_order_relaxed);
  return NULL;
}

static void* second(void* command) {
  // One after the other, so that no word is taken by the wrong one; relaxed, so nothing is ordered.
  while (atomic_load_explicit(&turn, memory_order_relaxed) == 0) sched_yield();
  parses(command);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, &commands[0]);
  pthread_create(&threads[1], NULL, second, &commands[1]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return commands[0].verbose != 1 || commands[1].verbose != 2;
}
