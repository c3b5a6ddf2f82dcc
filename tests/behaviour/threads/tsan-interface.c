// ThreadSanitizer's public interface: a program that calls all of it links, runs, and is judged by it. The mutex
// annotations order and protect; a relaxed atomic of its header does not order; the report callback sees the race.
// FLAGS: -fnorn-as-tsan
// STDOUT: initialized
// STDOUT: report: data-race, 2 accesses, 4 bytes, write, in store_later
// RUN: %check %s

#include <pthread.h>
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/tsan_interface.h>
#include <sanitizer/tsan_interface_atomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

static int own_lock;
static int guarded;
int handed;
int raced;
static __tsan_atomic32 flag;
static __tsan_atomic32 relaxed;

void __tsan_on_initialize(void) { printf("initialized\n"); }

void __tsan_on_report(void* report) {
  const char* description = "";
  int count = 0, stacks = 0, accesses = 0, locations = 0, mutexes = 0, threads = 0, unique = 0;
  void* sleep[1] = {0};
  if (report != __tsan_get_current_report()) abort();
  if (!__tsan_get_report_data(report, &description, &count, &stacks, &accesses, &locations, &mutexes, &threads, &unique,
                              sleep, 1))
    abort();
  int thread = 0, size = 0, write = 0, atomic = 0;
  void* address = 0;
  void* trace[8] = {0};
  __tsan_get_report_mop(report, 0, &thread, &address, &size, &write, &atomic, trace, 8);
  if (address != &raced || atomic) abort();
  char function[64];
  __sanitizer_symbolize_pc(trace[0], "%f", function, sizeof(function));
  const char* type = "";
  void *at = 0, *begin = 0;
  unsigned long length = 0;
  int owner = 0, file = 0, suppressable = 0;
  __tsan_get_report_loc(report, 0, &type, &at, &begin, &length, &owner, &file, &suppressable, trace, 8);
  if (strcmp(type, "global") != 0) abort();
  const char* name = "";
  uint64_t system = 0;
  int running = 0, parent = 0;
  __tsan_get_report_thread(report, 0, &thread, &system, &running, &name, &parent, trace, 8);
  if (!__tsan_get_report_unique_tid(report, 1, &thread)) abort();
  printf("report: %s, %d accesses, %d bytes, %s, in %s\n", description, accesses, size, write ? "write" : "read",
         function);
}

static void with_lock(void) {
  for (int i = 0; i < 100; i++) {
    __tsan_mutex_pre_lock(&own_lock, 0);
    while (__tsan_atomic32_exchange((__tsan_atomic32*)&own_lock, 1, __tsan_memory_order_relaxed)) sched_yield();
    __tsan_mutex_post_lock(&own_lock, 0, 0);
    guarded++;
    __tsan_mutex_pre_unlock(&own_lock, 0);
    __tsan_atomic32_store((__tsan_atomic32*)&own_lock, 0, __tsan_memory_order_relaxed);
    __tsan_mutex_post_unlock(&own_lock, 0);
  }
}

static void store_first(void) {
  handed = 1;
  __tsan_atomic32_store(&flag, 1, __tsan_memory_order_release);
  raced = 1;  // RACE: observed raced
  __tsan_atomic32_store(&relaxed, 1, __tsan_memory_order_relaxed);
}

static void store_later(void) {
  while (__tsan_atomic32_load(&flag, __tsan_memory_order_acquire) == 0) sched_yield();
  handed = 2;
  while (__tsan_atomic32_load(&relaxed, __tsan_memory_order_relaxed) == 0) sched_yield();
  raced = 2;  // RACE: observed raced
}

static void call_the_rest(void) {
  __tsan_mutex_create(&own_lock, __tsan_mutex_not_static);
  __tsan_mutex_pre_lock(&own_lock, __tsan_mutex_try_lock);
  __tsan_mutex_post_lock(&own_lock, __tsan_mutex_try_lock | __tsan_mutex_recursive_lock, 3);
  if (__tsan_mutex_pre_unlock(&own_lock, __tsan_mutex_recursive_unlock) != 3) abort();
  __tsan_mutex_pre_divert(&own_lock, 0);
  __tsan_mutex_post_divert(&own_lock, 0);
  __tsan_mutex_post_unlock(&own_lock, 0);
  __tsan_mutex_pre_signal(&own_lock, 0);
  __tsan_mutex_post_signal(&own_lock, 0);
  __tsan_check_no_mutexes_held();
  __tsan_mutex_destroy(&own_lock, __tsan_mutex_not_static);
  __tsan_acquire(&own_lock);
  __tsan_release(&own_lock);
  void* tag = __tsan_external_register_tag("object");
  __tsan_external_register_header(tag, "race on an object");
  void* object = malloc(16);
  __tsan_external_assign_tag(object, tag);
  __tsan_external_read(object, __builtin_return_address(0), tag);
  __tsan_external_write(object, __builtin_return_address(0), tag);
  if (!__sanitizer_get_ownership(object) || __sanitizer_get_allocated_size(object) != 16) abort();
  free(object);
  __tsan_flush_memory();
  __tsan_atomic_thread_fence(__tsan_memory_order_seq_cst);
  __tsan_atomic_signal_fence(__tsan_memory_order_seq_cst);
  __tsan_atomic64 wide = 5;
  __tsan_atomic64 expected = 5;
  if (!__tsan_atomic64_compare_exchange_strong(&wide, &expected, 7, __tsan_memory_order_acq_rel,
                                               __tsan_memory_order_acquire) ||
      __tsan_atomic64_fetch_add(&wide, 1, __tsan_memory_order_relaxed) != 7 ||
      __tsan_atomic64_compare_exchange_val(&wide, 1, 2, __tsan_memory_order_relaxed, __tsan_memory_order_relaxed) != 8)
    abort();
  __tsan_atomic8 narrow = 0;
  __tsan_atomic8_fetch_or(&narrow, 3, __tsan_memory_order_relaxed);
  if (__tsan_atomic8_fetch_nand(&narrow, 1, __tsan_memory_order_relaxed) != 3 || (unsigned char)narrow != 0xfe) abort();
  uint32_t word = 0;
  __sanitizer_unaligned_store32((char*)&word, 17);
  if (__sanitizer_unaligned_load32(&word) != 17) abort();
  char name[64];
  __sanitizer_symbolize_global(&guarded, "%g", name, sizeof(name));
  if (strstr(name, "guarded") == 0) abort();
  __sanitizer_set_death_callback(0);
}

int main(void) {
  call_the_rest();
  run_two(with_lock, with_lock);
  run_two(store_first, store_later);
  return guarded != 200;
}
