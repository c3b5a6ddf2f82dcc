// The constructor and destructor that register a linked module's tables with the runtime (include/norn/abi.h,
// "Modules").
//
//     @__norn_module = linkonce_odr hidden constant %norn_module
//                        { @__start_norn_sites, @__stop_norn_sites, ..., @__norn_uses_conditions }
//     define linkonce_odr hidden void @__norn_module_ctor() { call @__norn_module_init_v5(@__norn_module) }
//     define linkonce_odr hidden void @__norn_module_dtor() { call @__norn_module_fini(@__norn_module) }
//
// Every object has them; they are in one comdat, so a linked module has one of each. The linker defines the start and
// stop symbols, of which every linked module has its own because they are hidden; they are weak, because it does not
// when no section of that name is left. __norn_uses_conditions is weak too: an object defines it if it calls a function
// that, by its name, may wait or signal.
#pragma once

#include "llvm/IR/Module.h"

namespace norn::compiler {

void emit_registration(llvm::Module& module);

// The same of a module of the production profile: its probes. `flags`: norn_probe_module_flag.
void emit_probe_registration(llvm::Module& module, int flags);

}  // namespace norn::compiler
