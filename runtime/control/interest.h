// The sites of interest: the statements of the candidate that is to be confirmed. Of the thread that has the turn.
#pragma once

#include "base/text.h"
#include "runtime/control/slots.h"

namespace norn::rt::control {

// What a site is, for the schedule.
struct Matched {
  const norn_site* site = nullptr;
  const norn_site* own = nullptr;
  uint32_t identity = 0;
  uint8_t mask = 0;
};

// The option `sites`.
void read_targets(Text list);
[[nodiscard]] bool has_targets();

[[nodiscard]] Matched find_out(const ThreadState& state, const norn_site* site);
// Says once what a site is called, if the settings ask for it.
void name_site(const Matched& site);
// Of the candidate's sites, those that count for the thread, which has come to these.
[[nodiscard]] uint8_t sites_for(Slot& self, uint8_t mask);

}  // namespace norn::rt::control
