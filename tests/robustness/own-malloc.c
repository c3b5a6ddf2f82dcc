// A program that brings its own malloc.
// STDOUT: own
// RUN: %check %s

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

static _Alignas(64) char arena[64 << 20];
static size_t used;
static int calls;

__attribute__((no_sanitize("thread"))) static void* get(size_t alignment, size_t size) {
  for (;;) {
    size_t old = __atomic_load_n(&used, __ATOMIC_RELAXED);
    size_t start = (old + sizeof(size_t) + alignment - 1) & ~(alignment - 1);
    if (start + size > sizeof arena) return NULL;
    if (!__atomic_compare_exchange_n(&used, &old, start + size, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    *(size_t*)(arena + start - sizeof(size_t)) = size;
    return arena + start;
  }
}

__attribute__((no_sanitize("thread"))) void* malloc(size_t size) { return get(16, size); }

__attribute__((no_sanitize("thread"))) void free(void* block) { (void)block; }

__attribute__((no_sanitize("thread"))) void* calloc(size_t count, size_t size) { return get(16, count * size); }

__attribute__((no_sanitize("thread"))) void* realloc(void* block, size_t size) {
  void* bigger = get(16, size);
  if (block && bigger) {
    size_t old = ((size_t*)block)[-1];
    for (size_t i = 0; i < old && i < size; i++) ((volatile char*)bigger)[i] = ((char*)block)[i];
  }
  return bigger;
}

void* memalign(size_t alignment, size_t size) { return get(alignment < 16 ? 16 : alignment, size); }

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** result, size_t alignment, size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

int* block;

static void first(void) {
  block[2] = 1;  // RACE: observed block
  end_turn();
}

static void second(void) {
  await_turn(1);
  block[2] = 2;  // RACE: observed block
}

int main(void) {
  block = malloc(100);
  run_two(first, second);
  block = realloc(block, 200);
  puts(block[2] == 2 && calls > 1 && (char*)block >= arena && (char*)block < arena + sizeof arena ? "own" : "not own");
  fflush(stdout);
}
