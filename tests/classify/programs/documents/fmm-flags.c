// After fmm (Portend, table 6: twelve of its races have a single ordering; RaceMob, figure 4): boxes of a tree are
// ready one after the other, and who needs one waits in a loop for its synchronization count.
#include "threads.h"

struct Box {
  volatile int construct_synch, interaction_synch;
  double mass, field;
};
static struct Box parent, child, sibling;
static double result;

static void* builds(void* unused) {
  // RACE mass massed: single-ordering: the loop before the read waits for the count that follows this write
  child.mass = 2;  // @mass
  // RACE count counted: single-ordering: the loop waits for this very write
  child.construct_synch = 1;  // @count
  // RACE sibling siblinged: single-ordering: the loop before the read waits for the count that follows this write
  sibling.mass = 3;  // @sibling
  // RACE scount scounted: single-ordering: the loop waits for this very write
  sibling.construct_synch = 1;                      // @scount
  while (!parent.interaction_synch) sched_yield();  // @pcounted
  result = parent.field;                            // @fielded
  return unused;
}

static void* interacts(void* unused) {
  while (!child.construct_synch) sched_yield();    // @counted
  double mass = child.mass;                        // @massed
  while (!sibling.construct_synch) sched_yield();  // @scounted
  mass += sibling.mass;                            // @siblinged
  // RACE field fielded: single-ordering: the loop before the read waits for the count that follows this write
  parent.field = mass * 2;  // @field
  // RACE pcount pcounted: single-ordering: the loop waits for this very write
  parent.interaction_synch = 1;  // @pcount
  return unused;
}

int main(void) {
  run_both(builds, interacts);
  printf("%g\n", result);
}
