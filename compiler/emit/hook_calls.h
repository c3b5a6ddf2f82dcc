// The runtime's functions (include/norn/abi.h) as seen by instrumented code.
#pragma once

#include <cstdint>

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {

inline constexpr llvm::StringLiteral kHookPrefix = "__norn_";

// Named metadata of a module that has been instrumented.
inline constexpr llvm::StringLiteral kInstrumentedMark = "norn.instrumented";

// Whether there is a runtime for what the module is compiled for: x86-64 with 64-bit pointers. Other code (of a device
// that the same command line compiles for, say) is left as it is.
[[nodiscard]] bool is_supported(const llvm::Module& module);

class Hooks final {
 public:
  explicit Hooks(llvm::Module& module);

  // One value of 1, 2, 4, 8 or 16 bytes.
  [[nodiscard]] static bool has_access(uint64_t size);
  // Whether the hook has a third parameter, what is written.
  [[nodiscard]] static bool takes_value(bool write, uint64_t size) { return write && size <= sizeof(uint64_t); }
  [[nodiscard]] llvm::FunctionCallee access(bool write, uint64_t size);
  // The same, in the calling convention of rare calls.
  [[nodiscard]] llvm::FunctionCallee slow_access(bool write, uint64_t size);
  [[nodiscard]] llvm::FunctionCallee range(bool write);
  // Many values, of a loop that begins; whether none of its accesses needs to be reported again.
  [[nodiscard]] llvm::FunctionCallee run(bool write);
  [[nodiscard]] llvm::FunctionCallee vptr(bool write);
  [[nodiscard]] llvm::FunctionCallee copy(bool may_overlap);
  [[nodiscard]] llvm::FunctionCallee fill();
  [[nodiscard]] llvm::FunctionCallee fence();
  // Around inline assembly that synchronizes.
  [[nodiscard]] llvm::FunctionCallee assembly(bool before);
  // At a barrier for the compiler.
  [[nodiscard]] llvm::FunctionCallee cut();
  [[nodiscard]] llvm::FunctionCallee client_request();
  // Loops that wait: "spin_read", "spin_leave", "wait_begin", …
  [[nodiscard]] llvm::FunctionCallee loop(llvm::StringRef hook);
  // Which copy of a region is executed next.
  [[nodiscard]] llvm::FunctionCallee sample();
  // What is executed now, of the trace profile.
  [[nodiscard]] llvm::FunctionCallee region();
  // "load", "store", "fetch_add", … on integers of `bits` bits.
  [[nodiscard]] llvm::FunctionCallee atomic(llvm::StringRef operation, unsigned bits);

 private:
  [[nodiscard]] llvm::FunctionCallee declare_access(llvm::StringRef speed, bool write, uint64_t size);
  [[nodiscard]] llvm::FunctionCallee declare(const llvm::Twine& name, llvm::Type* result,
                                             llvm::ArrayRef<llvm::Type*> parameters);

  llvm::Module& module_;
  llvm::Type* none_;
  llvm::Type* pointer_;
  llvm::Type* int_;
  llvm::Type* size_;
};

}  // namespace norn::compiler
