// Names what an instruction accesses in the words of the source: `account.balance`, `node->next`, `queue.items[]`.
//
// The walk goes from the address back to something that has a name, and forward again through the types:
//
//     %1 = load ptr, ptr @head              head
//     %2 = getelementptr i8, ptr %1, i64 8  offset 8 of what head points to: a Node, whose member at 8 is `next`
//     store ptr %3, ptr %2                  head->next
//
// Names come from global variables, from variables bound to an SSA value or to a stack slot by debug records, from
// loads (whose address is named the same way) and from calls (`front()`, `v[]`). When several variables are bound to
// a value, that of the innermost function of the program's own that the access belongs to wins, because that is what
// the line of the access says; functions of the standard library name things only when nothing else does.
#pragma once

#include <optional>
#include <string>

#include "compiler/naming/type_layout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace norn::compiler {

// What lies in a slot of the stack.
struct LocalName {
  std::string text;          // "pool"; of a variable in pieces "pool.size"
  const llvm::DIType* type;  // of the variable, or of the piece
  const llvm::DILocalVariable* variable;
};

class ExpressionNamer final {
 public:
  explicit ExpressionNamer(llvm::Function& function);

  // What an access of `size` bytes (0: unknown) at `address` touches; empty when nothing there has a name.
  // `scalar`: one value is accessed, and not a block that may be a whole aggregate.
  [[nodiscard]] std::string name(const llvm::Value* address, uint64_t size, bool scalar, const llvm::DebugLoc& at);

  // Whether what name() named last is an object's pointer to its virtual table.
  [[nodiscard]] bool named_vptr() const { return named_vptr_; }
  // The size of what name() named last, by its type; 0: unknown.
  [[nodiscard]] uint64_t named_size() const { return byte_size(named_type_); }
  // The type of what name() named last; null: unknown.
  [[nodiscard]] const llvm::DIType* named_type() const { return named_type_; }

  // The same in the words of the innermost function alone, which are the same wherever it is inlined: to `deposit` it
  // is `to.balance`, whichever account that is. What a site is known by from build to build.
  [[nodiscard]] std::string identity(const llvm::Value* address, uint64_t size, bool scalar, const llvm::DebugLoc& at);

  // The variable of the program's own code that lies in the slot.
  [[nodiscard]] std::optional<LocalName> local(const llvm::AllocaInst& slot) const;

 private:
  // A value that is an address, in words.
  struct Pointer {
    enum class Form : uint8_t {
      kAddressOf,  // the value is &text
      kValue,      // the value is text
      kThis,       // the value is `this`
    };
    Form form = Form::kValue;
    std::string text;
    const llvm::DIType* pointee = nullptr;  // null: unknown
    bool to_elements = false;               // of a container: always indexed
    bool hidden = false;                    // by a member of a library class that has no name for the programmer
    bool moving = false;                    // by a loop over what it points to
    int64_t offset = 0;                     // from the start of the object: the address of a piece of a variable
  };
  struct Place {
    std::string text;
    const llvm::DIType* type = nullptr;
    bool to_elements = false;
    bool hidden = false;
    bool vptr = false;
  };
  // One variable whose value (or, if `is_address`, whose address) a debug record says an SSA value is.
  struct Binding {
    const llvm::DILocalVariable* variable;
    const llvm::DIExpression* expression;
    const llvm::DILocation* inlined_at;
    bool is_address;
  };

  void bind(const llvm::Value* value, const Binding& binding);
  [[nodiscard]] std::optional<Place> place(const llvm::Value* address, uint64_t size, bool scalar, int depth);
  [[nodiscard]] static std::optional<Place> place_in(const Pointer& pointer, Bytes bytes);
  [[nodiscard]] std::optional<Pointer> pointer(const llvm::Value* value, int depth);
  [[nodiscard]] std::optional<Pointer> structural(const llvm::Value* value, int depth);
  [[nodiscard]] std::optional<Pointer> of_call(const llvm::CallBase& call, int depth);
  [[nodiscard]] std::optional<Pointer> of_merge(const llvm::Value* value, int depth);
  [[nodiscard]] static std::optional<Pointer> of_binding(const Binding& binding);
  [[nodiscard]] static std::optional<Pointer> of_global(const llvm::GlobalVariable& global);
  [[nodiscard]] static Pointer of_place(Place place);
  // The best of the variables bound to a value; `own`: only those of the program's own functions around the access.
  [[nodiscard]] std::optional<Pointer> bound(const llvm::Value* value, bool own) const;
  [[nodiscard]] std::optional<Pointer> bound_innermost(const llvm::Value* value) const;

  // How far from the access a binding's function is: 0 is its own, 1 the one it was inlined into, …
  struct Nearness {
    unsigned frame;
    bool library;
  };
  [[nodiscard]] Nearness nearness(const Binding& binding) const;

  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<Binding, 2>> bindings_;
  const llvm::DILocation* at_ = nullptr;
  bool named_vptr_ = false;
  const llvm::DIType* named_type_ = nullptr;
  bool innermost_ = false;                            // finding an identity
  int budget_ = 0;                                    // steps left for one name: merges of merges would take forever
  llvm::SmallVector<const llvm::Value*, 4> merging_;  // phis on the way, against going round
};

// The name of a global variable: "account", "Bank::total", "teller(int)::calls".
[[nodiscard]] std::string global_name(const llvm::DIGlobalVariable* variable);

}  // namespace norn::compiler
