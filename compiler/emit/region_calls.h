// Tells the runtime which regions of code are executed (the trace profile; include/norn/abi.h, "Regions"), so that a
// trace has what each sampler would have been asked:
//
//     f: A                              f: __norn_region(&f, FUNCTION); A
//        do { H: B } while (c)             do { H: B; if (c) __norn_region(&H, AGAIN…) } while (c)
//        C; return                         __norn_region(&H, LEFT); C; __norn_region(null, RETURN); return
#pragma once

#include "compiler/emit/hook_calls.h"
#include "compiler/emit/regions.h"

namespace norn::compiler {

// `has_copies`: whether the sampling profile would have two copies of the function.
void emit_region_calls(llvm::Function& function, Hooks& hooks, bool has_copies,
                       llvm::function_ref<bool(const llvm::BasicBlock&)> is_checked);

}  // namespace norn::compiler
