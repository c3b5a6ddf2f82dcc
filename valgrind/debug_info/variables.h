// SPDX-License-Identifier: GPL-2.0-or-later
// What the program's debug information says of its variables. Valgrind reads it for the program itself, if there is any
// and it is not too large, and for none of its libraries.
#pragma once

#include "report/race_fwd.h"
#include "valgrind/debug_info/symbols.h"

namespace norn::vg {

// Before the program's debug information is read.
void want_variables();

// What debug information says of the variable there: its name down to the member, on which line it is declared, and
// whether it is a local one. False: nothing.
bool describe_variable(Address address, report::Location& location, TextPool& pool);

}  // namespace norn::vg
