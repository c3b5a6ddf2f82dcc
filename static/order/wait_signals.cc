#include "static/order/wait_signals.h"

#include <algorithm>

#include "compiler/emit/labels.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "static/program/library_accesses.h"
#include "static/program/linked_program.h"
#include "static/program/lock_calls.h"

namespace norn::statics {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

constexpr uint64_t kSemaphore = 32;   // sizeof(sem_t)
constexpr size_t kMostPlaces = 64;    // that a store tells apart
constexpr size_t kMostSignals = 256;  // of one cell

llvm::StringRef library_name(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->isDeclaration() ? callee->getName() : "";
}

bool releases(llvm::AtomicOrdering order) { return llvm::isReleaseOrStronger(order); }

bool releases(const llvm::Instruction& instruction) {
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) return releases(store->getOrdering());
  if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) return releases(update->getOrdering());
  if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return releases(exchange->getSuccessOrdering());
  return false;
}

bool spins(const llvm::Instruction& instruction) {
  return llvm::any_of(Program::uses(instruction), [](const SiteUse& use) {
    return (use.flags & compiler::kLabelSpins) != 0 && (use.flags & compiler::kLabelAtomic) == 0;
  });
}

}  // namespace

Signals::Signals(const PointsTo& points_to, const Threads& threads, const Locks& locks)
    : points_to_(points_to), threads_(threads), locks_(locks) {
  if (threads.all().size() < 2) return;
  collect();
  find_waits();
}

bool Signals::is_one(ObjectId object) const {
  const ObjectInfo& info = points_to_.object(object);
  if (info.kind == ObjectKind::kGlobal) return true;
  if (info.kind != ObjectKind::kStack && info.kind != ObjectKind::kHeap) return false;
  const auto* instruction = dyn_cast<llvm::Instruction>(info.origin);
  return instruction != nullptr && !info.many && threads_.is_once(*instruction);
}

// What is written in a way that is not understood is no cell.
void Signals::spoil(const Value* address) {
  const std::vector<PointedTo>& places = points_to_.of(address);
  if (!spoiled_.insert(&places).second) return;
  for (const PointedTo& to : places) {
    if (!is_wanted(to)) continue;
    wanted_[to.object] = false;
    const auto begin = by_place_.lower_bound({to.object, INT64_MIN});
    by_place_.erase(begin, by_place_.lower_bound({to.object + 1, INT64_MIN}));
  }
}

void Signals::add_store(int thread, const llvm::Instruction& instruction, const Value* address, uint64_t size,
                        const llvm::ConstantInt* value) {
  const std::vector<PointedTo>& places = points_to_.of(address);
  if (places.size() > kMostPlaces) return spoil(address);
  const bool early = thread == 0 && !threads_.is_shared_time(thread, instruction);
  for (const PointedTo& to : places) {
    if (!is_wanted(to)) continue;
    Cell& cell = by_place_[{to.object, to.offset}];
    if (cell.size == 0) cell.size = size;
    cell.is_cell &= to.period == 0 && cell.size == size && size <= 8;
    if (early && value != nullptr) {
      cell.first.push_back(value->getValue());
    } else if (early || cell.signals.size() >= kMostSignals) {
      cell.is_cell = false;
    } else {
      cell.signals.push_back({thread, &instruction});
    }
  }
}

void Signals::collect(int thread, const llvm::Instruction& instruction) {
  const llvm::DataLayout& layout = instruction.getDataLayout();
  const auto size_of = [&](const Value* value) { return layout.getTypeStoreSize(value->getType()).getFixedValue(); };
  if (const auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
    add_store(thread, instruction, store->getPointerOperand(), size_of(store->getValueOperand()),
              dyn_cast<llvm::ConstantInt>(store->getValueOperand()));
  } else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    const bool sets = update->getOperation() == llvm::AtomicRMWInst::Xchg;
    add_store(thread, instruction, update->getPointerOperand(), size_of(update->getValOperand()),
              sets ? dyn_cast<llvm::ConstantInt>(update->getValOperand()) : nullptr);
  } else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    add_store(thread, instruction, exchange->getPointerOperand(), size_of(exchange->getNewValOperand()),
              dyn_cast<llvm::ConstantInt>(exchange->getNewValOperand()));
  } else if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
    if (!load->getType()->isIntegerTy()) return;
    const std::vector<PointedTo>& to = points_to_.of(load->getPointerOperand());
    if (to.size() > 1 && !loaded_.insert({&to, size_of(load)}).second) return;
    for (const PointedTo& each : to) {
      if (!is_wanted(each)) continue;
      Cell& cell = by_place_[{each.object, each.offset}];
      if (cell.size == 0) cell.size = size_of(load);
      if (cell.size != size_of(load)) cell.is_cell = false;
      if (to.size() == 1 && (cell.loads.empty() || cell.loads.back() != load)) cell.loads.push_back(load);
    }
  } else if (const auto* memory = dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
    // Of what is cleared before there are threads, the first value is 0.
    const auto* set = dyn_cast<llvm::AnyMemSetInst>(memory);
    const auto* byte = set == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(set->getValue());
    if (byte != nullptr && byte->isZero() && thread == 0 && !threads_.is_shared_time(thread, instruction)) {
      for (const PointedTo& to : points_to_.of(memory->getRawDest())) cleared_.insert(to.object);
      return;
    }
    spoil(memory->getRawDest());
  } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
    const llvm::StringRef name = library_name(*call);
    if (name == "sem_post" || name == "sem_init" || name == "sem_wait" || waits_by_result(name)) {
      const auto* count = name == "sem_init" ? dyn_cast<llvm::ConstantInt>(call->getArgOperand(2)) : nullptr;
      const bool early = thread == 0 && !threads_.is_shared_time(thread, instruction);
      const std::vector<PointedTo>& to = points_to_.of(call->getArgOperand(0));
      for (const PointedTo& each : to) {
        if (!is_wanted(each)) continue;
        Cell& cell = by_place_[{each.object, each.offset}];
        if (cell.size == 0) cell.size = kSemaphore;
        cell.is_cell &= each.period == 0 && cell.size == kSemaphore;
        cell.is_semaphore = true;
        if (name == "sem_init") {
          cell.is_cell &= early && count != nullptr && count->isZero();
          cell.first.push_back(llvm::APInt(32, 0));
        } else if (name == "sem_post") {
          cell.signals.push_back({thread, &instruction});
        } else if (to.size() == 1) {
          cell.loads.push_back(call);
        }
      }
      return;
    }
    for (const LibraryAccess& access : library_accesses(*call)) {
      if (access.write && !access.frees) spoil(call->getArgOperand(access.argument));
    }
  }
}

