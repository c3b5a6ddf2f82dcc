// Two threads of a test, from begin to end.
#pragma once

#include <thread>

template <class One, class Other>
void together(One one, Other other) {
  std::thread first(one);
  std::thread second(other);
  first.join();
  second.join();
}
