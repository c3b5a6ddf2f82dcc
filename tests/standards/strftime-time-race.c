// A thread writes the time into its log line, another sets the clock that is shown, without a lock: strftime reads the
// member that is written (POSIX.1-2017, XBD 4.12; XSH strftime).
// RUN: %check %s

#include <pthread.h>
#include <string.h>
#include <time.h>

static struct tm shown = {.tm_year = 100, .tm_mday = 1};

static void* sets(void* unused) {
  shown.tm_year = 126;  // RACE: observed <shown>
  return unused;
}

static void* logs(void* line) {
  strftime(line, 16, "%Y", &shown);  // RACE: observed <shown>
  return NULL;
}

int main(void) {
  pthread_t a, b;
  char line[16] = "";
  pthread_create(&a, NULL, sets, NULL);
  pthread_create(&b, NULL, logs, line);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return strlen(line) != 4;
}
