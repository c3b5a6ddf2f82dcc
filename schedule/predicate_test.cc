#include "schedule/predicate.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace norn::schedule {
namespace {

using Op = PredicateInstruction::Op;
using Code = std::vector<PredicateInstruction>;

Truth of(const Code& code) {
  return evaluate(code.data(), code.size(), 0x1000, [](uint64_t address, uint64_t size, uint64_t& value) {
    value = size == 4 ? 0xfffffffb : address;
    return address != 0;
  });
}

Truth of_operation(uint64_t a, Op op, uint64_t b) {
  return of({{Op::kConstant, a}, {Op::kConstant, b}, {op, 0}, {Op::kEnd, 0}});
}

TEST(Predicate, ReadsGlobalsWhereTheProgramIsLoaded) {
  EXPECT_EQ(of({{Op::kAddress, 0x30}, {Op::kRead, 8}, {Op::kConstant, 0x1030}, {Op::kEqual, 0}, {Op::kEnd, 0}}),
            Truth::kHolds);
}

TEST(Predicate, NumbersHaveTheSignOfTheirType) {
  const Code is_negative = {{Op::kAddress, 0},  {Op::kRead, 4},       {Op::kSignExtend, 32},
                            {Op::kConstant, 0}, {Op::kLessSigned, 0}, {Op::kEnd, 0}};
  EXPECT_EQ(of(is_negative), Truth::kHolds);
  Code is_unsigned = is_negative;
  is_unsigned[2].op = Op::kZeroExtend;
  EXPECT_EQ(of(is_unsigned), Truth::kFails);
}

TEST(Predicate, OperationsAreThoseOfC) {
  constexpr auto kMinus = [](uint64_t number) { return ~number + 1; };
  EXPECT_EQ(of_operation(kMinus(7), Op::kDivideSigned, 2), Truth::kHolds);
  EXPECT_EQ(of_operation(1, Op::kDivideSigned, 2), Truth::kFails);
  EXPECT_EQ(of_operation(6, Op::kRemainderUnsigned, 3), Truth::kFails);
  EXPECT_EQ(of_operation(kMinus(1), Op::kLessUnsigned, 1), Truth::kFails);
  EXPECT_EQ(of_operation(kMinus(1), Op::kLessSigned, 1), Truth::kHolds);
  EXPECT_EQ(of_operation(5, Op::kSubtract, 5), Truth::kFails);
  EXPECT_EQ(of_operation(1, Op::kShiftLeft, 64), Truth::kFails);
  EXPECT_EQ(of_operation(6, Op::kExclusiveOr, 6), Truth::kFails);
}

TEST(Predicate, JumpsGoForward) {
  const Code either = {{Op::kConstant, 1}, {Op::kGoToIf, 4},   {Op::kConstant, 0},
                       {Op::kEnd, 0},      {Op::kConstant, 1}, {Op::kEnd, 0}};
  EXPECT_EQ(of(either), Truth::kHolds);
  EXPECT_EQ(of({{Op::kGoTo, 0}}), Truth::kUnknown);
}

TEST(Predicate, WhatCannotBeKnownIsNoAnswer) {
  EXPECT_EQ(of({{Op::kConstant, 0}, {Op::kRead, 8}, {Op::kEnd, 0}}), Truth::kUnknown);
  EXPECT_EQ(of_operation(1, Op::kDivideSigned, 0), Truth::kUnknown);
  EXPECT_EQ(of_operation(uint64_t{1} << 63, Op::kDivideSigned, ~uint64_t{0}), Truth::kUnknown);
  EXPECT_EQ(of({}), Truth::kUnknown);
}

TEST(Predicate, DamagedCodeEnds) {
  EXPECT_EQ(of({{Op::kAdd, 0}, {Op::kEnd, 0}}), Truth::kUnknown);
  EXPECT_EQ(of({{Op::kEnd, 0}}), Truth::kUnknown);
  EXPECT_EQ(of({{Op::kSwap, 0}, {Op::kEnd, 0}}), Truth::kUnknown);
  EXPECT_EQ(of(Code(100, {Op::kConstant, 1})), Truth::kUnknown);
}

}  // namespace
}  // namespace norn::schedule
