/* Reduced from LevelDB's db_test, where AtomicPointer::Release_Store is the site of nearly every write.
 *
 * `ordered` is written by two threads in turn, handed over by a lock: predicted at most. `bare` is written by both
 * without anything: observed. Both are the same pair of sites (one statement, in `set`), so they are one race to norn,
 * and its standing rightly rises to observed when `bare` is written. But the report keeps what it first heard of: it
 * says `observed` and shows the stacks, the threads and the name of `ordered`, which no two threads ever touched at
 * once.
 *
 * norn-cc -O1 -pthread observed-for-ordered-writes.c && norn run -- ./a.out
 * wanted: the observed race shows the stacks through bare_one and bare_two. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long ordered, bare;

__attribute__((noinline)) static void set(long* where, long value) { *where = value; }

__attribute__((noinline)) static void ordered_one(void) { set(&ordered, 1); }
__attribute__((noinline)) static void ordered_two(void) { set(&ordered, 2); }
__attribute__((noinline)) static void bare_one(void) { set(&bare, 1); }
__attribute__((noinline)) static void bare_two(void) { set(&bare, 2); }

static void hand_over(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void* one(void* none) {
  ordered_one();
  hand_over();
  usleep(200000);
  bare_one();
  return none;
}

static void* two(void* none) {
  usleep(100000);
  hand_over();
  ordered_two();
  usleep(200000);
  bare_two();
  return none;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, two, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%d\n", ordered != 0 && bare != 0);
  return 0;
}
