// What an access does, and what each reader calls it: one row each. Freestanding.
#pragma once

#include "base/joined.h"
#include "report/race_fwd.h"

namespace norn::report {

struct OpRow {
  Op kind;
  Text name;      // in records, JSON, SARIF and HTML
  Text words;     // in the text report
  Text valgrind;  // in Valgrind's XML, which knows but two
  bool is_of_block;
};
inline constexpr OpRow kOps[] = {
    {Op::kRead, "read", "read", "read", false},
    {Op::kWrite, "write", "write", "write", false},
    {Op::kAtomicRead, "atomic-read", "atomic read", "read", false},
    {Op::kAtomicWrite, "atomic-write", "atomic write", "write", false},
    {Op::kFree, "free", "free", "write", true},
    {Op::kAllocation, "allocation", "allocation", "write", true},
};
static_assert(in_order(kOps));
[[nodiscard]] constexpr size_t count_of(Op /*op*/) { return sizeof(kOps) / sizeof(kOps[0]); }

[[nodiscard]] constexpr const OpRow& row_of(Op op) { return kOps[static_cast<size_t>(op)]; }
[[nodiscard]] constexpr Text name_of(Op op) { return row_of(op).name; }
// Of a whole block.
[[nodiscard]] constexpr bool is_of_block(Op op) { return row_of(op).is_of_block; }
// What cannot be read any more was a read.
[[nodiscard]] constexpr Op op_named(Text name) {
  for (const OpRow& row : kOps)
    if (row.name == name) return row.kind;
  return Op::kRead;
}

}  // namespace norn::report
