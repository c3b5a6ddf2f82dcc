// Pointers to members of C++ that are called: (object.*member)(…). The code adds a number that is not known to the
// object's address and, if the member is virtual, to the address of its table:
//
//     this = object + member.adjustment;
//     function = member.function & 1 ? *(*this + member.function - 1) : member.function;
//
// Taken as steps by just any number of bytes, these would make all fields of the object one.
#pragma once

#include <cstdint>
#include <set>

#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace norn::statics {

enum class MemberStep : uint8_t { kNone, kObject, kTable };

// Which of the two a step is.
[[nodiscard]] MemberStep member_step(const llvm::GEPOperator& step);

// What pointers to members of a module have in them.
struct MemberPointers {
  std::set<int64_t> adjustments{0};
  std::set<int64_t> slots{};  // of virtual tables, in bytes
};
[[nodiscard]] MemberPointers member_pointers(const llvm::Module& module);

}  // namespace norn::statics
