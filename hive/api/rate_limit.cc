#include "hive/api/rate_limit.h"

#include <algorithm>

namespace norn::hive {

RateLimit::Bucket& RateLimit::fill(const std::string& name, int64_t now) {
  if (buckets_.size() >= largest_ && !buckets_.contains(name)) forget_full(now);
  const auto [found, is_new] = buckets_.try_emplace(name, Bucket{burst_, now});
  Bucket& bucket = found->second;
  if (now > bucket.filled) {
    bucket.left = std::min(burst_, bucket.left + static_cast<double>(now - bucket.filled) * 1e-6 * per_second_);
    bucket.filled = now;
  }
  return bucket;
}

void RateLimit::forget_full(int64_t now) {
  std::erase_if(buckets_, [&](const auto& entry) {
    const Bucket& bucket = entry.second;
    return bucket.left + static_cast<double>(now - bucket.filled) * 1e-6 * per_second_ >= burst_;
  });
  // Somebody invents names faster than they are forgotten: all begin anew, which bounds the memory.
  if (buckets_.size() >= largest_) buckets_.clear();
}

bool RateLimit::take(const std::string& name, int64_t now) {
  const std::lock_guard<std::mutex> hold(mutex_);
  Bucket& bucket = fill(name, now);
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

bool RateLimit::has(const std::string& name, int64_t now) {
  const std::lock_guard<std::mutex> hold(mutex_);
  return fill(name, now).left >= 1;
}

}  // namespace norn::hive
