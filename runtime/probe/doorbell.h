// How a program learns, without a thread of its own, a signal or a system call, that the agent sent it something: a
// byte of memory that both share. The program looks at it wherever it synchronizes or calls the kernel, which costs it
// two instructions; the agent sets it after each message.
//
// The program makes the memory (memfd_create, one page), seals it so that it can neither shrink nor grow, and sends the
// descriptor with its hello. The agent trusts nothing in it: it only writes, after it made sure of the seals, without
// which a program could have it killed by SIGBUS.
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>

namespace norn::probe {

using Doorbell = std::atomic<uint8_t>;
static_assert(sizeof(Doorbell) == 1);
inline constexpr size_t kDoorbellBytes = 4096;
inline constexpr int kDoorbellSeals = F_SEAL_SHRINK | F_SEAL_GROW;

// The agent's end of the doorbell that came with a hello; null: the descriptor is none. Unmapped by munmap with
// kDoorbellBytes; the descriptor can be closed.
[[nodiscard]] inline Doorbell* take_doorbell(int descriptor) {
  struct stat about{};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & kDoorbellSeals) != kDoorbellSeals || fstat(descriptor, &about) != 0 ||
      about.st_size < static_cast<off_t>(kDoorbellBytes)) {
    return nullptr;
  }
  void* memory = mmap(nullptr, kDoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Doorbell*>(memory);
}

inline void ring(Doorbell& doorbell) { doorbell.store(1, std::memory_order_release); }

}  // namespace norn::probe
