// Two threads fill one line of text.
#include "threads.h"

static volatile char line[4] = "...";

static void* one(void* unused) {
  // RACE first1 first2: output-differs output: the later letter is printed
  line[0] = 'a';  // @first1
  // RACE second1 second2: output-differs output: the later letter is printed
  line[1] = 'b';  // @second1
  return unused;
}

static void* other(void* unused) {
  line[0] = 'x';  // @first2
  line[1] = 'y';  // @second2
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%c%c%c\n", line[0], line[1], line[2]);
}
