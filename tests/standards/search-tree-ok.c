// Two threads enter words into one tree of tsearch, under a mutex (POSIX.1-2017, XSH tsearch: the tree is what rootp
// points to; XBD 4.12).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <search.h>
#include <string.h>

static void* root;
static int entered;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void* a, const void* b) { return strcmp(a, b); }

static void* enters(void* words) {
  for (char** word = words; *word != NULL; word++) {
    pthread_mutex_lock(&mutex);
    if (tsearch(*word, &root, compare) != NULL) entered++;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  static char* first[] = {"m", "c", "x", NULL};
  static char* second[] = {"p", "a", "z", NULL};
  pthread_t a, b;
  pthread_create(&a, NULL, enters, first);
  pthread_create(&b, NULL, enters, second);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return entered != 6 || tfind("z", &root, compare) == NULL;
}
