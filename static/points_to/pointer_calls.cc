// What calls say of pointers: of functions that are seen, of the libraries, of threads.
#include <algorithm>
#include <cassert>
#include <numeric>

#include "compiler/analysis/library.h"
#include "llvm/ADT/StringSwitch.h"
#include "static/points_to/pointer_solver.h"
#include "static/points_to/virtual_tables.h"
#include "static/program/library_models.h"

namespace norn::statics {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

// What a function of the C library hands to the kernel, or takes of it.
struct Passing {
  enum class Way : uint8_t { kNone, kSends, kSendsValue, kReceives } way = Way::kNone;
  unsigned argument = 0;
  unsigned length = 0;  // the argument that says it
  int64_t size = 0;     // 0: that one does
};

namespace {

Passing passing_of(llvm::StringRef name) {
  constexpr int64_t kSignal = 128;  // sizeof(siginfo_t)
  constexpr int64_t kEvent = 12;    // sizeof(epoll_event)
  using Way = Passing::Way;
  return llvm::StringSwitch<Passing>(name)
      .Cases("write", "pwrite", "pwrite64", "send", "sendto", "mq_send", "mq_timedsend", "msgsnd",
             Passing{Way::kSends, 1, 2, 0})
      .Cases("read", "pread", "pread64", "recv", "recvfrom", "mq_receive", "mq_timedreceive", "msgrcv",
             Passing{Way::kReceives, 1, 2, 0})
      .Case("fwrite", Passing{Way::kSends, 0, 1, 0})
      .Case("fread", Passing{Way::kReceives, 0, 1, 0})
      .Cases("sigqueue", "pthread_sigqueue", Passing{Way::kSendsValue, 2, 0, PointerSolver::kPointerBytes})
      .Cases("sigwaitinfo", "sigtimedwait", Passing{Way::kReceives, 1, 0, kSignal})
      .Case("epoll_ctl", Passing{Way::kSends, 3, 0, kEvent})
      .Cases("epoll_wait", "epoll_pwait", "epoll_pwait2", Passing{Way::kReceives, 1, 0, kEvent})
      .Default({});
}

}  // namespace

void PointerSolver::read_call(const llvm::CallBase& call) {
  if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) return read_intrinsic(*intrinsic);
  if (call.isInlineAsm()) {
    for (const llvm::Use& argument : call.args()) {
      if (carries_pointers(call.getType()) && carries_pointers(argument->getType()))
        copy(node_of(argument.get()), node_of(&call));
      if (carries_pointers(call.getType()) && argument->getType()->isPointerTy())
        load_node(node_of(argument.get()), node_of(&call), kPointerBytes);
    }
    return;
  }
  const auto* callee = dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  if (callee == nullptr) {
    const Node node = node_of(call.getCalledOperand());
    nodes_[find(node)].calls.push_back(&call);
    look_again(node);
  } else if (callee->isDeclaration()) {
    read_library_call(call, *callee);
  } else {
    connect(call, *callee);
  }
}

PointerSolver::Node PointerSolver::rest_of(const llvm::Function& function) {
  const auto [known, first] = rests_.try_emplace(&function, 0);
  if (first) {
    const ObjectId object = new_object(ObjectKind::kStack, &function, kEndless);
    add_region(object, {0, kEndless, 1});
    const Node node = new_node();
    add(node, location(object, 0));
    rests_[&function] = node;
  }
  return rests_[&function];
}

void PointerSolver::connect(const llvm::CallBase& call, const llvm::Function& callee) {
  if (!connected_.insert({&call, &callee}).second) return;
  callees_[&call].push_back(&callee);
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Value* given = call.getArgOperand(i);
    if (!carries_pointers(given->getType()) || isa<llvm::ConstantData>(given)) continue;
    if (i >= callee.arg_size()) {
      if (callee.isVarArg()) store_node(node_of(given), rest_of(callee), kPointerBytes);
    } else if (callee.getArg(i)->hasByValAttr()) {
      copy_block(given, callee.getArg(i), nullptr);
    } else if (carries_pointers(callee.getArg(i)->getType())) {
      copy(node_of(given), node_of(callee.getArg(i)));
    }
  }
  if (carries_pointers(call.getType()) && carries_pointers(callee.getReturnType())) connect_result(call, callee);
}

