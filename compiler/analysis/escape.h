// Which memory never leaves the thread that made it.
//
//     void fill(int* to) { *to = 1; }        static, called with &local only: not checked
//     int f() {
//       int local; fill(&local);             `local` is known to nobody else: not checked
//       auto p = std::make_unique<int>(2);   nor what `p` points to, if `p` stays here
//       queue.push(&local);                  ... unless the address goes where others may find it
//
// A points-to analysis of the whole module by inclusion (Andersen 1994), flow- and context-insensitive, fields told
// apart by offset. An abstract object is a place of allocation: a variable of a function, a call of malloc or new, a
// thread-local variable, a global variable. One more stands for the rest of the world: what other threads or unknown
// code may reach. Whatever is stored there, or given to code that is not seen, is part of it from then on, and so is
// all it points to. A pointer that can only lead to objects that stayed out of the world leads to memory of the
// running thread. Besides, it is noted what of a module's variables is written, and when (early.h).
// docs/design/pruning.md says what is trusted.
#pragma once

#include <memory>

#include "compiler/analysis/early.h"
#include "llvm/IR/Module.h"

namespace norn::compiler {

class Escape {
 public:
  // `early`: null if nothing is known of it.
  Escape(const llvm::Module& module, const Early* early);
  ~Escape();
  Escape(const Escape&) = delete;
  Escape& operator=(const Escape&) = delete;

  // Whether it points to memory that only the running thread can reach.
  [[nodiscard]] bool is_private(const llvm::Value* address) const;
  // Whether it points to variables of the module that nothing ever writes.
  [[nodiscard]] bool is_unwritten(const llvm::Value* address) const;
  // Whether it points to variables of the module that nothing writes but instructions that are early.
  [[nodiscard]] bool is_unwritten_late(const llvm::Value* address) const;

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace norn::compiler
