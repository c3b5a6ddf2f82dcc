// Overwrites what the heap keeps next to its blocks: Valgrind's heap cannot go on from there.
#include <stdlib.h>
#include <string.h>

char* volatile first;
char* volatile second;

int main(void) {
  first = malloc(16);
  second = malloc(16);
  memset(first - 16, 'A', 256);
  free(first);
  free(second);
  return 0;
}
