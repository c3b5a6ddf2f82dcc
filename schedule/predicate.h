// What must hold at each point of a schedule, compiled: an expression over a program's globals as instructions for a
// stack of 64-bit numbers. Whoever starts the program compiles (experiment/compiled_predicate.h), the program executes.
//
// A file: the header, then `count` instructions. The operations are those of gdb's agent expressions, with operands
// beside them; addresses of globals are as in the program's file.
#pragma once

#include <stdint.h>

namespace norn::schedule {

struct PredicateInstruction {
  enum class Op : uint64_t {
    kConstant,    // the operand
    kAddress,     // the operand, where the program is loaded
    kRead,        // so many bytes at the address on top, in its place
    kSignExtend,  // of so many bits
    kZeroExtend,
    kAdd,
    kSubtract,
    kMultiply,
    kDivideSigned,
    kDivideUnsigned,
    kRemainderSigned,
    kRemainderUnsigned,
    kShiftLeft,
    kShiftRightSigned,
    kShiftRightUnsigned,
    kIsZero,
    kAnd,
    kOr,
    kExclusiveOr,
    kComplement,
    kEqual,
    kLessSigned,
    kLessUnsigned,
    kGoTo,  // the instruction of that number, which is a later one
    kGoToIf,
    kDuplicate,
    kDrop,
    kSwap,
    kEnd,  // what is on top says whether it holds
  };
  Op op{};
  uint64_t operand = 0;
};

struct PredicateHeader {
  static constexpr uint64_t kMagic = 0x3164'6572'6e72'6f6e;  // "nornred1"
  static constexpr uint64_t kMostInstructions = 4096;

  uint64_t magic = kMagic;
  uint64_t count = 0;
};

enum class Truth : uint8_t { kHolds, kFails, kUnknown };

// `read(address, size, value)` says whether there is memory. Unknown: there is none, or a division by zero.
template <class Read>
Truth evaluate(const PredicateInstruction* code, uint64_t count, uint64_t loaded_at, Read read) {
  using Op = PredicateInstruction::Op;
  constexpr unsigned kDepth = 64;
  uint64_t stack[kDepth + 1] = {};
  unsigned depth = 0;
  for (uint64_t at = 0; at < count; ++at) {
    const auto [op, operand] = code[at];
    const bool pushes = op == Op::kConstant || op == Op::kAddress || op == Op::kDuplicate;
    const bool is_binary = (op >= Op::kAdd && op <= Op::kShiftRightUnsigned) ||
                           (op >= Op::kAnd && op <= Op::kExclusiveOr) || (op >= Op::kEqual && op <= Op::kLessUnsigned);
    const unsigned needed = is_binary || op == Op::kSwap     ? 2
                            : pushes && op != Op::kDuplicate ? 0
                            : op == Op::kGoTo                ? 0
                                                             : 1;
    if (depth < needed || (pushes && depth == kDepth)) return Truth::kUnknown;
    uint64_t& top = stack[depth == 0 ? 0 : depth - 1];
    if (is_binary) {
      const uint64_t b = top;
      uint64_t& a = stack[--depth - 1];
      const auto signed_a = static_cast<int64_t>(a), signed_b = static_cast<int64_t>(b);
      const bool divides = op >= Op::kDivideSigned && op <= Op::kRemainderUnsigned;
      if (divides && (b == 0 || (signed_b == -1 && signed_a == INT64_MIN))) return Truth::kUnknown;
      switch (op) {
        case Op::kAdd:
          a += b;
          break;
        case Op::kSubtract:
          a -= b;
          break;
        case Op::kMultiply:
          a *= b;
          break;
        case Op::kDivideSigned:
          a = static_cast<uint64_t>(signed_a / signed_b);
          break;
        case Op::kDivideUnsigned:
          a /= b;
          break;
        case Op::kRemainderSigned:
          a = static_cast<uint64_t>(signed_a % signed_b);
          break;
        case Op::kRemainderUnsigned:
          a %= b;
          break;
        case Op::kShiftLeft:
          a = b < 64 ? a << b : 0;
          break;
        case Op::kShiftRightSigned:
          a = static_cast<uint64_t>(signed_a >> (b < 64 ? b : 63));
          break;
        case Op::kShiftRightUnsigned:
          a = b < 64 ? a >> b : 0;
          break;
        case Op::kAnd:
          a &= b;
          break;
        case Op::kOr:
          a |= b;
          break;
        case Op::kExclusiveOr:
          a ^= b;
          break;
        case Op::kEqual:
          a = a == b ? 1 : 0;
          break;
        case Op::kLessSigned:
          a = signed_a < signed_b ? 1 : 0;
          break;
        default:
          a = a < b ? 1 : 0;
          break;  // kLessUnsigned
      }
      continue;
    }
    const unsigned unused = operand < 64 ? 64 - static_cast<unsigned>(operand) : 0;
    switch (op) {
      case Op::kConstant:
        stack[depth++] = operand;
        break;
      case Op::kAddress:
        stack[depth++] = operand + loaded_at;
        break;
      case Op::kDuplicate:
        stack[depth] = top;
        ++depth;
        break;
      case Op::kRead:
        if (!read(top, operand, top)) return Truth::kUnknown;
        break;
      case Op::kSignExtend:
        top = static_cast<uint64_t>(static_cast<int64_t>(top << unused) >> unused);
        break;
      case Op::kZeroExtend:
        top = top << unused >> unused;
        break;
      case Op::kIsZero:
        top = top == 0 ? 1 : 0;
        break;
      case Op::kComplement:
        top = ~top;
        break;
      case Op::kDrop:
        --depth;
        break;
      case Op::kSwap: {
        const uint64_t other = stack[depth - 2];
        stack[depth - 2] = top;
        top = other;
        break;
      }
      case Op::kGoTo:
      case Op::kGoToIf:
        if (operand <= at) return Truth::kUnknown;  // it would not end
        if (op == Op::kGoTo || stack[--depth] != 0) at = operand - 1;
        break;
      default:
        return top != 0 ? Truth::kHolds : Truth::kFails;  // kEnd
    }
  }
  return Truth::kUnknown;
}

}  // namespace norn::schedule
