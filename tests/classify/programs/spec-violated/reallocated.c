// A buffer that grows elsewhere while another thread still has the old address.
#include "threads.h"

static char* volatile buffer;
static volatile char seen;

static void* reads(void* unused) {
  // RACE take set: spec-violated memory-error: the address is taken before the buffer moves, and used after
  char* mine = buffer;  // @take
  sched_yield();
  // RACE read grow: spec-violated memory-error: moved first, the old place is read
  seen = mine[3];  // @read
  return unused;
}

static void* grows(void* unused) {
  later();
  char* old = buffer;
  char* moved = malloc(4096);
  memcpy(moved, old, 16);
  buffer = moved;  // @set
  free(old);       // @grow
  return unused;
}

int main(void) {
  buffer = calloc(1, 16);
  run_both(reads, grows);
  free(buffer);
  printf("done\n");
}
