// How a program learns, without a thread of its own, a signal or a system call, that the agent sent it something: a
// page of memory that both share.
//
//     0    1  the doorbell. The agent sets it after each message; interceptors that are called seldom look at it
//     8    4  how many slots follow, at most 248
//    64 1984  slots: addresses in the program, 8 bytes each. What is called often is one jump through its slot, as it
//    is
//             one through the PLT without norn: to the C library's own function, so that nothing is looked at
//  2048 1984  where each slot leads to when it is armed: to norn's function, which looks
//
// After it set the doorbell the agent copies each address of the second list to its place in the first. It knows
// nothing of what they mean. Who may write there decides what the program executes, so a program shares its slots with
// an agent of its own user or of root's alone; with another they are armed all the time, and the count is 0 (slots.h).
//
// The program makes the memory (memfd_create, one page), seals it so that it can neither shrink nor grow, and sends the
// descriptor with its hello. The agent trusts nothing in it: it reads a number that it bounds, and copies within the
// page, after it made sure of the seals, without which a program could have it killed by SIGBUS.
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

struct DoorbellPage {
  static constexpr size_t kSlots = 248;
  Doorbell bell;
  uint8_t zero[7];
  std::atomic<uint32_t> count;
  uint8_t more_zero[52];
  std::atomic<uint64_t> slots[kSlots];
  std::atomic<uint64_t> armed[kSlots];
  uint8_t rest[64];
};
static_assert(offsetof(DoorbellPage, count) == 8 && offsetof(DoorbellPage, slots) == 64);
static_assert(offsetof(DoorbellPage, armed) == 2048 && sizeof(DoorbellPage) == kDoorbellBytes);

// The agent's end of the doorbell that came with a hello; null: the descriptor is none. Unmapped by munmap with
// kDoorbellBytes; the descriptor can be closed.
[[nodiscard]] inline DoorbellPage* take_doorbell(int descriptor) {
  struct stat about{};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & kDoorbellSeals) != kDoorbellSeals || fstat(descriptor, &about) != 0 ||
      about.st_size < static_cast<off_t>(kDoorbellBytes)) {
    return nullptr;
  }
  void* memory = mmap(nullptr, kDoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<DoorbellPage*>(memory);
}

inline void ring(DoorbellPage& page) {
  page.bell.store(1, std::memory_order_seq_cst);
  const uint32_t said = page.count.load(std::memory_order_relaxed);
  const size_t count = said < DoorbellPage::kSlots ? said : DoorbellPage::kSlots;
  for (size_t i = 0; i < count; ++i)
    page.slots[i].store(page.armed[i].load(std::memory_order_relaxed), std::memory_order_release);
}

}  // namespace norn::probe
