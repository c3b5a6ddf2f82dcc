// The JSON report, version 1: the interface for programs. Its fields are a promise; a change that breaks a reader
// raises "norn".
//
//   { "norn": 1, "program": S, "engine": S, "front_end": "native|valgrind|trace", "exit": N,
//     "races": [ { "id": H, "standing": "static|predicted|proved|observed|confirmed",
//                  "detection": { "standing": "static|predicted|proved|observed" },
//                  "confirmation": null | { "runs": N, "confirmed": N, "token": null | S, "strategy": S,
//                                                "met": [ { "site": "0x…", "size": N, "value_type": S, "value": "0x…",
//                                                           "old_value": "0x…" }, {…} ] },
//                  "classification": null | { "class": S, "consequence": null | S, "k": N, "evidence": null | S },
//                  "location": { "name": S, "address": "0x…", "size": N, "kind": "global|heap|stack|tls|unknown",
//                                "allocated_at": [FRAME…] },
//                  "accesses": [ { "op": "read|write|atomic-read|atomic-write|free", "thread": N,
//                                  "thread_created_at": [FRAME…], "site": FRAME, "stack": [FRAME…], "locks": [S…],
//                                  "value_type": S, "value": "0x…", "old_value": "0x…", "values": null | S,
//                                  "count": N, "site_id": "0x…" }, {…} ],
//                  "count": N, "suppressed": B, "witness": null | S, "replay": null | S } … ],
//     "hazards": […], "flags": [ as "races", each with "why": S … ],
//     "stats": { "events": N, "accesses": N, "sync": { S: N… }, "threads": N, "seconds": N, "peak_rss": N } }
//   "standing" is derived from the facts beside it: "confirmed" if a run was, else what detection saw. A confirmation
//   that met nothing ("confirmed": 0) changes no standing; null says that nobody tried. "replay" is its token. Hazards
//   have the same four fields. "static" and "proved" are findings that no execution has shown yet; of what is proved,
//   "witness" is the reordering (analyze/witness.h). "classification" is what a race does: "class" is "spec-violated",
//   "output-differs", "k-witness-harmless" or "single-ordering", "evidence" a token; of hazards it is always null.
//   "value" (what is written) and "old_value" (what was in memory) are there where they are known; "values" has them in
//   words. They are of the access that was caught, when it was; or, if the confirmation has "met", of both in the
//   schedule of its token: "met" has the two by the low half of their "site_id", in the order in which they went.
//   FRAME is { "function": S, "file": S, "line": N, "column": N, "module": S, "offset": "0x…" }; what is unknown is
//   "" or 0.
#pragma once

#include "base/sink.h"
#include "report/race.h"

namespace norn::report {

void render_json(const RunSummary& run, List<Race> races, List<Hazard> hazards, List<Race> flags, Sink sink);

}  // namespace norn::report
