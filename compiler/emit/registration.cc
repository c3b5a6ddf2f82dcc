#include "compiler/emit/registration.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "norn/abi.h"

#define NORN_TEXT_(x) #x
#define NORN_TEXT(x) NORN_TEXT_(x)

namespace norn::compiler {
namespace {

constexpr llvm::StringLiteral kInit = NORN_TEXT(__norn_module_init);  // with its version
constexpr llvm::StringLiteral kFini = "__norn_module_fini";
constexpr int kFirst = 0;  // before any constructor of the program, after any destructor

llvm::Constant* boundary(llvm::Module& module, llvm::StringRef name) {
  auto* symbol = new llvm::GlobalVariable(module, llvm::Type::getInt8Ty(module.getContext()), true,
                                          llvm::GlobalValue::ExternalWeakLinkage, nullptr, name);
  symbol->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return symbol;
}

// Too many may be taken for one: then more is recorded than is needed (Detector::expect_conditions). Too few, and what
// was not recorded counts as anything.
bool may_use_conditions(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() || function.isIntrinsic()) continue;
    for (const llvm::StringRef word : {"cond", "cnd_", "signal", "broadcast", "notify", "wake"}) {
      if (function.getName().contains_insensitive(word)) return true;
    }
  }
  return false;
}

llvm::Constant* conditions_of(llvm::Module& module) {
  constexpr llvm::StringLiteral kName = "__norn_uses_conditions";
  if (!may_use_conditions(module)) return boundary(module, kName);
  llvm::Type* byte = llvm::Type::getInt8Ty(module.getContext());
  auto* symbol = new llvm::GlobalVariable(module, byte, true, llvm::GlobalValue::LinkOnceODRLinkage,
                                          llvm::ConstantInt::get(byte, 1), kName);
  symbol->setVisibility(llvm::GlobalValue::HiddenVisibility);
  symbol->setComdat(module.getOrInsertComdat(kName));
  return symbol;
}

llvm::Function* emit_call(llvm::Module& module, llvm::StringRef name, llvm::StringRef hook,
                          llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* none = llvm::Type::getVoidTy(context);
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(none, false), llvm::GlobalValue::LinkOnceODRLinkage, name, module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->setComdat(module.getOrInsertComdat(name));
  function->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  llvm::SmallVector<llvm::Type*, 2> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  builder.CreateCall(module.getOrInsertFunction(hook, llvm::FunctionType::get(none, types, false)), arguments);
  builder.CreateRetVoid();
  return function;
}

llvm::GlobalVariable* emit_description(llvm::Module& module, llvm::Constant* tables, llvm::StringRef name) {
  auto* described =
      new llvm::GlobalVariable(module, tables->getType(), true, llvm::GlobalValue::LinkOnceODRLinkage, tables, name);
  described->setVisibility(llvm::GlobalValue::HiddenVisibility);
  described->setComdat(module.getOrInsertComdat(name));
  described->setAlignment(llvm::Align(8));
  return described;
}

}  // namespace

void emit_registration(llvm::Module& module) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* type = llvm::StructType::get(module.getContext(), llvm::SmallVector<llvm::Type*>(11, pointer));
  llvm::Constant* tables = llvm::ConstantStruct::get(
      type, {boundary(module, "__start_norn_sites"), boundary(module, "__stop_norn_sites"),
             boundary(module, "__start_norn_globals"), boundary(module, "__stop_norn_globals"),
             boundary(module, "__start_norn_loops"), boundary(module, "__stop_norn_loops"), conditions_of(module),
             boundary(module, "__start_norn_regions"), boundary(module, "__stop_norn_regions"),
             boundary(module, "__start_norn_locals"), boundary(module, "__stop_norn_locals")});
  llvm::GlobalVariable* described = emit_description(module, tables, "__norn_module");

  llvm::Function* constructor = emit_call(module, "__norn_module_ctor", kInit, described);
  llvm::Function* destructor = emit_call(module, "__norn_module_dtor", kFini, described);
  llvm::appendToGlobalCtors(module, constructor, kFirst, constructor);
  llvm::appendToGlobalDtors(module, destructor, kFirst, destructor);
}

// Modules with and without OpenMP have constructors of their own: the linker keeps one of each.
void emit_probe_registration(llvm::Module& module, int flags) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::Constant* tables =
      llvm::ConstantStruct::get(llvm::StructType::get(module.getContext(), {pointer, pointer}),
                                {boundary(module, "__start_norn_probes"), boundary(module, "__stop_norn_probes")});
  llvm::GlobalVariable* described = emit_description(module, tables, "__norn_probe_module");
  llvm::Constant* said =
      llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()), static_cast<uint64_t>(flags));
  const std::string constructor_name = ("__norn_probe_module_ctor" + llvm::Twine(flags)).str();
  llvm::Function* constructor = emit_call(module, constructor_name, "__norn_probe_module_init", {described, said});
  llvm::Function* destructor = emit_call(module, "__norn_probe_module_dtor", "__norn_probe_module_fini", {described});
  llvm::appendToGlobalCtors(module, constructor, kFirst, constructor);
  llvm::appendToGlobalDtors(module, destructor, kFirst, destructor);
}

}  // namespace norn::compiler
