// SPDX-License-Identifier: GPL-2.0-or-later
// From addresses to words: what Valgrind reads of debug information and symbol tables.
#pragma once

#include "base/list.h"
#include "base/text_pool.h"
#include "report/race_fwd.h"
#include "valgrind/tool/guest_stacks.h"

namespace norn::vg {

// Code whose accesses are its own affair: the C library and the dynamic linker, which the wrappers speak for.
bool is_opaque(Address code);
// Code of a library that runs OpenMP.
bool is_openmp(Address code);
// Data of the C library and the dynamic linker: locks there are their own.
bool is_opaque_data(Address address);
// The tool's own wrappers.
bool is_preload(Address code);

// The instruction stands, by the debug information's word, in the C++ library's atomics.
bool is_cxx_atomic(Address code);
// std::cout and its like, which all threads may use at once ([iostream.objects.overview]).
bool is_standard_stream(Address data);

// The frames of one instruction, innermost first: inlined calls are frames, too. Returns how many were filled in.
size_t frames_at(const Place& place, report::Frame* frames, size_t most, TextPool& pool);
List<report::Frame> frames_of(StackId where, report::Frame* frames, size_t most, TextPool& pool);

// The variable with static storage at an address; false if there is none.
bool locate_variable(Address address, report::Location& location, TextPool& pool);

}  // namespace norn::vg
