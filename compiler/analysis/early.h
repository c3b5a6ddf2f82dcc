// Which instructions are executed only while the program has one thread.
//
//     static void fill(int* table) { … }   called here only: early, all of it
//     int main(int argc, char** argv) {
//       limit = atoi(argv[1]);             early
//       fill(table);                       early
//       pthread_create(…);                 may create a thread, and so may all that calls it
//       limit = 2;                         late
//
// Early is what main and the constructors of global variables do before they have called anything that may create a
// thread, and what functions do that are called by name only, and only from there. A call may create a thread unless
// all it may reach is known: functions of the module, and those of the libraries that library.h says create none.
// docs/design/pruning.md has why this is enough, and what is trusted.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {

class Early {
 public:
  // The module must be the whole program; one without main has nothing that is early.
  explicit Early(const llvm::Module& program);

  // Whether no thread but the first exists when the instruction is done, whenever it is.
  [[nodiscard]] bool is_early(const llvm::Instruction& instruction) const;

 private:
  void find_creating(const llvm::Module& program);
  [[nodiscard]] bool may_create(const llvm::CallBase& call) const;
  [[nodiscard]] bool may_create(const llvm::Function& function) const;
  void find_called_back(const llvm::Module& program);
  [[nodiscard]] bool find_roots(const llvm::Module& program);
  void find_late(const llvm::Function& function);
  void find_early_functions(const llvm::Module& program);
  // Whether it is reached before any thread is created; it may create one itself.
  [[nodiscard]] bool begins_early(const llvm::Instruction& instruction) const;

  llvm::DenseSet<const llvm::Function*> creating_;  // functions that may create a thread, before they return or not
  llvm::DenseSet<const llvm::Function*> visible_;   // that libraries may call by name
  llvm::DenseSet<const llvm::Function*>
      called_back_;                               // that they may call by virtual tables, and to destroy exceptions
  bool libraries_create_ = false;                 // by calling one of visible_
  bool callbacks_create_ = false;                 // by calling one of called_back_
  llvm::DenseSet<const llvm::Function*> early_;   // functions that are entered early only
  llvm::DenseSet<const llvm::BasicBlock*> late_;  // blocks of any function that may be entered after a creation in it
  llvm::DenseMap<const llvm::BasicBlock*, const llvm::Instruction*> first_creating_;  // in a block, where there is one
};

}  // namespace norn::compiler
