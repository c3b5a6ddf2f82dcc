// What lies where in a type, by its debug information: the one place that knows DWARF's type tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "norn/site.h"

namespace norn::compiler {

// A type without its typedefs and qualifiers; null stays null (void).
[[nodiscard]] const llvm::DIType* bare_type(const llvm::DIType* type);

enum class Indirection : uint8_t { kNone, kPointer, kReference };

// What kind of address a value of this type is, and what lies there (in `pointee`, null: unknown or void).
[[nodiscard]] Indirection indirection(const llvm::DIType* type, const llvm::DIType*& pointee);

[[nodiscard]] uint64_t byte_size(const llvm::DIType* type);
// What a value of this type is to a reader; unknown of what is no single value.
[[nodiscard]] norn_value_type value_type(const llvm::DIType* type);
[[nodiscard]] bool is_record(const llvm::DIType* type);

// A closure: the class of a lambda. Its members are the captures, which a programmer names without the object.
[[nodiscard]] bool is_closure(const llvm::DIType* type);

// A name that only the implementation of the standard library may use, in a class of the standard library.
[[nodiscard]] bool is_library_scope(const llvm::DIScope* scope);
[[nodiscard]] bool is_reserved_name(llvm::StringRef name);

// Which bytes of an object are accessed.
struct Bytes {
  int64_t offset = 0;               // from the start of the object
  llvm::ArrayRef<int64_t> strides;  // of what is added to it at run time
  uint64_t size = 0;                // 0: unknown
  bool scalar = true;               // one value; false: a block, which may be the whole of an aggregate
};

struct Part {
  std::string path;                    // ".items[].next"; empty: the object itself
  const llvm::DIType* type = nullptr;  // of the part; null: unknown
  bool vptr = false;                   // the pointer to a virtual table
  bool captured = false;               // by a lambda: the path is the whole name
  bool hidden = false;                 // the last member on the way has no name for the programmer
  bool to_elements = false;            // and is how a container reaches its elements
  bool leaps = false;                  // by a step that is longer than the array it would be in
};

// The smallest part of an object of type `type` that holds the bytes, in the programmer's words. Members of base
// classes and of anonymous aggregates are named as if they were the object's own; the hidden members of a class of
// the standard library are left out, so that the elements of a vector `v` are `v[]` and its bounds are `v`.
[[nodiscard]] Part part_at(const llvm::DIType* type, Bytes bytes);

// A record that ends in an array without length, and so has no length itself.
[[nodiscard]] bool is_open_ended(const llvm::DIType* type);

// One leaf of a type. Of an array there is one for all its elements.
struct Leaf {
  std::string path;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t stride = 0;
  uint64_t count = 1;
};

// The leaves of a type in order of their offsets; empty for a scalar, at most `limit`.
[[nodiscard]] std::vector<Leaf> leaves_of(const llvm::DIType* type, size_t limit);

}  // namespace norn::compiler
