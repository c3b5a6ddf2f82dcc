// A stop callback writes what the worker reads. The worker destroys the callback first: if it is being executed by
// another thread, its return strongly happens before the destructor returns ([stopcallback.cons]).
// RUN: %check %s
// NORACE

#include <atomic>
#include <optional>
#include <stop_token>
#include <thread>

const char* reason = "none";
std::atomic<bool> registered{false};
int worker_saw;

static void work(std::stop_token stop) {
  auto say_why = [] { reason = "asked to"; };
  std::optional<std::stop_callback<decltype(say_why)>> callback(std::in_place, stop, say_why);
  registered = true;
  while (!stop.stop_requested()) std::this_thread::yield();
  callback.reset();
  worker_saw = reason[0];
}

int main() {
  std::jthread worker(work);
  while (!registered) std::this_thread::yield();
  worker.request_stop();
  worker.join();
  return worker_saw != 'a' && worker_saw != 'n';
}
