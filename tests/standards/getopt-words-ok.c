// Two threads take the options out of a command line each, one after the other: getopt and its variables are used under
// a lock alone, since getopt need not be thread-safe (POSIX.1-2017, XSH 2.9.1 and getopt).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <unistd.h>

struct command {
  char* words[4];
  int count;
  int verbose;
};

struct command commands[2] = {{{"copy", "-v", "file", NULL}, 3, 0}, {{"move", "-v", "-v", NULL}, 3, 0}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* parses(void* argument) {
  struct command* command = argument;
  int option;
  pthread_mutex_lock(&lock);
  optind = 1;
  while ((option = getopt(command->count, command->words, "v")) != -1) command->verbose += option == 'v';
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, parses, &commands[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return commands[0].verbose != 1 || commands[1].verbose != 2;
}
