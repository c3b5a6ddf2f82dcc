// Publication without release: the flag is atomic, but relaxed, so it says nothing of what was written before it.
// On x86-64 it seems to work until the compiler moves the stores; on other machines it fails by itself.
// To mend it, store the flag with memory_order_release and load it with memory_order_acquire (the defaults do).
#include <atomic>
#include <cstdio>
#include <thread>

struct Message {
  int number = 0;
  char text[32] = {};
};

Message message;
std::atomic<bool> ready;

void send() {
  message.number = 42;
  std::snprintf(message.text, sizeof message.text, "the answer");
  ready.store(true, std::memory_order_relaxed);
}

void receive() {
  while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
  std::printf("%s is %d\n", message.text, message.number);
}

int main() {
  std::thread sender(send), receiver(receive);
  sender.join();
  receiver.join();
}
