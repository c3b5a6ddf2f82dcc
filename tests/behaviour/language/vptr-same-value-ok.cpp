// A destructor that writes the virtual table pointer it finds changes nothing a call could see.
// NORACE
// RUN: %check %s

#include <new>

#include "order.h"

struct Object {
  virtual ~Object() { asm volatile("" ::"r"(this) : "memory"); }
  virtual int value() { return 1; }
};
alignas(Object) char place[sizeof(Object)];
Object* object;
int seen;

int main() {
  object = ::new (place) Object;
  run_two(
      [] {
        seen = object->value();
        end_turn();
      },
      [] {
        await_turn(1);
        object->~Object();
      });
}
