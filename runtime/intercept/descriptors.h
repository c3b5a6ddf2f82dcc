// File descriptors as a way to hand things over: what was written before, happens before what is read after.
#pragma once

#include "norn/site.h"
#include "runtime/reporting/locate.h"

namespace norn::rt {

// Before a write to it, and after a read from it. Either is a use of the descriptor: closing it at the same time is a
// race.
void giving_to_file(int fd, const norn_site& site);
void took_from_file(int fd, const norn_site& site);

// A call that waits for descriptors said that there is something to read: that came by a write, or by an end.
void became_readable(int fd);

// Before a signal is sent, which may make a descriptor readable.
void giving_to_signal_files();

// The descriptor is a new socket, of which it is not known who is at the other end.
void made_socket(int fd);

// Whether an address stands for a descriptor; then the location is filled in.
bool locate_file(Address address, report::Location& location, TextPool& pool);

}  // namespace norn::rt
