// What an address is, in the program's own words.
#pragma once

#include "core/event.h"
#include "norn/abi.h"
#include "report/race.h"

namespace norn::rt {

// Memory for the texts of one report.
class TextPool {
 public:
  constexpr TextPool(char* bytes, size_t capacity) : bytes_(bytes), capacity_(capacity) {}
  void clear() { size_ = 0; }
  // The free part: write there, then take what was used.
  [[nodiscard]] char* bytes() { return bytes_ + size_; }
  [[nodiscard]] size_t room() const { return capacity_ - size_; }
  void take(size_t count) { size_ += count; }

 private:
  char* bytes_;
  size_t capacity_;
  size_t size_ = 0;
};

// The variable with static or thread storage that the address lies in; false if there is none. Fills in all of the
// location but its address and size; the name only where the variable's type says what an access of that size is to.
bool locate_global(Address address, uint64_t size, report::Location& location, TextPool& pool);

// The variable on a live thread's stack that the address lies in; false if there is none, or its function has returned.
// `seen`: stacks of the owner at other moments, for a function that is in no call now. Fills in the same, and the
// function, for which `frame` is kept.
struct SeenStack {
  ThreadId thread;
  List<report::Frame> frames;
};
bool locate_local(Address address, uint64_t size, List<SeenStack> seen, report::Location& location,
                  report::Frame& frame, TextPool& pool);

}  // namespace norn::rt
