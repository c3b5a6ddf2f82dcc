// How often somebody may ask: a bucket for each, which fills at a steady rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace norn::hive {

class RateLimit {
 public:
  // So many at once, so many a second afterwards. At most `largest` names are known at a time.
  RateLimit(double burst, double per_second, size_t largest = 100'000)
      : burst_(burst), per_second_(per_second), largest_(largest) {}

  // Takes one; false: there is none left. `now` in microseconds, never less than before.
  [[nodiscard]] bool take(const std::string& name, int64_t now);
  // Whether there is one left, without taking it.
  [[nodiscard]] bool has(const std::string& name, int64_t now);

 private:
  struct Bucket {
    double left = 0;
    int64_t filled = 0;
  };
  Bucket& fill(const std::string& name, int64_t now);
  // Those that are full again are as good as unknown.
  void forget_full(int64_t now);

  const double burst_;
  const double per_second_;
  const size_t largest_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace norn::hive
