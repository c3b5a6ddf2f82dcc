// SPDX-License-Identifier: GPL-2.0-or-later
// Valgrind's interface to its tools. Its headers are C and have an order of their own.
#pragma once

#include <stddef.h>

// clang-format off
extern "C" {
#include "pub_tool_basics.h"
}
#include "pub_tool_vki.h"
// clang-format on

extern "C" {
#include "libvex_guest_amd64.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_clreq.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsetjmp.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_redir.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_xarray.h"
}

namespace norn::vg {

using HostThread = ::ThreadId;  // Valgrind's number of a thread; reused after the thread's end

}  // namespace norn::vg
