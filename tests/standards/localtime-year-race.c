// Two threads ask for the year by localtime, which returns a structure that all calls share, and need not be
// thread-safe (POSIX.1-2017, XSH 2.9.1 and localtime; C11 7.27.3). Whoever calls first reads the structure with nothing
// that would order its read before the other's call.
// RUN: %check %s

#include <pthread.h>
#include <time.h>

struct entry {
  time_t when;
  int year;
};

struct entry entries[2] = {{86400, 0}, {2 * 86400, 0}};

static void* dates(void* argument) {
  struct entry* entry = argument;
  struct tm* date = localtime(&entry->when);  // RACE: observed <date>
  entry->year = date->tm_year;                // MAYBE: <date>
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  tzset();
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, dates, &entries[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return entries[0].year != 70 || entries[1].year != 70;
}
