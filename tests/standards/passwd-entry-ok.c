// Two threads look up who owns a file. getpwuid_r puts what it finds where the caller says (POSIX.1-2017, XSH
// getpwuid), so that the threads share nothing.
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <pwd.h>
#include <stddef.h>

struct owner {
  unsigned id;
  int error;
  char names[1024];
};

static struct owner owners[2];

static void* looks_up(void* argument) {
  struct owner* owner = argument;
  struct passwd entry, *found = NULL;
  owner->error = getpwuid_r(0, &entry, owner->names, sizeof owner->names, &found);
  if (found != NULL) owner->id = found->pw_uid;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, looks_up, &owners[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return owners[0].id != 0 || owners[1].id != 0;
}
