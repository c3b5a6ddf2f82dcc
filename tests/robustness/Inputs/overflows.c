// Two threads, and a copy that does not fit: the check of _FORTIFY_SOURCE ends the program.
#include <pthread.h>
#include <string.h>

char name[4];
const char* volatile text = "too long for that";

static void* waits(void* unused) { return unused; }

int main(int count, char** words) {
  pthread_t thread;
  pthread_create(&thread, 0, waits, 0);
  pthread_join(thread, 0);
  if (count > 1 && words[1][0] == 'a') strcat(name, text);
  if (count > 1 && words[1][0] == 'n') strncat(name, text, strlen(text) - 1);
  if (count == 1) strcpy(name, text);
}
