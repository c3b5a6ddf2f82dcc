// Variables on the stack that another thread may reach, so that a report can name them.
//
//     ThreadPool pool(3);                 %pool = alloca %ThreadPool
// becomes                                 %pool = alloca { %ThreadPool, ptr }
//                                         store @norn.local, behind the variable, where its life begins
//
//     @norn.local = private constant %norn_local { "pool", "main", …, 176, … }, section "norn_locals"
//
// So whoever has an address in the variable finds the mark above it (runtime/reporting/locate.cc). Only what leaves the
// function is marked, and only what has a name in the program's own code: a store for each such variable is the whole
// price. Two variables that share their bytes, because they do not live at the same time, are told apart by the last
// mark.
#pragma once

#include <map>
#include <vector>

#include "compiler/naming/expression.h"
#include "compiler/naming/site_table.h"
#include "llvm/IR/Instructions.h"

namespace norn::compiler {

// A variable and the slot it lies in.
struct Local {
  llvm::AllocaInst* slot;
  LocalName name;
};

// The variables of a function that are to be marked. `is_private`: whether only the running thread can reach a slot.
[[nodiscard]] std::vector<Local> find_locals(llvm::Function& function, ExpressionNamer& namer,
                                             llvm::function_ref<bool(llvm::AllocaInst*)> is_private);

class LocalsTable final {
 public:
  LocalsTable(llvm::Module& module, SiteTable& texts);

  // Marks them; `function` has its hooks already.
  void mark(llvm::Function& function, llvm::ArrayRef<Local> locals);
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // Call once, after the last mark().
  void finish();

 private:
  [[nodiscard]] llvm::GlobalVariable* emit_entry(llvm::Function& function, const Local& local, uint64_t size);

  llvm::Module& module_;
  SiteTable& texts_;
  llvm::StructType* entry_type_;
  std::vector<llvm::GlobalValue*> entries_;
  std::map<const llvm::DIType*, std::pair<llvm::Constant*, size_t>> members_;  // by the variable's type
};

}  // namespace norn::compiler
