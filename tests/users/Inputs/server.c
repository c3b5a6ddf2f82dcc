// A server: races once, writes its process id to the file it is told, and waits for ever.
#include <stdio.h>
#include <unistd.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;
}

int main(int count, char** arguments) {
  if (count < 2) return 1;
  run_two(first, second);
  char name[256];
  snprintf(name, sizeof name, "%s.new", arguments[1]);
  FILE* file = fopen(name, "w");
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
  rename(name, arguments[1]);
  for (;;) pause();
}