// What a call gets of what the function returns: of what that allocates an object of its own, unless it is returned
// again, and of its parameters what this call gave.
void PointerSolver::connect_result(const llvm::CallBase& call, const llvm::Function& callee) {
  const ReturnSources* sources = returned_sources_.of(callee);
  const Node node = node_of(&call);
  if (sources == nullptr || !call.getType()->isPointerTy()) return copy(returned_by(callee), node);
  if (!sources->others.empty() || !sources->others_of.empty()) copy(others_of(callee), node);
  for (const auto& [number, offset] : sources->parameters) {
    if (number >= call.arg_size() || !carries_pointers(call.getArgOperand(number)->getType())) continue;
    if (const Value* given = call.getArgOperand(number); !isa<llvm::ConstantData>(given))
      add_step(node_of(given), node, {offset, false, {0, 0, 0}});
  }
  if (sources->fresh.empty() || returned_sources_.is_wrapped(call)) return;
  const int64_t known = ReturnedSources::size_of(call, *sources);
  const int64_t size = known < 0 ? kEndless : known;
  if (!allocated_.contains(&call)) allocated_[&call] = new_object(ObjectKind::kHeap, &call, size);
  const ObjectId object = allocated_[&call];
  objects_[object].size = std::max(objects_[object].size, size);  // a call through a pointer may mean several
  objects_[object].info.many |= sources->makes_many;
  add(objects_of_calls(callee), location(object, 0));
  for (const int64_t offset : sources->fresh) add(node, location(object, offset));
}

PointerSolver::Node PointerSolver::objects_of_calls(const llvm::Function& function) {
  const auto [known, first] = of_calls_.try_emplace(&function, 0);
  if (!first) return known->second;
  const Node node = new_node();
  of_calls_[&function] = node;
  const ReturnSources& sources = *returned_sources_.of(function);
  for (const llvm::CallBase* call : sources.allocations) copy(node, node_of(call));
  for (const llvm::CallBase* call : sources.wrapped) {
    const auto& inner = *cast<llvm::Function>(call->getCalledOperand()->stripPointerCastsAndAliases());
    copy(node, objects_of_calls(inner));
    for (const int64_t offset : returned_sources_.of(inner)->fresh)
      add_step(node, node_of(call), {offset, false, {0, 0, 0}});
  }
  // Who else calls it has one together: libraries, threads.
  const auto is_call = [](const llvm::Use& use) {
    const auto* call = dyn_cast<llvm::CallBase>(use.getUser());
    return call != nullptr && call->isCallee(&use);
  };
  const bool others = function.use_empty() || !llvm::all_of(function.uses(), is_call);
  if (const llvm::CallBase* origin = sources.allocations.empty() ? nullptr : sources.allocations.front();
      others && origin != nullptr) {
    const ObjectId object = new_object(ObjectKind::kHeap, origin, kEndless);
    objects_[object].info.many = sources.makes_many;
    add(node, location(object, 0));
  }
  return node;
}

PointerSolver::Node PointerSolver::others_of(const llvm::Function& function) {
  const auto [known, first] = others_.try_emplace(&function, 0);
  if (!first) return known->second;
  const Node node = new_node();
  others_[&function] = node;
  const ReturnSources& sources = *returned_sources_.of(function);
  for (const auto& [value, offset] : sources.others) add_step(node_of(value), node, {offset, false, {0, 0, 0}});
  for (const auto& [inner, offset] : sources.others_of) add_step(others_of(*inner), node, {offset, false, {0, 0, 0}});
  return node;
}

// The functions that virtual tables have in them.
void PointerSolver::find_virtual(const llvm::Constant& part) {
  if (const auto* function = dyn_cast<llvm::Function>(part.stripPointerCastsAndAliases())) {
    virtual_.insert(function);
  } else if (isa<llvm::ConstantAggregate>(part)) {
    for (const llvm::Use& each : part.operands()) find_virtual(*cast<llvm::Constant>(each.get()));
  }
}

