// Two threads look up who owns a file by getpwuid, which may put what it finds into a structure that all threads share,
// and need not be thread-safe (POSIX.1-2017, XSH 2.9.1 and getpwuid: "may point to a static area which is
// overwritten").
// RUN: %check %s

#include <pthread.h>
#include <pwd.h>
#include <stddef.h>

static unsigned owners[2];

static void* looks_up(void* argument) {
  unsigned* owner = argument;
  struct passwd* entry = getpwuid(0);          // RACE: observed <getpwuid>
  *owner = entry == NULL ? 0 : entry->pw_uid;  // MAYBE: getpwuid
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, looks_up, &owners[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return owners[0] != 0 || owners[1] != 0;
}
