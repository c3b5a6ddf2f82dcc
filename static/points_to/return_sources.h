// Where what a function returns comes from, as far as its own code shows: memory that it allocates, its parameters,
// what it calls, or anything else. So a call need not be told what other calls of the same function got:
//
//     void *xmalloc(size_t n) { void *p = malloc(n); if (!p) die(); return p; }      fresh: each call has its own
//     object list *append(list *l, item *i) { if (!l) l = xmalloc(…); …; return l; }        fresh, or parameter 0
//
// Heap objects are then named by the outermost such call: heap cloning, as by Nystrom, Kim and Hwu (Importance of Heap
// Specialization in Pointer Analysis, PASTE 2004), but for this pattern alone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace norn::statics {

struct ReturnSources {
  template <class What>
  struct Source {
    What what;
    int64_t offset;  // behind what it names
    friend auto operator<=>(const Source&, const Source&) = default;
  };
  // How many bytes a call allocates: what it gives as that parameter, times, plus.
  struct Size {
    static constexpr unsigned kNone = ~0U;     // it is `plus`
    static constexpr unsigned kUnknown = ~1U;  // nobody knows
    unsigned parameter = kUnknown;
    int64_t times = 1;
    int64_t plus = 0;
    friend auto operator<=>(const Size&, const Size&) = default;
  };
  // Empty: nothing that is allocated. Otherwise each call has an object of its own, and gets its address at these.
  std::set<int64_t> fresh{};
  std::vector<const llvm::CallBase*> allocations{};        // in this function: that object, at 0
  std::vector<const llvm::CallBase*> wrapped{};            // calls whose object is this function's
  std::set<Source<unsigned>> parameters{};                 // by number
  std::vector<Source<const llvm::Value*>> others{};        // values of this function
  std::vector<Source<const llvm::Function*>> others_of{};  // what others of a function it calls are
  Size size{};
  bool is_trusted = false;  // others are taken for memory that it allocates, because it is declared or named so
  bool makes_many = false;  // one call may make several of what its object stands for
  // Memory that it allocates, and nothing else.
  [[nodiscard]] bool only_fresh() const {
    return !fresh.empty() && parameters.empty() && others.empty() && others_of.empty();
  }
};

class ReturnedSources final {
 public:
  explicit ReturnedSources(const llvm::Module& module);
  // Nothing for those that return no pointer.
  [[nodiscard]] const ReturnSources* of(const llvm::Function& function) const;
  // Of the object of a call of a function; -1: not known.
  [[nodiscard]] static int64_t size_of(const llvm::CallBase& call, const ReturnSources& sources);
  // Whether a call's object is the object of the function that it stands in.
  [[nodiscard]] bool is_wrapped(const llvm::CallBase& call) const { return wrapped_.contains(&call); }
  // Functions that are trusted to return memory that nobody else has.
  [[nodiscard]] std::vector<const llvm::Function*> trusted() const;

 private:
  const ReturnSources* find(const llvm::Function& function);
  void find_in(const llvm::Function& function, ReturnSources& sources);
  void find_size(const llvm::Function& function, ReturnSources& sources, const std::vector<const llvm::Value*>& sizes);

  std::map<const llvm::Function*, ReturnSources> known_;
  llvm::DenseMap<const llvm::Function*, bool> open_;
  std::set<const llvm::CallBase*> wrapped_;
};

// Stores by which a function of C that frees, by its name, puts what it is given on a list of its own:
//
//     void pool_free(pool *p, void *b) { ((link *)b)->next = p->free;  p->free = b; }
//
// What is on such a list is free, and is handed out by an allocator. Taken for pointers of the program, they would have
// every block that is ever freed point to every other.
[[nodiscard]] llvm::SmallPtrSet<const llvm::StoreInst*, 4> stores_of_freed(const llvm::Function& function);

// Whether a call of a function that is not seen allocates what it returns; `moves`: or returns its first argument.
[[nodiscard]] bool is_allocation(const llvm::CallBase& call, bool& moves);

}  // namespace norn::statics