// Who waits knows for which place; of all else nothing need be known.
void Signals::find_wanted() {
  wanted_.assign(points_to_.objects(), false);
  const auto want = [&](const Value* address) {
    const std::vector<PointedTo>& to = points_to_.of(address);
    if (to.size() == 1) wanted_[to.front().object] = true;
  };
  for (const Thread& thread : threads_.all()) {
    for (const llvm::Function* function : thread.functions) {
      for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
        if (const auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
          if (load->getType()->isIntegerTy()) want(load->getPointerOperand());
        } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
          const llvm::StringRef name = library_name(*call);
          if (name == "sem_wait" || waits_by_result(name)) want(call->getArgOperand(0));
        }
      }
    }
  }
}

void Signals::collect() {
  find_wanted();
  for (size_t number = 0; number < threads_.all().size(); ++number) {
    for (const llvm::Function* function : threads_.all()[number].functions) {
      for (const llvm::Instruction& instruction : llvm::instructions(*function))
        collect(static_cast<int>(number), instruction);
    }
  }
}

// The load and all signals hold one lock.
bool Signals::share_a_lock(const Cell& cell, const llvm::Instruction& load) const {
  std::set<unsigned> common;
  bool first = true;
  const auto meet = [&](int thread, const llvm::Instruction& instruction) {
    if (!first && common.empty()) return;
    const auto [known, unknown] = held_.try_emplace({thread, &instruction});
    std::set<unsigned>& held = known->second;
    if (unknown) {
      for (const HeldLock& lock : locks_.held(thread, instruction)) {
        if (locks_.is_object(lock.name)) held.insert(lock.name);
      }
    }
    if (first) {
      common = held;
    } else {
      std::erase_if(common, [&](unsigned name) { return !held.contains(name); });
    }
    first = false;
  };
  for (const Signal& signal : cell.signals) meet(signal.thread, *signal.instruction);
  for (const Signal& signal : cell.later) meet(signal.thread, *signal.instruction);
  for (size_t number = 0; number < threads_.all().size() && !common.empty(); ++number) {
    if (llvm::is_contained(threads_.all()[number].functions, load.getFunction())) meet(static_cast<int>(number), load);
  }
  return !common.empty();
}

bool Signals::is_ordered(const Cell& cell, const llvm::Instruction& load) const {
  if (cell.is_semaphore) return true;
  const auto* loaded = dyn_cast<llvm::LoadInst>(&load);
  if (loaded == nullptr) return false;
  const auto releases_it = [](const Signal& signal) { return releases(*signal.instruction); };
  if (loaded->isAtomic()) {
    return llvm::isAcquireOrStronger(loaded->getOrdering()) && llvm::all_of(cell.signals, releases_it) &&
           llvm::all_of(cell.later, releases_it);
  }
  return spins(load) || share_a_lock(cell, load);
}

