// A program that replaces operator new and delete.
// STDOUT: 3 got, 3 given back
// RUN: %check %s

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "order.h"

std::atomic<int> got, given_back;

void* operator new(size_t size) {
  got++;
  if (void* block = std::malloc(size)) return block;
  throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
  given_back++;
  std::free(block);
}

void operator delete(void* block, size_t) noexcept { operator delete(block); }

struct Node {
  int value = 0;
};
Node* node;

static void first() {
  node->value = 1;  // RACE: observed value
  end_turn();
}

static void second() {
  await_turn(1);
  node->value = 2;  // RACE: observed value
}

int main() {
  for (int i = 0; i < 2; i++) {
    Node* volatile other = new Node;
    delete other;
  }
  node = new Node;
  run_two(first, second);
  delete node;
  std::printf("%d got, %d given back\n", got.load(), given_back.load());
}
