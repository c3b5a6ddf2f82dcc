// SPDX-License-Identifier: GPL-2.0-or-later
// Findings that are no races: what hazards/ finds in the tool's events, as records.
#pragma once

namespace norn::vg {

// Before the program runs.
void init_hazards();

}  // namespace norn::vg
