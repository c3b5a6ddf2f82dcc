// One thread finds what the other wrote, and writes it by the C library.
#include <string.h>

#include "order.h"

int block;
volatile size_t size = sizeof(block);

static void first(void) {
  block = 42;
  end_turn();
}

static void second(void) {
  await_turn(1);
  memset(&block, 7, size);
}

int main(void) { run_two(first, second); }
