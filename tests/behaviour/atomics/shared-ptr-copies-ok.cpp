// Each thread has its own shared_ptr to one object; the last one destroys it.
// NORACE
// RUN: %check %s

#include <memory>
#include <thread>

struct Object {
  int parts[2] = {};
  ~Object() { sum = parts[0] + parts[1]; }
  static inline int sum;
};

int main() {
  for (int i = 0; i < 20; i++) {
    auto object = std::make_shared<Object>();
    std::thread a([object] { object->parts[0] = 1; });
    std::thread b([object] { object->parts[1] = 1; });
    object.reset();
    a.join();
    b.join();
  }
  return Object::sum != 2;
}