// Whether a call through a pointer may mean the function: it takes what is given. A call whose type says nothing of
// parameters (K&R) may mean any.
bool PointerSolver::is_called_as(const llvm::Function& function, const llvm::FunctionType& call) const {
  const llvm::FunctionType& own = *function.getFunctionType();
  const auto alike = [&](llvm::Type* one, llvm::Type* other) {
    if (one == other) return true;
    return (one->isPointerTy() || one->isIntegerTy(64)) && (other->isPointerTy() || other->isIntegerTy(64));
  };
  if (call.isVarArg()) return own.isVarArg() || own.getNumParams() >= call.getNumParams();
  if (!call.getReturnType()->isVoidTy() && !alike(call.getReturnType(), own.getReturnType())) return false;
  if (own.isVarArg() ? own.getNumParams() > call.getNumParams() : own.getNumParams() != call.getNumParams())
    return false;
  for (unsigned i = 0; i < own.getNumParams(); ++i) {
    if (!alike(own.getParamType(i), call.getParamType(i))) return false;
  }
  return true;
}

// What a call through a pointer, or one that is given a function, means for one of the functions.
void PointerSolver::connect_indirect(const llvm::CallBase& call, const Value* target) {
  const auto* function = cast<llvm::Function>(target);
  const llvm::Function* callee = call.getCalledFunction();
  if (callee != nullptr && callee->isDeclaration()) {
    if (callee->getName() == kFork || callee->getName() == kForkTask || callee->getName() == kForkTeam)
      return connect_thread(call, *callee, *function);
    return connect_callback(call, *function);
  }
  if (function->isDeclaration()) {
    if (is_called_as(*function, *call.getFunctionType()) && called_of_library_.insert({&call, function}).second)
      read_library_call(call, *function);
    return;
  }
  if (is_virtual_call(call) && !virtual_.contains(function)) return;
  if (is_called_as(*function, *call.getFunctionType())) connect(call, *function);
}

void PointerSolver::connect_thread(const llvm::CallBase& call, const llvm::Function& kind,
                                   const llvm::Function& function) {
  if (function.isDeclaration()) return;
  std::vector<const llvm::Function*>& known = created_[&call];
  if (llvm::is_contained(known, &function)) return;
  known.push_back(&function);
  const auto give = [&](const Value* given, unsigned parameter) {
    if (parameter < function.arg_size() && carries_pointers(given->getType()) &&
        carries_pointers(function.getArg(parameter)->getType()) && !isa<llvm::ConstantData>(given))
      copy(node_of(given), node_of(function.getArg(parameter)));
  };
  if (kind.getName() == kForkTeam) {
    for (unsigned i = 3; i < call.arg_size(); ++i) give(call.getArgOperand(i), i - 1);
    return;
  }
  const ObjectId thread = new_object(ObjectKind::kThread, &call, kPointerBytes);
  objects_[thread].info.target = &function;
  const Node name = new_node();
  add(name, location(thread, 0));
  if (kind.getName() == kForkTask) return give(call.getArgOperand(1), 1);
  give(call.getArgOperand(1), 0);
  if (!isa<llvm::ConstantData>(call.getArgOperand(2))) store_node(name, node_of(call.getArgOperand(2)), kPointerBytes);
  if (carries_pointers(function.getReturnType())) copy(returned_by(function), content(location(thread, 0)));
}

// A library calls what it was given, with what it was given.
void PointerSolver::connect_callback(const llvm::CallBase& call, const llvm::Function& function) {
  if (function.isDeclaration()) return;
  std::vector<const llvm::Function*>& known = callees_[&call];
  if (llvm::is_contained(known, &function)) return;
  known.push_back(&function);
  for (const llvm::Use& given : call.args()) {
    if (!carries_pointers(given->getType()) || isa<llvm::ConstantData>(given.get())) continue;
    for (const llvm::Argument& parameter : function.args()) {
      if (carries_pointers(parameter.getType()) && !parameter.hasByValAttr())
        copy(node_of(given.get()), node_of(&parameter));
    }
  }
}

