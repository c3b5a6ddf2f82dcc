// A base class's constructor gives out the object before it is a Derived.
// RUN: %check %s

#include <atomic>

#include "order.h"

struct Base;
std::atomic<Base*> published;

struct Base {
  Base();
  virtual int value() { return 1; }
};

__attribute__((noinline)) Base::Base() {
  published.store(this, std::memory_order_release);
  end_turn();
  await_turn(2);
}

struct Derived : Base {
  Derived();
  int value() override { return 2; }
};

__attribute__((noinline)) Derived::Derived() {  // RACE: observed <vptr>
  asm volatile("" ::"r"(this) : "memory");
}

int seen;

static void builds() { Derived derived; }

static void calls() {
  await_turn(1);
  Base* object = published.load(std::memory_order_acquire);
  seen = object->value();  // RACE: observed <vptr>
  end_turn();
}

int main() { run_two(builds, calls); }
