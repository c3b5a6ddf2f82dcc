// SPDX-License-Identifier: GPL-2.0-or-later
// How what is loaded into the program speaks to the tool.
#pragma once

#include "pub_tool_redir.h"
#include "valgrind.h"
#include "valgrind/events.h"

long norn_event(long code, long a, long b, long c);

#define TELL(code, a, b, c) norn_event((code), (long)(a), (long)(b), (long)(c))
