// Double-checked initialisation with acquire and release.
// NORACE
// RUN: %check %s --levels=-O0,-O2

#include <atomic>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

struct Table {
  int value;
};

std::atomic<Table*> table;
int seen[2];

static Table* get() {
  Table* it = table.load(std::memory_order_acquire);
  if (it == nullptr) {
    pthread_mutex_lock(&mutex);
    it = table.load(std::memory_order_relaxed);
    if (it == nullptr) {
      it = new Table{7};
      table.store(it, std::memory_order_release);
    }
    pthread_mutex_unlock(&mutex);
  }
  return it;
}

static void first() {
  seen[0] = get()->value;
  end_turn();
}

// After the first: who finds the table under the mutex is ordered by it alone (publication-* are such programs).
static void second() {
  await_turn(1);
  seen[1] = get()->value;
}

int main() {
  run_two(first, second);
  delete table.load();
}
