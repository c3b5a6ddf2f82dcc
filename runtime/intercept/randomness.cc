// Random numbers that a program asks its system for: under control they come from the schedule's seed.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runtime/control/control.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"

using namespace norn::rt;

namespace {

bool is_fixed() { return is_controlled() && control::active(); }

uint32_t fixed_word() {
  uint32_t word = 0;
  control::fill_random(&word, sizeof(word));
  return word;
}

}  // namespace

namespace norn::rt::control {

void fix_read(int fd, void* bytes, size_t size) {
  if (!is_fixed()) return;
  struct stat status = {};
  if (sys::call(__NR_fstat, fd, sys::as_long(&status)) != 0 || !S_ISCHR(status.st_mode)) return;
  constexpr unsigned kMemoryDevices = 1, kRandom = 8, kUrandom = 9;  // Documentation/admin-guide/devices.txt
  const unsigned number = minor(status.st_rdev);
  if (major(status.st_rdev) == kMemoryDevices && (number == kRandom || number == kUrandom)) fill_random(bytes, size);
}

}  // namespace norn::rt::control

NORN_INTERPOSE(ssize_t, getrandom, (void* bytes, size_t size, unsigned flags)) {
  if (!has_started()) return sys::call(__NR_getrandom, sys::as_long(bytes), static_cast<long>(size), flags);
  if (!is_fixed()) return real_getrandom(bytes, size, flags);
  control::fill_random(bytes, size);
  return static_cast<ssize_t>(size);
}

NORN_INTERPOSE(int, getentropy, (void* bytes, size_t size)) {
  if (!has_started()) return -1;
  if (!is_fixed() || size > 256) return real_getentropy(bytes, size);
  control::fill_random(bytes, size);
  return 0;
}

NORN_INTERPOSE(uint32_t, arc4random, ()) {
  if (!has_started() || real_arc4random == nullptr) return 0;
  return is_fixed() ? fixed_word() : real_arc4random();
}

NORN_INTERPOSE(uint32_t, arc4random_uniform, (uint32_t bound)) {
  if (!has_started() || real_arc4random_uniform == nullptr) return 0;
  if (!is_fixed()) return real_arc4random_uniform(bound);
  return static_cast<uint32_t>(uint64_t{fixed_word()} * bound >> 32);
}

NORN_INTERPOSE(void, arc4random_buf, (void* bytes, size_t size)) {
  if (!has_started() || real_arc4random_buf == nullptr) return;
  if (!is_fixed()) return real_arc4random_buf(bytes, size);
  control::fill_random(bytes, size);
}

// std::random_device::_M_getval(): it may use an instruction that nobody else sees.
NORN_INTERPOSE_OPTIONAL(unsigned, _ZNSt13random_device9_M_getvalEv, (void* device)) {
  if (!has_started() || real__ZNSt13random_device9_M_getvalEv == nullptr) return 0;
  return is_fixed() ? fixed_word() : real__ZNSt13random_device9_M_getvalEv(device);
}
