#include "static/program/library_models.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "static/program/lock_calls.h"

namespace norn::statics {
namespace {

constexpr llvm::StringLiteral kOfModel = "norn.model";
constexpr llvm::StringLiteral kDeferredTable = "_ZTVNSt13__future_base15_Deferred_stateI";
constexpr llvm::StringLiteral kDeferredState = "_ZNSt13__future_base15_Deferred_stateI";
constexpr llvm::StringLiteral kAsyncTable = "_ZTVNSt13__future_base17_Async_state_implI";

// Conditions that are not known are loads of @norn.any, a variable of each thread.
constexpr llvm::StringLiteral kModels = R"(
declare void @__norn_fork(ptr, ptr, ptr)
declare void @__norn_fork_task(ptr, ptr)
declare void @__norn_join(i64)
declare void @__norn_handler(ptr)
declare void @__norn_moves(ptr)
declare ptr @malloc(i64)
declare void @__norn_once_begin(ptr)
declare void @__norn_once_end(ptr)

@norn.any = thread_local global i1 false
@norn.master = global i64 0
@norn.exit.function = thread_local global ptr null
@norn.at.exit.function = thread_local global ptr null
@norn.on.exit.function = thread_local global ptr null
@norn.exit.argument = thread_local global ptr null
@norn.key.destructor = global ptr null
@norn.specific = thread_local global ptr null
@_ZSt11__once_call = external thread_local global ptr
@_ZSt15__once_callable = external thread_local global ptr

define i32 @pthread_create(ptr %handle, ptr %attributes, ptr %function, ptr %argument) {
  call void @__norn_fork(ptr %function, ptr %argument, ptr %handle)
  ret i32 0
}
define i32 @thrd_create(ptr %handle, ptr %function, ptr %argument) {
  call void @__norn_fork(ptr %function, ptr %argument, ptr %handle)
  ret i32 0
}
define void @_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(ptr %this, ptr %state, ptr %depend) {
  %s = load ptr, ptr %state
  %table = load ptr, ptr %s
  %slot = getelementptr i8, ptr %table, i64 16
  %run = load ptr, ptr %slot
  call void @__norn_fork(ptr %run, ptr %s, ptr %this)
  ret void
}
define i32 @pthread_join(i64 %handle, ptr %result) {
  call void @__norn_join(i64 %handle)
  %wanted = icmp ne ptr %result, null
  br i1 %wanted, label %store, label %end
store:
  %thread = inttoptr i64 %handle to ptr
  %value = load ptr, ptr %thread
  store ptr %value, ptr %result
  br label %end
end:
  ret i32 0
}
define i32 @thrd_join(i64 %handle, ptr %result) {
  call void @__norn_join(i64 %handle)
  ret i32 0
}
define i32 @pthread_tryjoin_np(i64 %handle, ptr %result) {
  ret i32 0
}
define void @_ZNSt6thread4joinEv(ptr %this) {
  %handle = load i64, ptr %this
  call void @__norn_join(i64 %handle)
  ret void
}
define void @_ZNSt6thread6detachEv(ptr %this) {
  ret void
}
define void @_ZNSt13__future_base21_Async_state_commonV217_M_complete_asyncEv(ptr %this) {
  %thread = getelementptr i8, ptr %this, i64 32
  %handle = load i64, ptr %thread
  call void @__norn_join(i64 %handle)
  ret void
}
define i32 @pthread_once(ptr %once, ptr %function) {
  call void @__norn_once_begin(ptr %once)
  call void %function()
  call void @__norn_once_end(ptr %once)
  ret i32 0
}
define void @call_once(ptr %once, ptr %function) {
  call void @__norn_once_begin(ptr %once)
  call void %function()
  call void @__norn_once_end(ptr %once)
  ret void
}
define void @__once_proxy() {
  %slot = call ptr @llvm.threadlocal.address.p0(ptr @_ZSt11__once_call)
  %function = load ptr, ptr %slot
  call void %function()
  ret void
}
declare ptr @llvm.threadlocal.address.p0(ptr)

define i1 @_ZSt18uncaught_exceptionv() {
  ret i1 false
}
define i32 @__cxa_atexit(ptr %function, ptr %argument, ptr %dso) {
  store ptr %function, ptr @norn.exit.function
  store ptr %argument, ptr @norn.exit.argument
  ret i32 0
}
define i32 @atexit(ptr %function) {
  store ptr %function, ptr @norn.at.exit.function
  ret i32 0
}
define i32 @at_quick_exit(ptr %function) {
  store ptr %function, ptr @norn.at.exit.function
  ret i32 0
}
define i32 @on_exit(ptr %function, ptr %argument) {
  store ptr %function, ptr @norn.on.exit.function
  store ptr %argument, ptr @norn.exit.argument
  ret i32 0
}
define void @__norn_exit() {
  %told = load ptr, ptr @norn.on.exit.function
  %about = load ptr, ptr @norn.exit.argument
  call void %told(i32 0, ptr %about)
  %plain = load ptr, ptr @norn.at.exit.function
  call void %plain()
  %function = load ptr, ptr @norn.exit.function
  %argument = load ptr, ptr @norn.exit.argument
  call void %function(ptr %argument)
  ret void
}
define i32 @pthread_key_create(ptr %key, ptr %destructor) {
  store ptr %destructor, ptr @norn.key.destructor
  ret i32 0
}
define i32 @pthread_setspecific(i32 %key, ptr %value) {
  store ptr %value, ptr @norn.specific
  %destructor = load ptr, ptr @norn.key.destructor
  call void %destructor(ptr %value)
  ret i32 0
}
define ptr @pthread_getspecific(i32 %key) {
  %value = load ptr, ptr @norn.specific
  ret ptr %value
}
define void @qsort(ptr %base, i64 %count, i64 %size, ptr %compare) {
  %order = call i32 %compare(ptr %base, ptr %base)
  call void @__norn_moves(ptr %base)
  ret void
}
define ptr @bsearch(ptr %key, ptr %base, i64 %count, i64 %size, ptr %compare) {
  %order = call i32 %compare(ptr %key, ptr %base)
  ret ptr %base
}
define i32 @sigaction(i32 %signal, ptr %action, ptr %old) {
  %handler = load ptr, ptr %action
  call void @__norn_handler(ptr %handler)
  ret i32 0
}
define ptr @signal(i32 %signal, ptr %handler) {
  call void @__norn_handler(ptr %handler)
  ret ptr null
}
define i32 @timer_create(i32 %clock, ptr %event, ptr %timer) {
  %slot = getelementptr i8, ptr %event, i64 16
  %function = load ptr, ptr %slot
  %value = load ptr, ptr %event
  %handle = alloca i64
  call void @__norn_fork(ptr %function, ptr %value, ptr %handle)
  ret i32 0
}
define i32 @mq_notify(i32 %queue, ptr %event) {
  %slot = getelementptr i8, ptr %event, i64 16
  %function = load ptr, ptr %slot
  %value = load ptr, ptr %event
  %handle = alloca i64
  call void @__norn_fork(ptr %function, ptr %value, ptr %handle)
  ret i32 0
}
declare i32 @pthread_mutex_trylock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
define i32 @__kmpc_master(ptr %where, i32 %thread) {
  %tried = call i32 @pthread_mutex_trylock(ptr @norn.master)
  %got = icmp eq i32 %tried, 0
  %is = zext i1 %got to i32
  ret i32 %is
}
define void @__kmpc_end_master(ptr %where, i32 %thread) {
  %done = call i32 @pthread_mutex_unlock(ptr @norn.master)
  ret void
}
define i32 @__kmpc_masked(ptr %where, i32 %thread, i32 %filter) {
  %tried = call i32 @pthread_mutex_trylock(ptr @norn.master)
  %got = icmp eq i32 %tried, 0
  %is = zext i1 %got to i32
  ret i32 %is
}
define void @__kmpc_end_masked(ptr %where, i32 %thread) {
  %done = call i32 @pthread_mutex_unlock(ptr @norn.master)
  ret void
}
define i32 @__kmpc_single(ptr %where, i32 %thread) {
  %tried = call i32 @pthread_mutex_trylock(ptr %where)
  %got = icmp eq i32 %tried, 0
  %is = zext i1 %got to i32
  ret i32 %is
}
define void @__kmpc_end_single(ptr %where, i32 %thread) {
  %done = call i32 @pthread_mutex_unlock(ptr %where)
  ret void
}
define i32 @posix_memalign(ptr %to, i64 %align, i64 %size) {
  %block = call ptr @malloc(i64 %size)
  store ptr %block, ptr %to
  ret i32 0
}
define ptr @__kmpc_omp_task_alloc(ptr %where, i32 %thread, i32 %flags, i64 %size, i64 %shared, ptr %entry) {
  %task = call ptr @malloc(i64 %size)
  %variables = call ptr @malloc(i64 %shared)
  store ptr %variables, ptr %task
  %slot = getelementptr i8, ptr %task, i64 8
  store ptr %entry, ptr %slot
  ret ptr %task
}
define i32 @__kmpc_omp_task(ptr %where, i32 %thread, ptr %task) {
  %slot = getelementptr i8, ptr %task, i64 8
  %entry = load ptr, ptr %slot
  call void @__norn_fork_task(ptr %entry, ptr %task)
  ret i32 0
}
define i32 @__kmpc_omp_task_with_deps(ptr %where, i32 %thread, ptr %task, i32 %n, ptr %deps, i32 %m, ptr %more) {
  %slot = getelementptr i8, ptr %task, i64 8
  %entry = load ptr, ptr %slot
  call void @__norn_fork_task(ptr %entry, ptr %task)
  ret i32 0
}
define void @__kmpc_taskloop(ptr %where, i32 %thread, ptr %task, i32 %a, ptr %b, ptr %c, i64 %d, i32 %e, i32 %f, i64 %g, ptr %h) {
  %slot = getelementptr i8, ptr %task, i64 8
  %entry = load ptr, ptr %slot
  br label %again
again:
  call void @__norn_fork_task(ptr %entry, ptr %task)
  %more = load i1, ptr @norn.any
  br i1 %more, label %again, label %end
end:
  ret void
}
define void @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(i1 %left, ptr %x, ptr %p, ptr %header) {
  %p0 = getelementptr i8, ptr %p, i64 8
  %p1 = getelementptr i8, ptr %p, i64 16
  %p2 = getelementptr i8, ptr %p, i64 24
  %x0 = getelementptr i8, ptr %x, i64 8
  %x1 = getelementptr i8, ptr %x, i64 16
  %x2 = getelementptr i8, ptr %x, i64 24
  %h0 = getelementptr i8, ptr %header, i64 8
  %h1 = getelementptr i8, ptr %header, i64 16
  %h2 = getelementptr i8, ptr %header, i64 24
  store ptr %x, ptr %p0
  store ptr %x, ptr %p1
  store ptr %x, ptr %p2
  store ptr %p, ptr %x0
  store ptr %p, ptr %x1
  store ptr %p, ptr %x2
  store ptr %x, ptr %h0
  store ptr %x, ptr %h1
  store ptr %x, ptr %h2
  ret void
}
define ptr @_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(ptr %x, ptr %header) {
  ret ptr %x
}
define ptr @norn.tree.neighbour(ptr %x) {
  %x0 = getelementptr i8, ptr %x, i64 8
  %x1 = getelementptr i8, ptr %x, i64 16
  %x2 = getelementptr i8, ptr %x, i64 24
  %a = load ptr, ptr %x0
  %b = load ptr, ptr %x1
  %c = load ptr, ptr %x2
  %any = load i1, ptr @norn.any
  %one = select i1 %any, ptr %a, ptr %b
  %two = select i1 %any, ptr %one, ptr %c
  ret ptr %two
}
define ptr @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(ptr %x) {
  %r = call ptr @norn.tree.neighbour(ptr %x)
  ret ptr %r
}
define ptr @_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(ptr %x) {
  %r = call ptr @norn.tree.neighbour(ptr %x)
  ret ptr %r
}
define ptr @_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(ptr %x) {
  %r = call ptr @norn.tree.neighbour(ptr %x)
  ret ptr %r
}
define ptr @_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(ptr %x) {
  %r = call ptr @norn.tree.neighbour(ptr %x)
  ret ptr %r
}
define void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(ptr %this, ptr %at) {
  %this1 = getelementptr i8, ptr %this, i64 8
  %at1 = getelementptr i8, ptr %at, i64 8
  %before = load ptr, ptr %at1
  store ptr %at, ptr %this
  store ptr %before, ptr %this1
  store ptr %this, ptr %before
  store ptr %this, ptr %at1
  ret void
}
define void @_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(ptr %this, ptr %first, ptr %last) {
  %this1 = getelementptr i8, ptr %this, i64 8
  store ptr %first, ptr %this
  store ptr %first, ptr %this1
  ret void
}
)";

// Of a state that std::async made, waiting for it joins its thread. In the library it does so by std::call_once,
// through variables that every such call uses, so nobody could tell what is called.
constexpr llvm::StringLiteral kReplaced[] = {"_ZNSt13__future_base21_Async_state_commonV217_M_complete_asyncEv"};

// Whether what std::async keeps until somebody waits (a deferred state) is only what it does when no thread can be
// created: wherever the one is made, the other is tried first.
bool is_second_choice(const llvm::Module& module, const llvm::GlobalVariable& deferred) {
  for (const llvm::Function& function : module) {
    if (!function.getName().starts_with("_ZSt5asyncI")) continue;
    for (const llvm::User* user : function.users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call == nullptr) return false;
      bool asynchronous = false;
      for (const llvm::Use& argument : call->args()) {
        const auto* policy = llvm::dyn_cast<llvm::ConstantInt>(argument.get());
        asynchronous |= policy != nullptr && policy->getType()->isIntegerTy(32) && (policy->getZExtValue() & 1) != 0;
      }
      if (!asynchronous) return false;
    }
  }
  const llvm::StringRef state = deferred.getName().drop_front(kDeferredTable.size());
  const llvm::GlobalVariable* tried = module.getNamedGlobal((llvm::Twine(kAsyncTable) + state).str());
  return tried != nullptr && tried->getNumUses() >= deferred.getNumUses();
}

