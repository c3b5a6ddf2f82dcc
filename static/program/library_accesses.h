// What functions of the C library do to the memory they are given, as far as the runtime reports it
// (runtime/intercept/): an access of the statement that calls them.
#pragma once

#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

namespace norn::statics {

struct LibraryAccess {
  unsigned argument;
  uint64_t size = 0;  // 0: not known
  bool write = false;
  bool frees = false;
};

[[nodiscard]] std::vector<LibraryAccess> library_accesses(const llvm::CallBase& call);
// Whether a function does more to what it is given, or to what that leads to, than is said anywhere: after it returned,
// to what a list of vectors or a tree points to, by moving elements.
[[nodiscard]] bool does_more(llvm::StringRef function);

}  // namespace norn::statics