void PointerSolver::allocate(const llvm::CallBase& call, int64_t size) {
  if (!carries_pointers(call.getType())) return;
  if (const ReturnSources* sources = returned_sources_.of(*call.getFunction());
      sources != nullptr && llvm::is_contained(sources->allocations, &call))
    return;  // its object is that of the call of this function
  if (!allocated_.contains(&call)) allocated_[&call] = new_object(ObjectKind::kHeap, &call, size);
  add(node_of(&call), location(allocated_[&call], 0));
}

int64_t PointerSolver::allocated_size(const llvm::CallBase& call, llvm::StringRef name) {
  const auto number = [&](unsigned i) -> int64_t {
    const auto* constant = i < call.arg_size() ? dyn_cast<llvm::ConstantInt>(call.getArgOperand(i)) : nullptr;
    return constant == nullptr ? kEndless : static_cast<int64_t>(constant->getZExtValue());
  };
  if (name == "malloc" || name.starts_with("_Znwm") || name.starts_with("_Znam")) return number(0);
  if (name == "calloc" && number(0) != kEndless && number(1) != kEndless && number(1) < kFarthest)
    return number(0) * number(1);
  return kEndless;
}

void PointerSolver::read_library_call(const llvm::CallBase& call, const llvm::Function& callee) {
  const llvm::StringRef name = callee.getName();
  if (name == kJoin) return;
  if (name == kFork || name == kForkTask || name == kForkTeam) {
    const Node node = node_of(call.getArgOperand(name == kForkTeam ? 2 : 0));
    nodes_[find(node)].calls.push_back(&call);
    return look_again(node);
  }
  switch (compiler::library_role(name)) {
    case compiler::LibraryRole::kAllocates:
      return allocate(call, allocated_size(call, name));
    case compiler::LibraryRole::kReallocates:
      allocate(call);
      return copy(node_of(call.getArgOperand(0)), node_of(&call));
    case compiler::LibraryRole::kFrees:
      return;
    case compiler::LibraryRole::kString:
    case compiler::LibraryRole::kStringMoves:
      return read_string_call(call);
    case compiler::LibraryRole::kLooks:
    case compiler::LibraryRole::kUnknown:
      break;
  }
  if ((name == "memcpy" || name == "memmove" || name == "__memcpy_chk" || name == "__memmove_chk") &&
      call.arg_size() >= 3) {
    copy_block(call.getArgOperand(1), call.getArgOperand(0), call.getArgOperand(2));
    return copy(node_of(call.getArgOperand(0)), node_of(&call));
  }
  if (const Passing passing = passing_of(name); passing.way != Passing::Way::kNone) pass_by_kernel(call, passing);
  if (name == "__cxa_allocate_exception") return allocate(call);
  if (name == "__cxa_throw") return copy(node_of(call.getArgOperand(0)), exceptions_);
  if (name == "__dynamic_cast") {
    return add_step(node_of(call.getArgOperand(0)), node_of(&call), {-1, true, {0, kEndless, 8}});
  }
  if (name.starts_with("__kmpc_reduce")) return;  // what it calls is ordered by OpenMP
  const bool returns = carries_pointers(call.getType());
  const bool may_call = compiler::thread_role(name) == compiler::ThreadRole::kMayCreate;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Value* given = call.getArgOperand(i);
    if (!given->getType()->isPointerTy() || isa<llvm::ConstantData>(given)) continue;
    const Node node = node_of(given);
    // A member of the C++ library does not call its object.
    const bool is_object = i == 0 && (name.starts_with("_ZNSt") || name.starts_with("_ZNKSt"));
    if (may_call && !is_object) {
      nodes_[find(node)].calls.push_back(&call);
      look_again(node);
    }
    if (returns && call.getType()->isPointerTy() && !call.returnDoesNotAlias()) copy(node, node_of(&call));
  }
  if (!returns || !call.getType()->isPointerTy()) return;
  if (call.returnDoesNotAlias() || name == "mmap" || name == "mmap64") return allocate(call);
  if (!of_origin_.contains(&callee)) new_object(ObjectKind::kFunction, &callee, 1);
  if (of_origin_[&callee].size() < 2) new_object(ObjectKind::kForeign, &callee, kEndless);
  add(node_of(&call), location(of_origin_[&callee][1], 0));
}

