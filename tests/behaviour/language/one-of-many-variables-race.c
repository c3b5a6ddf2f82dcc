// A pointer that may lead to any of 512 variables, and one that does, too: two threads at one of them.
// RUN: %check %s

#include "order.h"

// Each does what it is told with two names.
#define TWO(what, name) what(name##0) what(name##1)
#define FOUR(what, name) TWO(what, name##0) TWO(what, name##1)
#define EIGHT(what, name) FOUR(what, name##0) FOUR(what, name##1)
#define SIXTY_FOUR(what, name) \
  EIGHT(what, name##a)         \
  EIGHT(what, name##b)         \
  EIGHT(what, name##c)         \
  EIGHT(what, name##d) EIGHT(what, name##e) EIGHT(what, name##f) EIGHT(what, name##g) EIGHT(what, name##h)
#define ALL(what)     \
  SIXTY_FOUR(what, a) \
  SIXTY_FOUR(what, b) \
  SIXTY_FOUR(what, c) \
  SIXTY_FOUR(what, d) SIXTY_FOUR(what, e) SIXTY_FOUR(what, f) SIXTY_FOUR(what, g) SIXTY_FOUR(what, h)

#define DEFINE(name) int name;
#define ADDRESS(name) &name,
ALL(DEFINE)
int* all[] = {ALL(ADDRESS)};
int one = 300;
int other = 150;

static void first(void) {
  *all[one] = 1;  // RACE: observed ef100
  end_turn();
}

static void second(void) {
  await_turn(1);
  *all[other * 2] = 2;  // RACE: observed ef100
}

int main(void) { run_two(first, second); }
