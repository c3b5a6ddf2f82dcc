// What a branch says of the values that were loaded before it.
#pragma once

#include <vector>

#include "static/order/relative_locks.h"

namespace norn::statics {

// The loads among `waits` of which the condition can have this truth only if they gave none of the first values of
// their cells.
[[nodiscard]] std::vector<const llvm::Value*> implied_loads(const llvm::Value* condition, bool truth,
                                                            const Waits& waits);

}  // namespace norn::statics
