// What the second thread reads under the lock, the first has written under it, and the second does what it does because
// of it: no schedule brings the two together. In each of these ways the value is more than counted.
// NORACE
// RUN: %check %s

#include "order.h"

struct Shared {
  int x;
  int ready;
  int references;
  int tail;
  int head;
  int items[8];
  int sequence;
  unsigned char flags;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Shared shared;
static struct Shared* volatile object = &shared;
static int copied;
static volatile int rounds = 2;
static long turn;

// --- a state variable

static void set_state(void) {
  object->x = 1;
  pthread_mutex_lock(&mutex);
  object->ready = 1;
  pthread_mutex_unlock(&mutex);
  end_turn();
}
static void see_state(void) {
  await_turn(turn);
  pthread_mutex_lock(&mutex);
  const int ready = object->ready;
  pthread_mutex_unlock(&mutex);
  if (ready) object->x = 2;
}

// --- one of several flags

static void set_flag(void) {
  object->x = 1;
  pthread_mutex_lock(&mutex);
  object->flags |= 4;
  pthread_mutex_unlock(&mutex);
  end_turn();
}
static void see_flag(void) {
  await_turn(turn);
  pthread_mutex_lock(&mutex);
  const int flag = object->flags & 4;
  pthread_mutex_unlock(&mutex);
  if (flag) object->x = 2;
}

// --- the last reference

static void drop_first(void) {
  object->x = 1;
  pthread_mutex_lock(&mutex);
  if (--object->references == 0) object->x = 3;
  pthread_mutex_unlock(&mutex);
  end_turn();
}
static void drop_last(void) {
  await_turn(turn);
  pthread_mutex_lock(&mutex);
  if (--object->references == 0) object->x = 2;
  pthread_mutex_unlock(&mutex);
}

// --- the last reference, looked at after the lock

static void drop_later(void) {
  await_turn(turn);
  pthread_mutex_lock(&mutex);
  const int left = --object->references;
  pthread_mutex_unlock(&mutex);
  if (left == 0) object->x = 2;
}

// --- a queue

static void put(void) {
  object->x = 1;
  pthread_mutex_lock(&mutex);
  object->items[object->tail++] = 7;
  pthread_mutex_unlock(&mutex);
  end_turn();
}
static void take(void) {
  await_turn(turn);
  pthread_mutex_lock(&mutex);
  const int taken = object->head < object->tail ? object->items[object->head++] : 0;
  pthread_mutex_unlock(&mutex);
  if (taken == 7) object->x = 2;
}

// --- a number that is given out

__attribute__((noinline)) static int next_number(void) { return object->sequence++; }

static void first_number(void) {
  object->x = 1;
  pthread_mutex_lock(&mutex);
  next_number();
  pthread_mutex_unlock(&mutex);
  end_turn();
}
static void second_number(void) {
  await_turn(turn);
  pthread_mutex_lock(&mutex);
  const int number = next_number();
  pthread_mutex_unlock(&mutex);
  if (number == 1) object->x = 2;
}

// --- a copy of what is counted

static void copy_number(void) {
  await_turn(turn);
  pthread_mutex_lock(&mutex);
  copied = object->sequence++;
  pthread_mutex_unlock(&mutex);
  if (copied == 1) object->x = 2;
}

// --- counted, and then looked at

static void count_and_look(void) {
  await_turn(turn);
  pthread_mutex_lock(&mutex);
  object->sequence++;
  while (rounds > 0) rounds--;
  if (object->sequence == 2) object->x = 2;
  pthread_mutex_unlock(&mutex);
}

static void run_next(void (*first)(void), void (*second)(void)) {
  ++turn;
  shared.references = 2;
  shared.sequence = 0;
  run_two(first, second);
}

int main(void) {
  run_next(set_state, see_state);
  run_next(set_flag, see_flag);
  run_next(drop_first, drop_last);
  run_next(drop_first, drop_later);
  run_next(put, take);
  run_next(first_number, second_number);
  run_next(first_number, copy_number);
  run_next(first_number, count_and_look);
}
