#include "hive/api/store_pool.h"

#include <utility>

namespace norn::hive {

Fleet* StoreSlot::fleet(const std::string& build, int64_t now) {
  const Clock::time_point began = Clock::now();
  const auto kept = fleets_.find(build);
  if (kept != fleets_.end() && began < kept->second.until) return &kept->second.fleet;
  if (kept == fleets_.end() && !store_.version(build)) return nullptr;
  Fleet fleet = store_.fleet(build, now);
  const Clock::time_point ended = Clock::now();
  const auto age = std::max<Clock::duration>(std::chrono::seconds(1), 10 * (ended - began));
  Kept& place = fleets_[build];
  place = {.fleet = std::move(fleet), .until = ended + age};
  return &place.fleet;
}

StorePool::StorePool(std::string database, const Policy& policy, size_t size)
    : database_(std::move(database)), policy_(policy), free_(casebook::is_server(database_) ? size : 1) {}

StorePool::Lease StorePool::take() {
  std::unique_ptr<StoreSlot> slot;
  {
    std::unique_lock<std::mutex> hold(mutex_);
    freed_.wait(hold, [&] { return free_ > 0; });
    --free_;
    if (!idle_.empty()) {
      slot = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (slot == nullptr) {
    try {
      slot = std::make_unique<StoreSlot>(database_, policy_);
    } catch (...) {
      give_back(nullptr);
      throw;
    }
  }
  return {*this, std::move(slot)};
}

void StorePool::give_back(std::unique_ptr<StoreSlot> slot) {
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    ++free_;
    if (slot != nullptr) idle_.push_back(std::move(slot));
  }
  freed_.notify_one();
}

}  // namespace norn::hive
