// The program's end of the connection with the agent of its machine (wire.h). Nothing of it ever waits: a message for
// which there is no room is lost, and an agent that is gone is none.
//
// The program may close descriptors that it did not open, and open its own in their place. So the connection lies high,
// and whether the descriptor is still that socket is asked before each use.
#pragma once

#include <stdint.h>

#include "runtime/probe/doorbell.h"
#include "runtime/probe/wire.h"

namespace norn::probe {

class AgentLink final {
 public:
  // Looks for an agent and says hello. `environment`: the program's.
  bool connect(char* const* environment, uint32_t probes);
  // Another process has the other end, too (fork): it goes on, this one is none any more.
  void forget();
  void close();

  template <class Message>
  void send(const Message& message) {
    uint8_t bytes[wire::kLargest];
    if (const size_t size = wire::write(message, bytes); size != 0) send_bytes(bytes, size);
  }
  // The next message that is there. False: none is.
  [[nodiscard]] bool receive(wire::Message& message);

  [[nodiscard]] bool is_open() const { return socket_ >= 0; }
  [[nodiscard]] Doorbell* doorbell() const { return doorbell_; }
  // Whether the agent arms the program's slots when it rings (doorbell.h).
  [[nodiscard]] bool shares_slots() const { return shares_slots_; }
  // Waits for the first message, at most so long: for programs that end sooner than an agent answers.
  void await(unsigned milliseconds) const;

 private:
  [[nodiscard]] bool is_ours() const;
  [[nodiscard]] bool is_trusted() const;
  void send_bytes(const uint8_t* bytes, size_t size);
  [[nodiscard]] bool open(const char* path);
  [[nodiscard]] bool greet(uint32_t probes);

  int socket_ = -1;
  uint64_t inode_ = 0;
  Doorbell* doorbell_ = nullptr;
  bool shares_slots_ = false;
};

// What the environment says; null: it is not set.
[[nodiscard]] const char* variable_of(char* const* environment, const char* name);

}  // namespace norn::probe
