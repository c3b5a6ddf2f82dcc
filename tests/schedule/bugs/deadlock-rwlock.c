// A reader of the index wants the page; the writer of the page wants the index.
// BUG: kind=deadlock preemptions=1 threads=2 shows=hang finding=deadlock
// FOUND-BY: random pos
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static pthread_rwlock_t index_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t page_lock = PTHREAD_MUTEX_INITIALIZER;
static int entry, page;

static void* look_up(void* unused) {
  pthread_rwlock_rdlock(&index_lock);
  step(0);
  step(2);
  pthread_mutex_lock(&page_lock);
  page = entry;
  pthread_mutex_unlock(&page_lock);
  pthread_rwlock_unlock(&index_lock);
  return unused;
}

static void* split(void* unused) {
  pthread_mutex_lock(&page_lock);
  step(1);
  after_step(3);
  pthread_rwlock_wrlock(&index_lock);
  entry = page + 1;
  pthread_rwlock_unlock(&index_lock);
  pthread_mutex_unlock(&page_lock);
  return unused;
}

int main(void) { RUN(look_up, split); }
