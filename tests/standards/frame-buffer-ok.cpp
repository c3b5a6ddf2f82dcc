// A camera copies a frame into a buffer and then publishes the buffer's number with release order; the display loads it
// with acquire order and copies the frame out. The two synchronize ([atomics.order]).
// NORACE
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
  std::memcpy(frames[1], picture, kBytes);
  latest.store(1, std::memory_order_release);
}

static void shows(unsigned char* screen) {
  int frame;
  while ((frame = latest.load(std::memory_order_acquire)) < 0) std::this_thread::yield();
  std::memcpy(screen, frames[frame], kBytes);
}

int main() {
  static unsigned char screen[kBytes];
  std::thread camera(films);
  std::thread display(shows, screen);
  camera.join();
  display.join();
  return screen[0] != 7 && screen[0] != 0;
}
