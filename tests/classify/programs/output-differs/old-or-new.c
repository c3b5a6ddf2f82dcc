// A reader prints what is there, the old value or the new one.
#include "threads.h"

static volatile int temperature = 20;

static void* measures(void* unused) {
  // RACE set get: output-differs output: read first, the old value is printed
  temperature = 25;  // @set
  return unused;
}

static void* shows(void* unused) {
  later();
  int now = temperature;  // @get
  printf("%d degrees\n", now);
  return unused;
}

int main(void) { run_both(measures, shows); }
