// Two threads hold three thousand locks at once, one after the other. What that costs must not grow with the third
// power of their number: then it would take a quarter of an hour, and not a second or two.
// RUN: %norn-c++ -O1 %s -o %t && timeout 120 %norn run -- %t 3000
#include <pthread.h>
#include <stdlib.h>

#include <vector>

static std::vector<pthread_mutex_t> mutexes;

static void* holds_all(void*) {
  for (pthread_mutex_t& mutex : mutexes) pthread_mutex_lock(&mutex);
  for (pthread_mutex_t& mutex : mutexes) pthread_mutex_unlock(&mutex);
  return nullptr;
}

int main(int, char** arguments) {
  mutexes.resize(static_cast<size_t>(atoi(arguments[1])));
  for (pthread_mutex_t& mutex : mutexes) pthread_mutex_init(&mutex, nullptr);
  pthread_t thread;
  pthread_create(&thread, nullptr, holds_all, nullptr);
  holds_all(nullptr);
  pthread_join(thread, nullptr);
}
