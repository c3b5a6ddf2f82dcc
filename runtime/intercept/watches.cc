#include "runtime/intercept/watches.h"

#include "base/hash.h"

namespace norn::rt {
namespace {

struct Watch {
  uint64_t epoll = 0;
  uint64_t word = 0;
  uint64_t thing = 0;
  int fd = 0;
  Watch* next_of_fd = nullptr;    // in the bucket of its instance and descriptor
  Watch* next_of_word = nullptr;  // in that of its instance and word
};

constexpr unsigned kBuckets = 4096;
constinit SpinMutex mutex;
constinit Watch* by_fd[kBuckets] = {};
constinit Watch* by_word[kBuckets] = {};

unsigned bucket_of(uint64_t epoll, uint64_t key) {
  const uint64_t hash = hash_next(hash_word(epoll), key);
  return static_cast<unsigned>(hash >> 32) % kBuckets;
}

void link_word(Watch* watch) {
  Watch** bucket = &by_word[bucket_of(watch->epoll, watch->word)];
  watch->next_of_word = *bucket;
  *bucket = watch;
}

void unlink_word(Watch* watch) {
  Watch** link = &by_word[bucket_of(watch->epoll, watch->word)];
  while (*link != watch) link = &(*link)->next_of_word;
  *link = watch->next_of_word;
}

// Where the pointer to it is; to null if there is none.
Watch** find(uint64_t epoll, int fd) {
  Watch** link = &by_fd[bucket_of(epoll, static_cast<uint64_t>(fd))];
  while (*link != nullptr && ((*link)->epoll != epoll || (*link)->fd != fd)) link = &(*link)->next_of_fd;
  return link;
}

}  // namespace

void watch(uint64_t epoll, int fd, uint64_t word, uint64_t thing) {
  const SpinLock lock(mutex);
  Watch** link = find(epoll, fd);
  Watch* watch = *link;
  if (watch == nullptr) {
    watch = memory.create<Watch>();
    if (watch == nullptr) return;
    watch->epoll = epoll;
    watch->fd = fd;
    *link = watch;
  } else {
    unlink_word(watch);
  }
  watch->word = word;
  watch->thing = thing;
  link_word(watch);
}

void unwatch(uint64_t epoll, int fd) {
  const SpinLock lock(mutex);
  Watch** link = find(epoll, fd);
  Watch* watch = *link;
  if (watch == nullptr) return;
  unlink_word(watch);
  *link = watch->next_of_fd;
  memory.destroy(watch);
}

void unwatch_all(uint64_t epoll) {
  const SpinLock lock(mutex);
  for (Watch*& bucket : by_fd) {
    for (Watch** link = &bucket; *link != nullptr;) {
      Watch* watch = *link;
      if (watch->epoll != epoll) {
        link = &watch->next_of_fd;
        continue;
      }
      unlink_word(watch);
      *link = watch->next_of_fd;
      memory.destroy(watch);
    }
  }
}

unsigned watched(uint64_t epoll, uint64_t word, uint64_t (&things)[kMostWatched]) {
  const SpinLock lock(mutex);
  unsigned count = 0;
  for (const Watch* watch = by_word[bucket_of(epoll, word)]; watch != nullptr; watch = watch->next_of_word) {
    if (watch->epoll != epoll || watch->word != word) continue;
    bool known = false;
    for (unsigned i = 0; i < count; ++i) known = known || things[i] == watch->thing;
    if (!known && count < kMostWatched) things[count++] = watch->thing;
  }
  return count;
}

}  // namespace norn::rt
