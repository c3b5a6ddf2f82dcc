// A thread writes the time into its log line, another sets the clock that is shown: both under a lock (POSIX.1-2017,
// XBD 4.12; XSH strftime reads the structure that it is given).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <string.h>
#include <time.h>

static struct tm shown = {.tm_year = 100, .tm_mday = 1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* sets(void* unused) {
  pthread_mutex_lock(&lock);
  shown.tm_year = 126;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* logs(void* line) {
  pthread_mutex_lock(&lock);
  strftime(line, 16, "%Y", &shown);
  pthread_mutex_unlock(&lock);
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
