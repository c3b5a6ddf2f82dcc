#include "compiler/emit/hook_calls.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"
#include "llvm/TargetParser/Triple.h"

namespace norn::compiler {

bool is_supported(const llvm::Module& module) {
  return llvm::Triple(module.getTargetTriple()).getArch() == llvm::Triple::x86_64 &&
         module.getDataLayout().getPointerSizeInBits() == 64;
}

Hooks::Hooks(llvm::Module& module)
    : module_(module),
      none_(llvm::Type::getVoidTy(module.getContext())),
      pointer_(llvm::PointerType::getUnqual(module.getContext())),
      int_(llvm::Type::getInt32Ty(module.getContext())),
      size_(llvm::Type::getInt64Ty(module.getContext())) {}

llvm::FunctionCallee Hooks::declare(const llvm::Twine& name, llvm::Type* result,
                                    llvm::ArrayRef<llvm::Type*> parameters) {
  llvm::SmallString<64> symbol(kHookPrefix);
  name.toVector(symbol);
  llvm::FunctionCallee callee = module_.getOrInsertFunction(symbol, llvm::FunctionType::get(result, parameters, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->setDoesNotThrow();
    // The C calling convention leaves widening to the caller.
    for (unsigned i = 0; i < parameters.size(); ++i) {
      const bool narrow = parameters[i]->isIntegerTy() && parameters[i]->getIntegerBitWidth() < 32;
      if (narrow) function->addParamAttr(i, llvm::Attribute::ZExt);
    }
    if (result->isIntegerTy() && result->getIntegerBitWidth() < 32) function->addRetAttr(llvm::Attribute::ZExt);
  }
  return callee;
}

bool Hooks::has_access(uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8 || size == 16; }

llvm::FunctionCallee Hooks::declare_access(llvm::StringRef speed, bool write, uint64_t size) {
  assert(has_access(size));
  llvm::SmallVector<llvm::Type*, 3> parameters = {pointer_, pointer_};
  if (takes_value(write, size)) parameters.push_back(llvm::Type::getInt64Ty(module_.getContext()));
  return declare(speed + (write ? "write" : "read") + llvm::Twine(size), none_, parameters);
}

llvm::FunctionCallee Hooks::access(bool write, uint64_t size) { return declare_access("", write, size); }

llvm::FunctionCallee Hooks::slow_access(bool write, uint64_t size) {
  llvm::FunctionCallee callee = declare_access("slow_", write, size);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setCallingConv(llvm::CallingConv::PreserveMost);
  function->addFnAttr(llvm::Attribute::Cold);
  // A procedure linkage table that binds lazily does not keep all registers that the convention promises.
  function->addFnAttr(llvm::Attribute::NonLazyBind);
  return callee;
}

llvm::FunctionCallee Hooks::range(bool write) {
  return declare(write ? "write_range" : "read_range", none_, {pointer_, size_, pointer_});
}

llvm::FunctionCallee Hooks::run(bool write) {
  return declare(write ? "run_write" : "run_read", size_, {pointer_, size_, size_, size_, pointer_});
}

llvm::FunctionCallee Hooks::vptr(bool write) {
  if (write) return declare("vptr_write", none_, {pointer_, pointer_, pointer_});
  return declare("vptr_read", none_, {pointer_, pointer_});
}

llvm::FunctionCallee Hooks::copy(bool may_overlap) {
  return declare(may_overlap ? "memmove" : "memcpy", pointer_, {pointer_, pointer_, size_, pointer_, pointer_});
}

llvm::FunctionCallee Hooks::fill() { return declare("memset", pointer_, {pointer_, int_, size_, pointer_}); }

llvm::FunctionCallee Hooks::fence() { return declare("fence", none_, {int_, int_, pointer_}); }

llvm::FunctionCallee Hooks::assembly(bool before) {
  return declare(before ? "assembly_before" : "assembly_after", none_, {pointer_, size_, pointer_});
}

llvm::FunctionCallee Hooks::cut() { return declare("cut", none_, {}); }

llvm::FunctionCallee Hooks::client_request() { return declare("client_request", none_, {pointer_}); }

llvm::FunctionCallee Hooks::loop(llvm::StringRef hook) {
  if (hook == "spin_read") return declare(hook, none_, {pointer_, size_, pointer_, pointer_, int_});
  if (hook == "spin_called") return declare(hook, none_, {pointer_, size_, pointer_});
  if (hook == "wait_leave") return declare(hook, none_, {pointer_, pointer_, int_});
  if (hook == "spin_end" || hook == "wait_end") return declare(hook, none_, {});
  return declare(hook, none_, {pointer_, int_});  // spin_begin, spin_leave, wait_begin
}

llvm::FunctionCallee Hooks::sample() {
  llvm::FunctionCallee callee = declare("sample", int_, {int_});
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setCallingConv(llvm::CallingConv::PreserveAll);
  function->addFnAttr(llvm::Attribute::Cold);
  function->addFnAttr(llvm::Attribute::NonLazyBind);
  return callee;
}

llvm::FunctionCallee Hooks::region() { return declare("region", none_, {pointer_, int_}); }

llvm::FunctionCallee Hooks::atomic(llvm::StringRef operation, unsigned bits) {
  llvm::Type* value = llvm::IntegerType::get(module_.getContext(), bits);
  const std::string name = ("atomic" + llvm::Twine(bits) + "_" + operation).str();
  if (operation == "load") return declare(name, value, {pointer_, int_, pointer_});
  if (operation == "store") return declare(name, none_, {pointer_, value, int_, pointer_});
  if (operation == "compare_exchange") return declare(name, value, {pointer_, value, value, int_, int_, pointer_});
  return declare(name, value, {pointer_, value, int_, pointer_});
}

}  // namespace norn::compiler
