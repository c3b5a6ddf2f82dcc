#include "compiler/analysis/early.h"

#include "compiler/analysis/library.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace norn::compiler {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

// Whether its code is the code that will run.
bool is_seen(const llvm::Function& function) {
  return !function.isDeclaration() && !function.isInterposable() && !function.hasFnAttribute(llvm::Attribute::Naked);
}

// Most intrinsics say that they call nothing of the program's; some old ones say nothing.
bool calls_nothing(const llvm::IntrinsicInst& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::vastart:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::vacopy:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::eh_typeid_for:
      return true;
    default:
      return intrinsic.isAssumeLikeIntrinsic() || intrinsic.doesNotAccessMemory() ||
             intrinsic.hasFnAttr(llvm::Attribute::NoCallback);
  }
}

// Adds the functions that a constant refers to.
void add_functions(const llvm::Constant* constant, llvm::DenseSet<const llvm::Function*>& functions) {
  llvm::SmallVector<const llvm::Constant*, 8> open{constant};
  llvm::DenseSet<const llvm::Constant*> known;
  while (!open.empty()) {
    const llvm::Constant* next = open.pop_back_val();
    if (!known.insert(next).second) continue;
    if (const auto* function = dyn_cast<llvm::Function>(next)) functions.insert(function);
    if (const auto* alias = dyn_cast<llvm::GlobalAlias>(next)) open.push_back(alias->getAliasee());
    if (isa<llvm::GlobalValue>(next)) continue;
    for (const llvm::Use& operand : next->operands()) {
      if (const auto* inner = dyn_cast<llvm::Constant>(operand.get())) open.push_back(inner);
    }
  }
}

// Whether nothing else refers to it.
bool is_only_in(const llvm::Function& function, const llvm::GlobalVariable& list) {
  const llvm::Constant* inner = &function;
  while (inner->hasOneUse()) {
    const llvm::User* outer = inner->user_back();
    if (outer == &list) return true;
    if (!isa<llvm::ConstantAggregate>(outer)) return false;
    inner = cast<llvm::Constant>(outer);
  }
  return false;
}

// Virtual tables but those of what std::thread runs, which is run by new threads alone.
bool is_table_of_callbacks(const llvm::GlobalVariable& global) {
  const llvm::StringRef name = global.getName();
  return (name.starts_with("_ZTV") || name.starts_with("_ZTC")) && !name.starts_with("_ZTVNSt6thread11_State_impl");
}

// The third argument of a throw.
const llvm::Value* destructor_of_thrown(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  const bool throws = callee != nullptr && callee->getName() == "__cxa_throw" && call.arg_size() == 3;
  return throws ? call.getArgOperand(2) : nullptr;
}

template <typename Visit>
void each_call(const llvm::Function& function, Visit visit) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) visit(*call);
    }
  }
}

}  // namespace

Early::Early(const llvm::Module& program) {
  find_called_back(program);
  find_creating(program);
  if (find_roots(program)) {
    for (const llvm::Function& function : program) find_late(function);
    find_early_functions(program);
  } else {
    early_.clear();
  }
}

bool Early::is_early(const llvm::Instruction& instruction) const {
  return begins_early(instruction) && first_creating_.lookup(instruction.getParent()) != &instruction;
}

bool Early::begins_early(const llvm::Instruction& instruction) const {
  const llvm::BasicBlock* block = instruction.getParent();
  if (!early_.contains(block->getParent()) || late_.contains(block)) return false;
  const llvm::Instruction* creating = first_creating_.lookup(block);
  return creating == nullptr || creating == &instruction || instruction.comesBefore(creating);
}

// ---- Who creates threads ----------------------------------------------------------------------------------------

void Early::find_called_back(const llvm::Module& program) {
  for (const llvm::Function& function : program) {
    if (!function.isDeclaration() && !function.hasLocalLinkage() && function.getName() != "main") {
      visible_.insert(&function);
    }
    each_call(function, [&](const llvm::CallBase& call) {
      const llvm::Value* destructor = destructor_of_thrown(call);
      if (destructor == nullptr) return;
      const auto* known = dyn_cast<llvm::Constant>(destructor);
      callbacks_create_ |= known == nullptr;
      if (known != nullptr) add_functions(known, called_back_);
    });
  }
  for (const llvm::GlobalAlias& alias : program.aliases()) {
    if (!alias.hasLocalLinkage()) add_functions(alias.getAliasee(), visible_);
  }
  for (const llvm::GlobalVariable& global : program.globals()) {
    if (global.hasInitializer() && is_table_of_callbacks(global)) add_functions(global.getInitializer(), called_back_);
  }
}

