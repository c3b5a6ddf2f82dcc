// A virtual call while another thread destroys the object: the destructor changes the virtual table pointer.
// RUN: %check %s

#include <new>

#include "order.h"

struct Base {
  virtual ~Base();
  virtual int value() { return 1; }
};
struct Derived : Base {
  ~Derived() override;
  int value() override { return 2; }
};
alignas(Derived) char place[sizeof(Derived)];
Base* object;
int seen;

__attribute__((noinline)) Base::~Base() {  // MAYBE: <vptr>
  asm volatile("" ::"r"(this) : "memory");
}
__attribute__((noinline)) Derived::~Derived() {  // MAYBE: <vptr>
  asm volatile("" ::"r"(this) : "memory");
}  // MAYBE: <vptr>

static void calls() {
  seen = object->value();  // RACE: observed <vptr>
  end_turn();
}

static void destroys() {
  await_turn(1);
  object->~Base();  // MAYBE: <vptr>
}

int main() {
  object = ::new (place) Derived;
  run_two(calls, destroys);
}