// What is sent may be received by any that receives: pipes, sockets, queues and signals are not told apart. Only
// blocks of few bytes count, as many as is known; longer ones are texts.
void PointerSolver::pass_by_kernel(const llvm::CallBase& call, const Passing& passing) {
  constexpr int64_t kLongest = 256;
  if (passing.argument >= call.arg_size()) return;
  int64_t size = passing.size;
  if (size == 0) {
    const auto* length =
        passing.length < call.arg_size() ? dyn_cast<llvm::ConstantInt>(call.getArgOperand(passing.length)) : nullptr;
    if (length == nullptr || length->getZExtValue() > static_cast<uint64_t>(kLongest)) return;
    size = static_cast<int64_t>(length->getZExtValue());
  }
  if (kernel_ == 0) {
    const ObjectId object = new_object(ObjectKind::kForeign, call.getCalledFunction(), kEndless);
    add_region(object, {0, kEndless, 1});
    kernel_ = new_node();
    add(kernel_, location(object, 0));
  }
  const Value* given = call.getArgOperand(passing.argument);
  if (!carries_pointers(given->getType()) || isa<llvm::ConstantData>(given)) return;
  switch (passing.way) {
    case Passing::Way::kSends:
      return copy_block(node_of(given), kernel_, size);
    case Passing::Way::kReceives:
      return copy_block(kernel_, node_of(given), size);
    case Passing::Way::kSendsValue:
      return store_node(node_of(given), kernel_, kPointerBytes);
    case Passing::Way::kNone:
      return;
  }
}

// A member of std::string: may give it a new buffer; returns itself, a new buffer, or a place in the old one.
void PointerSolver::read_string_call(const llvm::CallBase& call) {
  if (call.arg_size() == 0 || !call.getArgOperand(0)->getType()->isPointerTy()) return;
  if (!allocated_.contains(&call)) allocated_[&call] = new_object(ObjectKind::kHeap, &call, kEndless);
  const Node buffer = new_node();
  add(buffer, location(allocated_[&call], 0));
  const Node self = node_of(call.getArgOperand(0));
  add_step(self, buffer, {16, false, {0, 0, 0}});
  store_node(buffer, self, kPointerBytes);
  if (!call.getType()->isPointerTy()) return;
  copy(buffer, node_of(&call));
  copy(self, node_of(&call));
  load_node(self, node_of(&call), kPointerBytes);
}

void PointerSolver::read_intrinsic(const llvm::IntrinsicInst& intrinsic) {
  if (const auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(&intrinsic))
    return copy_block(transfer->getRawSource(), transfer->getRawDest(), transfer->getLength());
  if (isa<llvm::AnyMemSetInst>(intrinsic)) return;
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_gather:
    case llvm::Intrinsic::masked_expandload:
      return load(intrinsic.getArgOperand(0), &intrinsic);
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_scatter:
    case llvm::Intrinsic::masked_compressstore:
      return store(intrinsic.getArgOperand(0), intrinsic.getArgOperand(1));
    case llvm::Intrinsic::vastart: {
      const Node list = node_of(intrinsic.getArgOperand(0));
      const Node inner = new_node();
      for (const int64_t at : {8, 16}) {
        const Node slot = new_node();
        add_step(list, slot, {at, false, {0, 0, 0}});
        store_node(rest_of(*intrinsic.getFunction()), slot, kPointerBytes);
      }
      copy(list, inner);
      return;
    }
    case llvm::Intrinsic::vacopy:
      return copy_block(intrinsic.getArgOperand(1), intrinsic.getArgOperand(0), nullptr);
    default:
      break;
  }
  if (!carries_pointers(intrinsic.getType())) return;
  for (const llvm::Use& argument : intrinsic.args()) {
    if (carries_pointers(argument->getType()) && !isa<llvm::ConstantData>(argument.get()))
      copy(node_of(argument.get()), node_of(&intrinsic));
  }
}

}  // namespace norn::statics
