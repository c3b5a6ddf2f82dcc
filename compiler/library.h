// What functions of the C and C++ libraries do with the memory they are given, where it matters to what is checked.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace norn::compiler {

enum class LibraryRole : uint8_t {
  kUnknown,
  kAllocates,    // returns memory that nobody else has
  kReallocates,  // and takes the contents of its first argument along
  kFrees,
  kLooks,       // reads what its arguments point to, may return a pointer into it, and does nothing else
  kString,      // a member of std::string that is not in a header: keeps to the string and its buffer
  kStringMoves  // and may exchange the buffers of two strings
};

// Of a function that is declared and not defined, by its symbol.
[[nodiscard]] LibraryRole library_role(llvm::StringRef symbol);

}  // namespace norn::compiler
