// Names of functions as a report shows them.
#pragma once

#include <string>

#include "llvm/IR/DebugInfoMetadata.h"

namespace norn::compiler {

// "deposit(Account&, int)" for a C++ function's symbol, without its return type; the symbol itself for others.
[[nodiscard]] std::string function_name(llvm::StringRef symbol);

// The same for a function of the debug information, which may have been inlined away.
[[nodiscard]] std::string function_name(const llvm::DISubprogram* function);

// Its name alone, as in the source: "deposit", "operator[]".
[[nodiscard]] std::string base_name(llvm::StringRef symbol);

// A function of a system header: a report may fold it, and its variables are the last to name anything by.
[[nodiscard]] bool is_library_function(const llvm::DISubprogram* function);

}  // namespace norn::compiler
