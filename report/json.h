// The JSON report, version 1: the interface for programs. Its fields are a promise; a change that breaks a reader
// raises "norn".
//
//   { "norn": 1, "program": S, "engine": S, "front_end": "native|valgrind|trace", "exit": N,
//     "races": [ { "id": H, "standing": "observed|predicted|confirmed|unconfirmed",
//                  "location": { "name": S, "address": "0x…", "size": N, "kind": "global|heap|stack|tls|unknown",
//                                "allocated_at": [FRAME…] },
//                  "accesses": [ { "op": "read|write|atomic-read|atomic-write|free", "thread": N,
//                                  "thread_created_at": [FRAME…], "site": FRAME, "stack": [FRAME…], "locks": [S…],
//                                  "count": N }, {…} ],
//                  "count": N, "suppressed": B, "replay": null | S } … ],
//     "hazards": […], "flags": [ as "races", each with "why": S … ],
//     "stats": { "events": N, "accesses": N, "sync": { S: N… }, "threads": N, "seconds": N, "peak_rss": N } }
//   FRAME is { "function": S, "file": S, "line": N, "column": N, "module": S, "offset": "0x…" }; what is unknown is
//   "" or 0.
#pragma once

#include "base/sink.h"
#include "report/race.h"

namespace norn::report {

void render_json(const RunSummary& run, List<Race> races, List<Hazard> hazards, List<Race> flags, Sink sink);

}  // namespace norn::report
