// What two runs wrote and said at their end, and whether they differ in more than any two runs do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/stage.h"

namespace norn::classify {

// What people and other programs see of a run that ended by itself.
struct Visible {
  int status = 0;
  std::vector<experiment::WrittenStream> streams;
};
// Of a run that captured its streams those; else what it wrote to its output and its errors.
[[nodiscard]] Visible visible_in(const experiment::StagedRun& run);

struct Difference {
  bool is_status = false;  // only the exit status
  std::string words;       // one line
};

// What differs, if anything does: the streams are looked at before the status.
[[nodiscard]] std::optional<Difference> difference(const Visible& before, const Visible& now);

// What also differs between runs with the same decisions is noise: time stamps, process ids. `again` is `one` once
// more: lines that differ between the two are blanked in it and in `other`; a stream that has another number of lines
// then is left out.
void leave_out_noise(Visible& one, const Visible& again, Visible& other);

// Both wrote the same lines to each stream, and ended alike, but not in the same order.
[[nodiscard]] bool differ_in_order_only(const Visible& a, const Visible& b);

}  // namespace norn::classify