void Signals::find_waits() {
  for (auto& [place, cell] : by_place_) {
    if (!cell.is_cell || cell.signals.empty() || cell.loads.empty() || !is_one(place.first)) continue;
    // Nothing else of the object overlaps it.
    const auto next = std::next(by_place_.find(place));
    if (next != by_place_.end() && next->first.first == place.first &&
        next->first.second < place.second + static_cast<int64_t>(cell.size))
      continue;
    if (place != by_place_.begin()->first) {
      const auto before = std::prev(by_place_.find(place));
      if (before->first.first == place.first &&
          before->first.second + static_cast<int64_t>(before->second.size) > place.second)
        continue;
    }
    const auto bits = static_cast<unsigned>(cell.size * 8);
    if (!cell.is_semaphore) {
      for (llvm::APInt& value : cell.first) value = value.zextOrTrunc(bits);
      if (const auto* global = dyn_cast<llvm::GlobalVariable>(points_to_.object(place.first).origin)) {
        if (!global->hasInitializer()) continue;
        llvm::Type* type = llvm::Type::getIntNTy(global->getContext(), bits);
        const llvm::Constant* value = llvm::ConstantFoldLoadFromConst(
            const_cast<llvm::Constant*>(global->getInitializer()), type,
            llvm::APInt(64, static_cast<uint64_t>(place.second)), global->getDataLayout());
        const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
        if (number == nullptr) continue;
        cell.first.push_back(number->getValue());
      } else if (cleared_.contains(place.first)) {
        cell.first.push_back(llvm::APInt(bits, 0));
      }
      // What is stored again of the first values signals nothing.
      std::erase_if(cell.signals, [&](const Signal& signal) {
        const Value* stored = nullptr;
        if (const auto* store = dyn_cast<llvm::StoreInst>(signal.instruction)) stored = store->getValueOperand();
        const auto* number = stored == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(stored);
        return number != nullptr && llvm::is_contained(cell.first, number->getValue().zextOrTrunc(bits));
      });
    }
    if (cell.first.empty() || cell.signals.empty()) continue;
    for (const Signal& signal : cell.signals) {
      if (threads_.is_single(signal.thread) && !llvm::is_contained(cell.not_tried, signal.thread))
        cell.not_tried.push_back(signal.thread);
    }
    constexpr size_t kMostTried = 4;
    if (cell.not_tried.size() > kMostTried || !choose_signaller(cell)) continue;
    cell.object = place.first;
    cell.offset = place.second;
    bool waited = false;
    for (const llvm::Instruction* load : cell.loads) {
      if (!is_ordered(cell, *load)) continue;
      cell.is_atomic |= load->isAtomic();
      waits_[load] = {static_cast<unsigned>(cells_.size()), cell.is_semaphore, cell.first};
      waited = true;
    }
    if (waited) cells_.push_back(cell);
  }
}

// Takes the next thread that the signals may be of; the others signal after they waited, as is assumed.
bool Signals::choose_signaller(Cell& cell) const {
  if (cell.not_tried.empty()) return false;
  const int thread = cell.not_tried.back();
  cell.not_tried.pop_back();
  std::vector<Signal> all = std::move(cell.signals);
  all.insert(all.end(), cell.later.begin(), cell.later.end());
  cell.signals.clear();
  cell.later.clear();
  for (const Signal& signal : all) (signal.thread == thread ? cell.signals : cell.later).push_back(signal);
  return true;
}

bool Signals::confirm(const Locks& with_waits) {
  bool confirmed = true;
  for (unsigned number = 0; number < cells_.size(); ++number) {
    Cell& cell = cells_[number];
    const bool holds = llvm::all_of(cell.later, [&](const Signal& signal) {
      return with_waits.waited(with_waits.held(signal.thread, *signal.instruction)).contains(number);
    });
    if (holds) continue;
    confirmed = false;
    if (choose_signaller(cell)) continue;
    cell.later.clear();
    for (auto wait = waits_.begin(); wait != waits_.end();)
      wait = wait->second.cell == number ? waits_.erase(wait) : std::next(wait);
  }
  return confirmed;
}

const Region& Signals::after(int thread, const llvm::Instruction& instruction) const {
  const auto [known, fresh] = after_.try_emplace({thread, &instruction});
  if (fresh) threads_.walk_after(thread, instruction, known->second);
  return known->second;
}

bool Signals::precedes(unsigned number, int thread, const llvm::Instruction& instruction) const {
  const Cell& cell = cells_[number];
  const int signaller = cell.signals.front().thread;
  const auto before = [&](const Signal& signal) {
    if (thread == signaller) return !after(thread, *signal.instruction).has(instruction);
    return threads_.precedes(thread, instruction, signaller, *signal.instruction);
  };
  return std::all_of(cell.signals.begin(), cell.signals.end(), before);
}

void Signals::close(std::set<unsigned>& waited, const Locks& with_waits) const {
  std::vector<unsigned> open(waited.begin(), waited.end());
  while (!open.empty()) {
    const Cell& cell = cells_[open.back()];
    open.pop_back();
    std::set<unsigned> common;
    bool first = true;
    for (const Signal& signal : cell.signals) {
      std::set<unsigned> here = with_waits.waited(with_waits.held(signal.thread, *signal.instruction));
      if (first) {
        common = std::move(here);
      } else {
        std::erase_if(common, [&](unsigned each) { return !here.contains(each); });
      }
      first = false;
    }
    for (const unsigned each : common) {
      if (waited.insert(each).second) open.push_back(each);
    }
  }
}

}  // namespace norn::statics
