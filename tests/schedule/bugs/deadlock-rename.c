// rename() locks the old directory and then the new one: two renames between the same directories lock each other out.
// After the rule of Linux's Documentation/filesystems/directory-locking, which has a lock for renames between
// directories; and the deadlocks of file systems without it.
// BUG: kind=deadlock preemptions=1 threads=4 shows=hang finding=deadlock
// RUN: %show %s
#include "bug.h"

enum { kDirectories = 4 };
static pthread_mutex_t directories[kDirectories];
static int files[kDirectories] = {1, 1, 1, 1};

static void rename_file(int from, int to, int first_step) {
  pthread_mutex_lock(&directories[from]);
  if (first_step >= 0) step(first_step), after_step(2);
  pthread_mutex_lock(&directories[to]);
  --files[from];
  ++files[to];
  pthread_mutex_unlock(&directories[to]);
  pthread_mutex_unlock(&directories[from]);
}

static void* move_up(void* self) { return rename_file(0, 1, self == NULL ? 0 : -1), NULL; }
static void* move_down(void* self) { return rename_file(1, 0, self != NULL ? 1 : -1), NULL; }
static void* move_aside(void* self) { return (void)self, rename_file(2, 3, -1), NULL; }

int main(void) {
  for (int i = 0; i < kDirectories; ++i) pthread_mutex_init(&directories[i], NULL);
  RUN(move_up, move_down, move_aside, move_aside);
}
