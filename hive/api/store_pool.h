// The connections of a server to its database. Each serves one request at a time; one that failed is made anew. On a
// file there is one: SQLite has one writer at a time in any case.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hive/store.h"

namespace norn::hive {

// A connection, with what it read a moment ago.
class StoreSlot {
 public:
  StoreSlot(const std::string& database, const Policy& policy) : store_(database, policy) {}

  [[nodiscard]] Store& store() { return store_; }
  // All that is known of a version. It is as old as a second, or as ten times what it took to read, so that reading it
  // is a tenth of a server's work at most. Null: there is no such version.
  [[nodiscard]] Fleet* fleet(const std::string& build, int64_t now);
  void forget(const std::string& build) { fleets_.erase(build); }
  void forget_all() { fleets_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    Fleet fleet;
    Clock::time_point until;
  };
  Store store_;
  std::map<std::string, Kept> fleets_;
};

class StorePool {
 public:
  StorePool(std::string database, const Policy& policy, size_t size);

  // Holds a slot until it ends.
  class Lease {
   public:
    Lease(StorePool& pool, std::unique_ptr<StoreSlot> slot) : pool_(pool), slot_(std::move(slot)) {}
    ~Lease() { pool_.give_back(std::move(slot_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    [[nodiscard]] StoreSlot& operator*() { return *slot_; }
    [[nodiscard]] StoreSlot* operator->() { return slot_.get(); }
    // The database failed: the next one connects anew.
    void spoil() { slot_.reset(); }

   private:
    StorePool& pool_;
    std::unique_ptr<StoreSlot> slot_;
  };
  // Waits for one. Throws CasebookError if the database cannot be reached.
  [[nodiscard]] Lease take();

  [[nodiscard]] const std::string& database() const { return database_; }

 private:
  void give_back(std::unique_ptr<StoreSlot> slot);

  const std::string database_;
  const Policy policy_;
  std::mutex mutex_;
  std::condition_variable freed_;
  size_t free_;                                     // slots that nobody has, connected or not
  std::vector<std::unique_ptr<StoreSlot>> idle_{};  // the connected ones of them
};

}  // namespace norn::hive
