// Which stores of a virtual table's address an object keeps. A constructor stores the tables of all its bases, one
// after the other, and a destructor stores them again, the other way round; calls of virtual functions find the last
// table of the constructor. Points-to sets know no order, so they are told which stores do not last.
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

namespace norn::statics {

// Those of a function whose table no virtual call can find:
//   - another table is stored at the same address next, and nothing is called before that could ask for it;
//   - it is stored by a destructor, and no destructor in this function calls a virtual function itself.
[[nodiscard]] llvm::DenseSet<const llvm::StoreInst*> passing_tables(const llvm::Function& function);

// Whether a variable is a virtual table.
[[nodiscard]] bool is_virtual_table(const llvm::GlobalVariable& global);

// Whether a call is surely one of a virtual function: it finds only functions that stand in virtual tables.
[[nodiscard]] bool is_virtual_call(const llvm::CallBase& call);

}  // namespace norn::statics
