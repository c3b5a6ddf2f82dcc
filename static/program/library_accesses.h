// What functions of the C library do to the memory they are given, as far as the runtime reports it
// (runtime/intercept/): an access of the statement that calls them.
#pragma once

#include <vector>

#include "llvm/IR/InstrTypes.h"

namespace norn::statics {

struct LibraryAccess {
  unsigned argument;
  uint64_t size = 0;  // 0: not known
  bool write = false;
  bool frees = false;
};

[[nodiscard]] std::vector<LibraryAccess> library_accesses(const llvm::CallBase& call);

}  // namespace norn::statics
