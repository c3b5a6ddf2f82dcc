// An object that is deleted while another thread calls it.
#include "threads.h"

struct Task {
  volatile int state = 3;
  // RACE run delete: spec-violated memory-error: deleted first, the call reads an object that is gone
  int run() { return state; }  // @run
};
static Task* task;
static volatile int result;

static void* runs(void*) {
  result = task->run();
  return nullptr;
}

static void* deletes(void*) {
  later();
  delete task;  // @delete
  return nullptr;
}

int main() {
  task = new Task;
  run_both(runs, deletes);
  printf("done\n");
}
