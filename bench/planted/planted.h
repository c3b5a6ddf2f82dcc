// What bench/planted/plant.py puts into a program's source: locks that are left out, and accesses made before the lock
// is taken, at the sites that NORN_PLANT names (numbers with commas). Of what is not named everything is as it was.
#pragma once

#ifdef __cplusplus
#include <type_traits>
extern "C" {
#endif
// Whether the race of this site is there.
int norn_planted(int site);
// Whether the site's lock is left out; if so norn_plant_skipped() says it once of the same lock, to this thread.
int norn_plant_skips(int site, const volatile void* lock);
int norn_plant_skipped(const volatile void* lock);
#ifdef __cplusplus
}

namespace planted {

template <class Mutex>
class Guard {
 public:
  Guard(Mutex& mutex, int site) : mutex_(norn_planted(site) != 0 ? nullptr : &mutex) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  ~Guard() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Mutex* mutex_;
};

template <class Mutex>
class SharedGuard {
 public:
  SharedGuard(Mutex& mutex, int site) : mutex_(norn_planted(site) != 0 ? nullptr : &mutex) {
    if (mutex_ != nullptr) mutex_->lock_shared();
  }
  ~SharedGuard() {
    if (mutex_ != nullptr) mutex_->unlock_shared();
  }
  SharedGuard(const SharedGuard&) = delete;
  SharedGuard& operator=(const SharedGuard&) = delete;

 private:
  Mutex* mutex_;
};

// LevelDB's MutexLock, of a mutex with capitals.
template <class Mutex>
class PointerGuard {
 public:
  PointerGuard(Mutex* mutex, int site) : mutex_(norn_planted(site) != 0 ? nullptr : mutex) {
    if (mutex_ != nullptr) mutex_->Lock();
  }
  ~PointerGuard() {
    if (mutex_ != nullptr) mutex_->Unlock();
  }
  PointerGuard(const PointerGuard&) = delete;
  PointerGuard& operator=(const PointerGuard&) = delete;

 private:
  Mutex* mutex_;
};

}  // namespace planted
#endif
