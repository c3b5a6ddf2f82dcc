// A stop callback writes what the worker reads as soon as it sees that a stop was requested. request_stop() makes the
// request, which stop_requested() synchronizes with, and only then executes the callbacks ([stopsource.mem]): the
// callback's write and the worker's read are not ordered.
// RUN: %check %s

#include <atomic>
#include <optional>
#include <stop_token>
#include <thread>

const char* reason = "none";
std::atomic<bool> registered{false};
int worker_saw;

static void work(std::stop_token stop) {
  auto say_why = [] { reason = "asked to"; };  // RACE: observed reason
  std::optional<std::stop_callback<decltype(say_why)>> callback(std::in_place, stop, say_why);
  registered = true;
  while (!stop.stop_requested()) std::this_thread::yield();
  const char* seen = reason;  // RACE: observed reason
  callback.reset();
  worker_saw = seen[0];
}

int main() {
  std::jthread worker(work);
  while (!registered) std::this_thread::yield();
  worker.request_stop();
  worker.join();
  return worker_saw != 'a' && worker_saw != 'n';
}
