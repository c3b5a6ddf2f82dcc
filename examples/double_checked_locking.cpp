// Double-checked locking: the first look at `instance` is made without the mutex, to be fast.
// A thread may see the pointer before what it points to: it uses a Settings that is not there yet.
// To mend it, make `instance` a std::atomic<Settings*>, or simply write `static Settings settings;` in the function.
#include <cstdio>
#include <mutex>
#include <thread>

struct Settings {
  int level = 3;
};

Settings* instance;
std::mutex mutex;

Settings& settings() {
  if (!instance) {
    std::lock_guard guard(mutex);
    if (!instance) instance = new Settings;
  }
  return *instance;
}

int main() {
  int levels[2];
  std::thread first([&] { levels[0] = settings().level; });
  std::thread second([&] { levels[1] = settings().level; });
  first.join();
  second.join();
  std::printf("levels %d and %d\n", levels[0], levels[1]);
  delete instance;
}
