// Between what programs say (runtime/probe/wire.h) and what the hive is told. This is all that leaves the machine of a
// program: docs/hive.md lists it.
#pragma once

#include <string>

#include "hive/store.h"
#include "runtime/probe/wire.h"

namespace norn::hive {

// The identity that a program says it has, in hexadecimal; empty: it has none.
[[nodiscard]] std::string build_of(const probe::wire::Hello& hello);

// What an execution showed that ended without a final result.
[[nodiscard]] ResultKind kind_of_facts(uint8_t facts);
// kProgress is none of the hive's.
[[nodiscard]] ResultKind kind_of(const probe::wire::Result& result);
// Kind, order, tau and detail; who it is about is the caller's to say.
[[nodiscard]] Result result_of(const probe::wire::Result& result);

// `steer`: the machine's owner lets threads be held; `ask`: and its user be asked.
[[nodiscard]] probe::wire::Task wire_task(const Task& task, uint64_t number, uint32_t round, bool steer, bool ask);

}  // namespace norn::hive
