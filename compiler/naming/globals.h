// The table of global variables (norn_global of include/norn/abi.h), by which a report names an address.
//
//     @account = global %struct.Account zeroinitializer, !dbg !…
// gets
//     @norn.global = private constant %norn_global { @account, 16, "account", "bank.cpp", …, members, … },
//                    section "norn_globals", !associated !{@account}
//
// `associated` lets --gc-sections drop the entry with the variable, instead of keeping the variable for the entry.
// The address of a thread_local is not a constant: its entry has a function that returns it.
#pragma once

#include "compiler/naming/site_table.h"

namespace norn::compiler {

// Returns whether there was any.
bool emit_globals(llvm::Module& module, SiteTable& texts);

}  // namespace norn::compiler
