#include "runtime/inputs/peers.h"

#include "runtime/inputs/inputs.h"
#include "runtime/inputs/recorded_inputs.h"
#include "runtime/inputs/replayed_inputs.h"

namespace norn::rt::inputs {

constinit Descriptor descriptors[kMostDescriptors];
constinit std::atomic<uint64_t> written[kMostStreams];
constinit std::atomic<uint64_t> written_to_all{0};
constinit std::atomic<uint32_t> listen_calls{0};

constinit bool recording = false;
constinit bool replaying = false;

void stop() { recording = replaying = false; }

void read_from(int fd, const iovec* buffers, size_t count, ssize_t size, int error) {
  if (recording) record_read(fd, buffers, count, size, error);
}

void accepted(int listener, int fd, sockaddr* from, socklen_t room, socklen_t* size) {
  if (recording) record_accepted(listener, fd);
  if (replaying) replay_accepted(listener, fd, from, room, size);
}

void connected(int fd, const sockaddr* to, socklen_t size) {
  if (recording) record_connected(fd, to, size);
}

void wrote_to(int fd, ssize_t size) {
  if (!is_concerned() || size <= 0) return;
  const uint32_t stream = stream_of(fd);
  if (stream == 0) return;
  written[stream].fetch_add(static_cast<uint64_t>(size), std::memory_order_relaxed);
  written_to_all.fetch_add(static_cast<uint64_t>(size), std::memory_order_relaxed);
}

void closed(int fd) {
  if (!is_concerned()) return;
  Descriptor* known = descriptor(fd);
  if (known == nullptr) return;
  known->stream.store(0, std::memory_order_relaxed);
  known->listener.store(0, std::memory_order_relaxed);
  known->stands_for.store(0, std::memory_order_relaxed);
}

void duplicated(int from, int to) {
  if (!is_concerned() || from == to) return;
  const Descriptor* source = descriptor(from);
  Descriptor* target = descriptor(to);
  if (source == nullptr || target == nullptr) return;
  target->stream.store(source->stream.load(std::memory_order_relaxed), std::memory_order_relaxed);
  target->listener.store(source->listener.load(std::memory_order_relaxed), std::memory_order_relaxed);
  target->stands_for.store(source->stands_for.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void listening(int fd) {
  Descriptor* known = descriptor(fd);
  if (!is_concerned() || known == nullptr || known->listener.load(std::memory_order_relaxed) != 0) return;
  const uint32_t number = listen_calls.load(std::memory_order_relaxed);
  if (number >= kMostListeners) return;
  known->listener.store(static_cast<uint16_t>(number + 1), std::memory_order_relaxed);
  listen_calls.store(number + 1, std::memory_order_release);
}

}  // namespace norn::rt::inputs
