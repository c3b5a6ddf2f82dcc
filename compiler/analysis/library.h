// What functions of the C and C++ libraries do with the memory they are given, and whether they may create threads,
// where it matters to what is checked.
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

enum class ThreadRole : uint8_t {
  kMayCreate,    // threads that run the program's functions; whatever is not known
  kCreatesNone,  // and calls none of the program's functions, but by names that the program defines
  kCallsBack  // creates none, but may call functions of the program that override virtual ones, or destroy exceptions
};

// Likewise. Functions that call what they are given (qsort, pthread_once), let others be called later, while the
// program goes on (signal), or return twice are unknown; what is called at the end (atexit) is none of these.
[[nodiscard]] ThreadRole thread_role(llvm::StringRef symbol);

}  // namespace norn::compiler
