// Asked too early, two steps are made under two locks instead of one; what is printed changes only if another thread
// comes in between.
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int careful;
static int stock = 10;
static int sold;

static void* configures(void* unused) {
  // RACE set ask: output-differs output: asked first, the other sale may come between the look and the sale
  careful = 1;  // @set
  return unused;
}

static void* sells(void* unused) {
  later();
  int in_one = careful;  // @ask
  pthread_mutex_lock(&mutex);
  int now = stock;
  if (!in_one) {
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
  }
  stock = now - 1;
  ++sold;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* sells_too(void* unused) {
  later();
  pthread_mutex_lock(&mutex);
  stock = stock - 1;
  ++sold;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  run_three(configures, sells, sells_too);
  printf("stock %d sold %d\n", stock, sold);
}