bool Early::may_create(const llvm::Function& function) const {
  if (is_seen(function)) return creating_.contains(&function);
  if (!function.isDeclaration()) return true;
  switch (thread_role(function.getName())) {
    case ThreadRole::kMayCreate:
      return true;
    case ThreadRole::kCreatesNone:
      return libraries_create_;
    case ThreadRole::kCallsBack:
      return libraries_create_ || callbacks_create_;
  }
  return true;
}

bool Early::may_create(const llvm::CallBase& call) const {
  if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) return !calls_nothing(*intrinsic);
  if (call.isInlineAsm()) return !cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString().empty();
  const llvm::Function* callee = call.getCalledFunction();
  return callee == nullptr || may_create(*callee);
}

void Early::find_creating(const llvm::Module& program) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function& function : program) {
      if (!is_seen(function) || creating_.contains(&function)) continue;
      bool creates = false;
      each_call(function, [&](const llvm::CallBase& call) { creates = creates || may_create(call); });
      if (!creates) continue;
      creating_.insert(&function);
      changed = true;
    }
    const auto creates = [&](const llvm::Function* function) { return may_create(*function); };
    if (!libraries_create_ && llvm::any_of(visible_, creates)) libraries_create_ = changed = true;
    if (!callbacks_create_ && llvm::any_of(called_back_, creates)) callbacks_create_ = changed = true;
  }
}

// ---- Where it is early ------------------------------------------------------------------------------------------

// main, and the constructors. Returns whether main begins with one thread.
bool Early::find_roots(const llvm::Module& program) {
  const llvm::Function* main = program.getFunction("main");
  // One that the linker may replace is a library's.
  if (main == nullptr || !is_seen(*main) || !main->isDSOLocal() || !main->use_empty()) return false;
  early_.insert(main);
  for (const llvm::GlobalVariable& global : program.globals()) {
    const llvm::StringRef section = global.getSection();
    if (section.starts_with(".init_array") || section.starts_with(".preinit_array") || section.starts_with(".ctors")) {
      return false;
    }
  }
  llvm::DenseSet<const llvm::Function*> before_main;
  for (const llvm::GlobalIFunc& ifunc : program.ifuncs()) add_functions(ifunc.getResolver(), before_main);
  if (const llvm::GlobalVariable* list = program.getNamedGlobal("llvm.global_ctors")) {
    if (!list->hasInitializer()) return false;
    llvm::DenseSet<const llvm::Function*> constructors;
    add_functions(list->getInitializer(), constructors);
    for (const llvm::Function* constructor : constructors) {
      before_main.insert(constructor);
      if (constructor->hasLocalLinkage() && is_only_in(*constructor, *list)) early_.insert(constructor);
    }
  }
  return llvm::none_of(before_main, [&](const llvm::Function* function) { return may_create(*function); });
}

void Early::find_late(const llvm::Function& function) {
  llvm::SmallVector<const llvm::BasicBlock*, 16> open;
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || !may_create(*call)) continue;
      first_creating_.try_emplace(&block, call);
      llvm::append_range(open, llvm::successors(&block));
      break;
    }
  }
  while (!open.empty()) {
    const llvm::BasicBlock* block = open.pop_back_val();
    if (late_.insert(block).second) llvm::append_range(open, llvm::successors(block));
  }
}

// All that might be are taken to be, until a call says otherwise.
void Early::find_early_functions(const llvm::Module& program) {
  llvm::SmallVector<const llvm::Function*, 16> called;
  for (const llvm::Function& function : program) {
    if (!is_seen(function) || !function.hasLocalLinkage() || early_.contains(&function)) continue;
    if (function.hasAddressTaken(nullptr, false, true, false)) continue;
    early_.insert(&function);
    called.push_back(&function);
  }
  const auto is_called_late = [&](const llvm::Function& function) {
    return llvm::any_of(function.users(), [&](const llvm::User* user) {
      const auto* call = dyn_cast<llvm::CallBase>(user);
      return call != nullptr && !begins_early(*call);
    });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Function* function : called) {
      if (early_.contains(function) && is_called_late(*function)) changed = early_.erase(function);
    }
  }
}

}  // namespace norn::compiler
