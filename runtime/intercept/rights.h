// Rights that a program gives up: other users, other roots, fewer system calls. What the runtime needs of them it takes
// before.
#pragma once

namespace norn::rt {

// Around a system call that may be one of these.
class RightsGivenUp {
 public:
  RightsGivenUp(long number, long first);
  void done(long result);

 private:
  bool filters_ = false;
};

}  // namespace norn::rt
