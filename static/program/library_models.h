// What functions of the libraries mean to the analyses, said in LLVM's assembly language: a model of a function that
// has no bitcode stands in its place. What cannot be said so is done by calls of these, which the analyses know:
//
//     __norn_fork(ptr function, ptr argument, ptr handle)    a thread begins; *handle is its name
//     __norn_fork_task(ptr function, ptr task)               the same for a task of OpenMP: function(0, task)
//     __norn_join(i64 handle)                                the thread has ended
//     __norn_handler(ptr function)                           any thread may execute it, at any time
//     __norn_main()                                          all that the first thread does, constructors to exit
//
// Locks keep their own names (lock_calls.h).
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace norn::statics {

inline constexpr llvm::StringLiteral kFork = "__norn_fork";
inline constexpr llvm::StringLiteral kForkTask = "__norn_fork_task";
inline constexpr llvm::StringLiteral kForkTeam = "__kmpc_fork_call";
inline constexpr llvm::StringLiteral kJoin = "__norn_join";
inline constexpr llvm::StringLiteral kHandler = "__norn_handler";
inline constexpr llvm::StringLiteral kMain = "__norn_main";
inline constexpr llvm::StringLiteral kMaster = "norn.master";  // what the first thread of a team holds all the time

void link_models(llvm::Module& module);

// Whether an instruction is a model's own, wherever that was inlined.
[[nodiscard]] bool is_of_model(const llvm::Instruction& instruction);

// Whether a function that calls it is better analysed where it is called: it locks, creates, waits.
[[nodiscard]] bool is_worth_inlining(llvm::StringRef symbol);

}  // namespace norn::statics
