#include "order.h"

volatile int stop, ready;
int result;

static void works(void) {
  while (!ready) {
  }
  while (!stop) {
  }
  result++;
}

static void stops(void) {
  ready = 1;
  result = 41;
  stop = 1;
}

int main(void) {
  run_two(stops, works);
  return result - 42;
}
