// Two threads ask for the year by localtime_r, each into a structure of its own (POSIX.1-2017, XSH localtime): it is
// thread-safe, and the results are not shared.
// NORACE
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
  struct tm own;
  struct tm* date = localtime_r(&entry->when, &own);
  entry->year = date->tm_year;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  tzset();
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, dates, &entries[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return entries[0].year != 70 || entries[1].year != 70;
}
