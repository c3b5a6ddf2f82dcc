// A replay token: everything a run needs to take the same decisions again, in a word that can be mailed.
//
//   n2…   base64 (the alphabet for file names) of, version 2:
//         1 byte   strategy
//         1 byte   flags: 1 switches at accesses, 2 sites are written out, 4 there is a guide, 8 an order,
//                  16 memory is guarded, 32 there is a predicate, 64 something is left out, 128 inputs are replayed
//         varint   seed, depth, length
//         4 bytes  hash of the program's file
//         4 bytes  the low half of the rolling hash of the run's decisions
//         varint   how many decisions
//         varint   if there is a guide: how long it is, and it itself, as the option has it
//         varint   if an order is asked for: its number
//         varint   if there is a predicate: how long it is, and it itself
//         varint   if something is left out: how long the words are, and they themselves, as the option has them
//         8 bytes  if inputs are replayed: what their file is called, by its hash
//         sites    4 bytes each (low halves of identities); written out: the option's text
//         2 bytes  a checksum of all before, so that a typing error is not another schedule
// Numbers are little-endian, varints have seven bits a byte, the lowest first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schedule/strategy_kind.h"

namespace norn::schedule {

struct Token {
  StrategyKind strategy = StrategyKind::kRandom;
  uint32_t seed = 0;
  uint32_t depth = 3;
  uint32_t length = 1000;
  bool accesses = false;
  std::string sites;        // as the option `sites` has them
  std::string guide{};      // as the option `guide` has it
  uint64_t order = 0;       // schedule::Order as a number
  bool memory = false;      // guarded
  std::string predicate{};  // what must hold, in words
  std::string what_if{};    // as the option `what_if` has it
  uint64_t inputs = 0;      // by the hash of their file (input_log.h); 0: none, the program reads what is there
  uint32_t program = 0;
  uint32_t hash = 0;
  uint64_t decisions = 0;
};

[[nodiscard]] std::string encode(const Token& token);
// Nothing and one line in `error` if it is not a token of this version.
[[nodiscard]] std::optional<Token> decode(std::string_view text, std::string& error);

[[nodiscard]] std::string_view name_of(StrategyKind kind);
[[nodiscard]] std::optional<StrategyKind> strategy_named(std::string_view name);

}  // namespace norn::schedule
