// A loop that the compiler does four numbers at a time, and a vector that the source has.
#include "order.h"

#define COUNT 64
int numbers[COUNT];
typedef long long pair_of_longs __attribute__((vector_size(16)));
pair_of_longs both;
int sums[COUNT];

static void first(void) {
  for (int i = 0; i < COUNT; ++i) numbers[i] = sums[i] + 3;
  both = (pair_of_longs){1, 2};
  end_turn();
}

static void second(void) {
  await_turn(1);
  for (int i = 0; i < COUNT; ++i) numbers[i] = sums[i] - 3;
  both = (pair_of_longs){3, 4};
}

int main(void) {
  run_two(first, second);
  return 0;
}
