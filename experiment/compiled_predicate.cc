#include "experiment/compiled_predicate.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

#include "experiment/program.h"

namespace norn::experiment {
namespace {

using Op = schedule::PredicateInstruction::Op;
using schedule::PredicateInstruction;

// Where gdb is told that the program is loaded: no number that a program means.
constexpr uint64_t kLoadedAt = 0x6e6f'726e'0000'0000;
constexpr uint64_t kMostSize = uint64_t{1} << 32;  // of a program

struct Operation {
  Op op;
  uint64_t operand;  // where the printed one has none
};
const std::map<std::string_view, Operation>& operations() {
  static const std::map<std::string_view, Operation> kKnown = {
      {"const8", {Op::kConstant, 0}},
      {"const16", {Op::kConstant, 0}},
      {"const32", {Op::kConstant, 0}},
      {"const64", {Op::kConstant, 0}},
      {"ref8", {Op::kRead, 1}},
      {"ref16", {Op::kRead, 2}},
      {"ref32", {Op::kRead, 4}},
      {"ref64", {Op::kRead, 8}},
      {"ext", {Op::kSignExtend, 0}},
      {"zero_ext", {Op::kZeroExtend, 0}},
      {"add", {Op::kAdd, 0}},
      {"sub", {Op::kSubtract, 0}},
      {"mul", {Op::kMultiply, 0}},
      {"div_signed", {Op::kDivideSigned, 0}},
      {"div_unsigned", {Op::kDivideUnsigned, 0}},
      {"rem_signed", {Op::kRemainderSigned, 0}},
      {"rem_unsigned", {Op::kRemainderUnsigned, 0}},
      {"lsh", {Op::kShiftLeft, 0}},
      {"rsh_signed", {Op::kShiftRightSigned, 0}},
      {"rsh_unsigned", {Op::kShiftRightUnsigned, 0}},
      {"log_not", {Op::kIsZero, 0}},
      {"bit_and", {Op::kAnd, 0}},
      {"bit_or", {Op::kOr, 0}},
      {"bit_xor", {Op::kExclusiveOr, 0}},
      {"bit_not", {Op::kComplement, 0}},
      {"equal", {Op::kEqual, 0}},
      {"less_signed", {Op::kLessSigned, 0}},
      {"less_unsigned", {Op::kLessUnsigned, 0}},
      {"goto", {Op::kGoTo, 0}},
      {"if_goto", {Op::kGoToIf, 0}},
      {"dup", {Op::kDuplicate, 0}},
      {"pop", {Op::kDrop, 0}},
      {"swap", {Op::kSwap, 0}},
      {"end", {Op::kEnd, 0}},
  };
  return kKnown;
}

std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  std::array<char, 4096> piece{};
  for (size_t got = 1; pipe && got > 0;) {
    got = fread(piece.data(), 1, piece.size(), pipe.get());
    text.append(piece.data(), got);
  }
  return text;
}

}  // namespace

std::string with_numbered_characters(const std::string& expression) {
  std::string out;
  for (size_t at = 0; at < expression.size(); ++at) {
    const bool is_one = expression[at] == '\'' && at + 2 < expression.size() && expression[at + 2] == '\'';
    if (is_one && expression[at + 1] != '\\' && expression[at + 1] != '\'') {
      out += std::to_string(static_cast<int>(expression[at + 1]));
      at += 2;
    } else {
      out += expression[at];
    }
  }
  return out;
}

std::optional<PredicateCode> read_agent_expression(const std::string& printed, std::string& error) {
  PredicateCode code;
  std::map<uint64_t, uint64_t> numbers;  // of the instruction at an offset
  std::istringstream lines(printed);
  std::string line, other;
  bool has_begun = false, has_ended = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("Scope:") || line.starts_with("Reg mask:")) {
      has_begun = true;
      continue;
    }
    std::istringstream words(line);
    uint64_t offset = 0;
    std::string name, operand;
    if (!has_begun || !(words >> offset >> name)) {
      if (!line.empty()) other = line;  // gdb's errors are its last lines
      continue;
    }
    words >> operand;
    if (name == "reg") return error = "only globals can be looked at, not what a function has of its own", std::nullopt;
    const auto known = operations().find(name);
    if (known == operations().end())
      return error = fmt::format("gdb's operation {} is not known here", name), std::nullopt;
    PredicateInstruction next{known->second.op, known->second.operand};
    if (!operand.empty()) std::from_chars(operand.data(), operand.data() + operand.size(), next.operand);
    if (!operand.empty() && operand[0] == '-') {
      int64_t number = 0;
      std::from_chars(operand.data(), operand.data() + operand.size(), number);
      next.operand = static_cast<uint64_t>(number);
    }
    if (next.op == Op::kConstant && next.operand - kLoadedAt < kMostSize) {
      next.op = Op::kAddress;
      next.operand -= kLoadedAt;
    }
    numbers[offset] = code.size();
    code.push_back(next);
    has_ended = next.op == Op::kEnd;
  }
  if (!has_ended || code.size() > schedule::PredicateHeader::kMostInstructions) {
    error = other.empty() ? "it cannot be compiled" : other;
    return std::nullopt;
  }
  for (PredicateInstruction& one : code) {
    if (one.op != Op::kGoTo && one.op != Op::kGoToIf) continue;
    const auto target = numbers.find(one.operand);
    if (target == numbers.end()) return error = "it cannot be compiled", std::nullopt;
    one.operand = target->second;
  }
  return code;
}

std::optional<PredicateCode> compile_predicate(const std::string& expression, const std::string& program,
                                               std::string& error) {
  Program gdb;
  std::string missing;
  if (!find_program("gdb", gdb, missing))
    return error = "gdb compiles predicates, and is not here: apt-get install gdb", std::nullopt;
  if (expression.find_first_of("\n\r") != std::string::npos) return error = "it is more than one line", std::nullopt;
  const auto words = fmt::format(
      "LC_ALL=C {} -nx -q -batch -iex 'set auto-load no' -iex 'set debuginfod enabled off' -ex {} -ex {} 2>&1 < "
      "/dev/null",
      in_quotes(gdb.path), in_quotes(fmt::format("symbol-file -o {:#x} {}", kLoadedAt, in_quotes(program))),
      in_quotes("maint agent-eval -at main, " + with_numbered_characters(expression)));
  auto code = read_agent_expression(output_of(words), error);
  if (!code) error = fmt::format("\"{}\": {}", expression, error);
  return code;
}

}  // namespace norn::experiment
