#include "experiment/compiled_predicate.h"

#include <gtest/gtest.h>

namespace norn::experiment {
namespace {

using Op = schedule::PredicateInstruction::Op;

PredicateCode code_of(const std::string& printed) {
  std::string error;
  auto code = read_agent_expression(printed, error);
  EXPECT_TRUE(code) << error;
  return std::move(code).value_or(PredicateCode());
}

std::string error_of(const std::string& printed) {
  std::string error;
  EXPECT_FALSE(read_agent_expression(printed, error));
  return error;
}

// What gdb 13 prints for "stamps.interaction > 0".
TEST(Predicate, GdbsAgentExpressionIsRead) {
  const PredicateCode code = code_of(
      "Scope: 0x113b\nReg mask: 00\n  0  const64 7957704883358941200\n  9  ref32\n 10  ext 32\n 12  const8 0\n"
      " 14  swap\n 15  less_signed\n 16  end\n");
  ASSERT_EQ(code.size(), 7u);
  EXPECT_EQ(code[0].op, Op::kAddress);
  EXPECT_EQ(code[0].operand, 7957704883358941200u - 0x6e6f'726e'0000'0000u);
  EXPECT_EQ(code[1].op, Op::kRead);
  EXPECT_EQ(code[1].operand, 4u);
  EXPECT_EQ(code[2].op, Op::kSignExtend);
  EXPECT_EQ(code[2].operand, 32u);
  EXPECT_EQ(code[6].op, Op::kEnd);
}

TEST(Predicate, JumpsLeadToInstructions) {
  const PredicateCode code =
      code_of("Scope: 0x1\nReg mask: 00\n  0  const8 1\n  2  if_goto 8\n  5  goto 10\n  8  const8 7\n 10  end\n");
  EXPECT_EQ(code[1].operand, 3u);
  EXPECT_EQ(code[2].operand, 4u);
}

TEST(Predicate, WhatGdbComplainsOfIsTheError) {
  EXPECT_EQ(error_of("warning: something\nNo symbol \"foo\" in current context.\n"),
            "No symbol \"foo\" in current context.");
  EXPECT_EQ(error_of(""), "it cannot be compiled");
  EXPECT_EQ(error_of("Scope: 0x1\nReg mask: 40\n  0  reg 6\n  3  end\n"),
            "only globals can be looked at, not what a function has of its own");
  EXPECT_EQ(error_of("Scope: 0x1\nReg mask: 00\n  0  goto 77\n  3  end\n"), "it cannot be compiled");
}

TEST(Predicate, CharactersBecomeNumbers) {
  EXPECT_EQ(with_numbered_characters("name[0] == 'a'"), "name[0] == 97");
  EXPECT_EQ(with_numbered_characters("'bank.c'::total > 0"), "'bank.c'::total > 0");
}

}  // namespace
}  // namespace norn::experiment
