// A camera copies a frame into a buffer and then publishes the buffer's number with relaxed order. The display's
// acquire load has no release to synchronize with ([atomics.order]), so the two copies of the same bytes, one of which
// writes them, are not ordered ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <cstring>
#include <thread>

constexpr std::size_t kBytes = 256;
unsigned char frames[2][kBytes];
std::atomic<int> latest = -1;

static void films() {
  unsigned char picture[kBytes];
  std::memset(picture, 7, kBytes);
  std::memcpy(frames[1], picture, kBytes);  // RACE: observed frames
  latest.store(1, std::memory_order_relaxed);
}

static void shows(unsigned char* screen) {
  int frame;
  while ((frame = latest.load(std::memory_order_acquire)) < 0) std::this_thread::yield();
  std::memcpy(screen, frames[frame], kBytes);  // RACE: observed frames
}

int main() {
  static unsigned char screen[kBytes];
  std::thread camera(films);
  std::thread display(shows, screen);
  camera.join();
  display.join();
  return screen[0] != 7 && screen[0] != 0;
}
