// What each pointer of a program may point to: by inclusion (Andersen, Program Analysis and Specialization for the C
// Programming Language, 1994, §4), flow- and context-insensitive, fields told apart by their offsets, calls through
// pointers and virtual tables resolved while it is solved. Cycles of copies are collapsed, as in wave propagation
// (Pereira and Berlin, Wave Propagation and Deep Propagation for Pointer Analysis, CGO 2009). Deviations: sets hold
// locations (an object and an offset) rather than variables; cycles are looked for when enough was passed on, not
// before each wave.
//
// An object is a variable, a call that allocates (the outermost one, if functions return what they allocate:
// return_sources.h), a function, a thread that is created (its handle points to it), or
// what a function that is not seen returns. Elements of an array that are reached by an index that is not a constant
// are one: from then on all offsets of the array count modulo the size of an element.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace norn::statics {

using ObjectId = unsigned;

enum class ObjectKind : uint8_t { kGlobal, kThreadLocal, kStack, kHeap, kFunction, kThread, kForeign };

struct ObjectInfo {
  ObjectKind kind;
  const llvm::Value* origin;               // the variable, the call that allocates or creates, the function
  const llvm::Function* target = nullptr;  // of a thread: what it runs
  bool many = false;                       // its origin may make several each time that it is executed
};

struct PointedTo {
  ObjectId object;
  int64_t offset;
  int64_t period;  // it is one of the bytes at offset + k * period; 0: that one
  friend auto operator<=>(const PointedTo&, const PointedTo&) = default;
};

class PointerSolver;

class PointsTo final {
 public:
  explicit PointsTo(llvm::Module& module);
  ~PointsTo();
  PointsTo(const PointsTo&) = delete;
  PointsTo& operator=(const PointsTo&) = delete;

  [[nodiscard]] const std::vector<PointedTo>& of(const llvm::Value* pointer) const;
  [[nodiscard]] const ObjectInfo& object(ObjectId object) const;
  [[nodiscard]] size_t objects() const;
  // The objects that a pointer is made for, those included that it stands behind the end of.
  [[nodiscard]] const std::vector<ObjectId>& objects_at(const llvm::Value* pointer) const;
  // Where in memory there are pointers to these objects.
  [[nodiscard]] std::map<ObjectId, std::vector<PointedTo>> holders_of(const std::set<ObjectId>& wanted) const;
  // The objects that an object's memory points to: lists, those that are equal at one address.
  [[nodiscard]] const std::vector<const std::vector<ObjectId>*>& contents_of(ObjectId object) const;
  // These objects, and all that is pointed to from there on.
  [[nodiscard]] std::vector<bool> reached_from(std::vector<ObjectId> open) const;
  // Where a variable, or what a call allocates, is.
  [[nodiscard]] const std::vector<ObjectId>& objects_of(const llvm::Value* origin) const;

  // Whether all that a call returns is memory that it allocates.
  [[nodiscard]] bool returns_fresh(const llvm::CallBase& call) const;
  // Functions that are taken for allocators because they are declared or named so.
  [[nodiscard]] std::vector<const llvm::Function*> trusted_allocators() const;

  // What a call may call that is seen here; of one that creates a thread: nothing.
  [[nodiscard]] const std::vector<const llvm::Function*>& callees(const llvm::CallBase& call) const;
  // What the threads that a call creates may run.
  [[nodiscard]] const std::vector<const llvm::Function*>& created(const llvm::CallBase& call) const;

  struct Figures {
    size_t nodes = 0;
    size_t objects = 0;
    size_t collapsed = 0;
    size_t passed_on = 0;
  };
  [[nodiscard]] Figures figures() const;

 private:
  std::unique_ptr<PointerSolver> solver_;
  mutable std::vector<std::optional<std::vector<const std::vector<ObjectId>*>>> contents_;  // by object, once asked for
};

}  // namespace norn::statics
