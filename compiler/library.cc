#include "compiler/library.h"

#include <algorithm>
#include <iterator>

namespace norn::compiler {
namespace {

// In order.
constexpr llvm::StringRef kAllocating[] = {
    "_Znam",
    "_ZnamRKSt9nothrow_t",
    "_ZnamSt11align_val_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    "_Znwm",
    "_ZnwmRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "aligned_alloc",
    "calloc",
    "malloc",
    "memalign",
    "strdup",
    "strndup",
};

constexpr llvm::StringRef kLooking[] = {
    "acos", "asin",  "atan",   "atan2",  "bcmp",   "cos",     "exp",     "exp2",    "expf",   "fmod", "fmodf",
    "log",  "log10", "log2",   "logf",   "memchr", "memcmp",  "memrchr", "pow",     "powf",   "sin",  "sinf",
    "sqrt", "sqrtf", "strchr", "strcmp", "strlen", "strncmp", "strnlen", "strrchr", "strstr", "tan",
};

template <size_t N>
bool has(const llvm::StringRef (&sorted)[N], llvm::StringRef symbol) {
  return std::binary_search(std::begin(sorted), std::end(sorted), symbol);
}

}  // namespace

LibraryRole library_role(llvm::StringRef symbol) {
  if (has(kAllocating, symbol)) return LibraryRole::kAllocates;
  if (has(kLooking, symbol)) return LibraryRole::kLooks;
  if (symbol == "realloc") return LibraryRole::kReallocates;
  if (symbol == "free" || symbol.starts_with("_ZdlPv") || symbol.starts_with("_ZdaPv")) return LibraryRole::kFrees;
  // libstdc++'s string of plain characters.
  constexpr llvm::StringRef kMember = "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
  llvm::StringRef rest = symbol;
  if ((rest.consume_front("_ZNK") || rest.consume_front("_ZN")) && rest.consume_front(kMember)) {
    // swap, and what takes another string by &&.
    return rest.contains("swap") || rest.contains("EOS") ? LibraryRole::kStringMoves : LibraryRole::kString;
  }
  return LibraryRole::kUnknown;
}

}  // namespace norn::compiler