void drop_deferred(llvm::Module& module) {
  for (const llvm::GlobalVariable& table : module.globals()) {
    if (!table.getName().starts_with(kDeferredTable) || !is_second_choice(module, table)) continue;
    const llvm::StringRef state = table.getName().drop_front(kDeferredTable.size());
    llvm::Function* runs =
        module.getFunction((llvm::Twine(kDeferredState) + state.drop_back() + "17_M_complete_asyncEv").str());
    if (runs == nullptr || runs->isDeclaration()) continue;
    runs->deleteBody();
    runs->setComdat(nullptr);
    runs->setLinkage(llvm::GlobalValue::InternalLinkage);
    llvm::IRBuilder<>(llvm::BasicBlock::Create(module.getContext(), "", runs)).CreateUnreachable();
  }
}

// Before main its constructors, behind it what exit calls.
void make_main(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::FunctionType* nothing = llvm::FunctionType::get(builder.getVoidTy(), false);
  llvm::Function* whole = llvm::Function::Create(nothing, llvm::GlobalValue::ExternalLinkage, kMain, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", whole));
  for (const char* list : {"llvm.global_ctors", "llvm.global_dtors"}) {
    if (llvm::StringRef(list) == "llvm.global_dtors") {
      if (llvm::Function* main = module.getFunction("main"); main != nullptr && !main->isDeclaration()) {
        auto* arguments = new llvm::GlobalVariable(module, llvm::ArrayType::get(builder.getPtrTy(), 64), false,
                                                   llvm::GlobalValue::InternalLinkage, nullptr, "norn.arguments");
        arguments->setInitializer(llvm::Constant::getNullValue(arguments->getValueType()));
        std::vector<llvm::Value*> given;
        for (const llvm::Argument& argument : main->args()) {
          given.push_back(argument.getType()->isPointerTy() ? static_cast<llvm::Value*>(arguments)
                                                            : llvm::PoisonValue::get(argument.getType()));
        }
        builder.CreateCall(main, given);
      }
      if (llvm::Function* exit = module.getFunction("__norn_exit")) builder.CreateCall(exit);
    }
    const llvm::GlobalVariable* all = module.getNamedGlobal(list);
    if (all == nullptr || !all->hasInitializer()) continue;
    const auto* array = llvm::dyn_cast<llvm::ConstantArray>(all->getInitializer());
    if (array == nullptr) continue;
    for (const llvm::Use& entry : array->operands()) {
      const auto* pair = llvm::dyn_cast<llvm::ConstantStruct>(entry.get());
      auto* function =
          pair == nullptr ? nullptr : llvm::dyn_cast<llvm::Function>(pair->getOperand(1)->stripPointerCasts());
      if (function != nullptr && function->arg_empty()) builder.CreateCall(function);
    }
  }
  builder.CreateRetVoid();
}

}  // namespace

