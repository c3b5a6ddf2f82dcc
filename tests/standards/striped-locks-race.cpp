// A table has a mutex for every two buckets, chosen by the key and not by the bucket. Two keys of one bucket have
// different mutexes, and locking different mutexes orders nothing ([thread.mutex.requirements.mutex], [intro.races]).
// RUN: %check %s

#include <array>
#include <cstddef>
#include <mutex>
#include <thread>

struct Bucket {
  int keys[4] = {};
  int count = 0;
};

std::array<Bucket, 8> buckets;
std::array<std::mutex, 4> mutexes;

static std::size_t bucket_of(int key) { return static_cast<std::size_t>(key / 10) % buckets.size(); }

static void insert(int key) {
  std::size_t index = bucket_of(key);
  std::lock_guard lock(mutexes[static_cast<std::size_t>(key) % mutexes.size()]);
  buckets[index].count++;  // RACE: observed buckets
}

int main() {
  std::thread a(insert, 30);
  std::thread b(insert, 31);
  a.join();
  b.join();
  return buckets[3].count < 1;
}
