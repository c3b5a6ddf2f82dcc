// The table of a variable's members (norn_member of include/norn/abi.h), by which a byte of it is named.
#pragma once

#include <vector>

#include "compiler/naming/site_table.h"
#include "compiler/naming/type_layout.h"

namespace norn::compiler {

constexpr size_t kMostMembers = 256;  // of one variable

// Null where there are none. `comdat`: of what the table is for; may be null.
[[nodiscard]] llvm::Constant* emit_members(llvm::Module& module, SiteTable& texts, const std::vector<Leaf>& leaves,
                                           llvm::Comdat* comdat);

}  // namespace norn::compiler