bool is_of_model(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr ? call->getAttributes().hasFnAttr(kOfModel) : instruction.hasMetadata(kOfModel);
}

bool is_worth_inlining(llvm::StringRef symbol) {
  return symbol.starts_with("__norn_") || lock_call(symbol).action != LockAction::kNone;
}

void link_models(llvm::Module& module) {
  llvm::SMDiagnostic diagnostic;
  const bool discards = module.getContext().shouldDiscardValueNames();
  module.getContext().setDiscardValueNames(false);  // or it would not read text
  std::unique_ptr<llvm::Module> models = llvm::parseAssemblyString(kModels, diagnostic, module.getContext());
  module.getContext().setDiscardValueNames(discards);
  assert(models != nullptr);
  models->setDataLayout(module.getDataLayout());
  models->setTargetTriple(module.getTargetTriple());
  drop_deferred(module);
  // Who may have teams within teams has several masters at once, and no construct of one team excludes another's.
  if (module.getFunction("omp_set_max_active_levels") != nullptr || module.getFunction("omp_set_nested") != nullptr ||
      module.getFunction("__kmpc_fork_teams") != nullptr) {
    for (const char* name : {"__kmpc_master", "__kmpc_end_master", "__kmpc_masked", "__kmpc_end_masked",
                             "__kmpc_single", "__kmpc_end_single"})
      models->getFunction(name)->deleteBody();
  }
  // Teams of a league are created as a team is.
  if (llvm::Function* league = module.getFunction("__kmpc_fork_teams")) {
    league->replaceAllUsesWith(module.getOrInsertFunction(kForkTeam, league->getFunctionType()).getCallee());
  }
  for (const llvm::StringRef name : kReplaced) {
    llvm::Function* own = module.getFunction(name);
    if (own == nullptr || own->isDeclaration()) continue;
    own->deleteBody();
    own->setComdat(nullptr);
  }
  // What else the program defines itself is not modelled.
  for (llvm::Function& function : *models) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      // Inlined where exceptions are caught, calls become others, that keep their attributes.
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        call->addFnAttr(llvm::Attribute::get(module.getContext(), kOfModel));
      } else {
        instruction.setMetadata(kOfModel, llvm::MDNode::get(module.getContext(), {}));
      }
    }
    const llvm::Function* own = module.getFunction(function.getName());
    if (!function.isDeclaration() && own != nullptr && !own->isDeclaration()) function.deleteBody();
    if (!function.isDeclaration() && own == nullptr && function.getName() != "__norn_exit")
      function.setLinkage(llvm::GlobalValue::LinkOnceAnyLinkage);
  }
  [[maybe_unused]] const bool failed = llvm::Linker::linkModules(module, std::move(models));
  assert(!failed);
  make_main(module);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.hasLocalLinkage() && function.getName() != kMain)
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

}  // namespace norn::statics
