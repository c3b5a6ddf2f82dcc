// Where a search begins is a hint: the same is found wherever it begins.
#include "threads.h"

static const int values[4] = {4, 9, 2, 7};
static volatile int hint;
static int found;

static void* suggests(void* unused) {
  // RACE suggest begin: k-witness-harmless: the search goes round, and finds the same place
  hint = 2;  // @suggest
  return unused;
}

static void* searches(void* unused) {
  int start = hint;  // @begin
  for (int i = 0; i < 4; ++i) {
    if (values[(start + i) % 4] == 7) found = (start + i) % 4;
  }
  return unused;
}

int main(void) {
  run_both(suggests, searches);
  printf("%d\n", found);
}
