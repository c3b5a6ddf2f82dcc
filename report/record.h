// The findings file: what leaves a program under test at the moment it is found.
//
// Format (version 1)
// ------------------
// JSON Lines: each line is one object with a field "record", in UTF-8, ended by '\n'. Empty lines mean nothing: a
// process appends many of them with one write(2) to a file opened O_APPEND, maps what it wrote, and fills it with its
// records; the processes it forks share that memory, others have their own (runtime/reporting/findings_file.h). So the
// processes of one run share a file, and a killed program loses at most the line it was writing. A shared flock(2) on
// the file lives as long as anyone has it mapped. Writers that append a line with one write(2) are as good. Every
// record carries "pid". A field that would be empty, 0, false or null may be left out; a reader ignores fields and
// records it does not know. What breaks a reader raises "norn" in the start record.
//
//   start  {"record":"start","norn":1,"pid":P,"parent":P,"program":S,"command":[S…],"engine":S,"front_end":S}
//          First record of a process image: of the program, of a forked child, of what it execs. Records that follow
//          with the same pid belong to the latest start of it. A forked child counts from zero.
//   race   {"record":"race","pid":P,"id":H,"standing":S,"count":N,"location":LOCATION,"accesses":[ACCESS,ACCESS],
//           "suppressed":B,"suppressed_by":S}
//          At the first sight of a race: "standing" is what the detector saw, predicted or observed. "cut":true says
//          that frames were left out because the line was too long.
//   flag   As of a race. The first access is the read of a loop that waits, the second the write that it waited for.
//          Not both are atomic.
//   count  {"record":"count","pid":P,"id":H,"count":N,"standing":S}
//          The race was seen N times in all so far by this process, and stands as said. The latest one counts.
//   note   {"record":"note","pid":P,"text":S}
//          Something that limits the report.
//   hazard {"record":"hazard","pid":P,"id":H,"kind":K,"title":S,"places":S,"sites":[A…],
//           "steps":[{"thread":N,"thread_name":S,"does":S,"stack":[FRAME…]}…]}
//          Not a race, but another schedule may make a failure of it: locks taken in different orders. Or something
//          that happened: a deadlock (each step is a thread that waits, with what for and what it holds), or a
//          primitive that was misused.
//   confirmation
//          {"record":"confirmation","pid":P,"id":H,"runs":N,"confirmed":N,"token":S,"strategy":S,
//           "met":[{"site":A,"size":N,"value_type":S,"value":A,"old_value":A},{…}]}
//          What so many runs under control showed of the race or hazard with that id, written after the run by whoever
//          tried (norn check, norn confirm), with its own pid. It may stand before or behind what it is about. Several
//          add up; the latest token counts. A file without any has not been tried. "met" is there if something is known
//          of it: what the two did where they met first in the token's schedule, in the order in which they went, each
//          by the low half of its statement's identity ("site_id").
//   classification
//          {"record":"classification","pid":P,"id":H,"class":S,"consequence":S,"k":N,"evidence":S}
//          What the race or flag with that id does, written after the run by whoever classified it (norn classify, norn
//          check). The latest one counts.
//   place  {"record":"place","pid":P,"site":H,"text":S}
//          What a site in the log of a controlled run (schedule/log.h) is called.
//   lost   {"record":"lost","pid":P,"races":N}
//          So many races found no room here; the process printed them.
//   resumed {"record":"resumed","pid":P}
//          The exec failed: the process goes on, and its end is still to come.
//   end    {"record":"end","pid":P,"exit":N,"exec":B,"stats":{"events":N,"accesses":N,"sync":{S:N…},"threads":N,
//           "seconds":N,"peak_rss":N},"notes":[S…]}
//          The process ended by its own doing; without it, it was killed. Also before an exec ("exec"): the latest one
//          counts.
//
//   LOCATION {"name":S,"object":S,"address":A,"size":N,"object_size":N,"offset":N,"kind":S,
//             "declared_at":FRAME,"allocated_at":[FRAME…],"owner":N,"owner_name":S}
//   ACCESS   {"op":S,"size":N,"thread":N,"thread_name":S,"thread_created_at":[FRAME…],"site":FRAME,"stack":[FRAME…],
//             "stack_lost":B,"locks":[{"name":S,"address":A,"mode":S,"taken_at":FRAME}…],"expression":S,
//             "value_type":S,"value":A,"old_value":A,"count":N,"site_id":A}
//   FRAME    {"function":S,"linkage":S,"file":S,"directory":S,"line":N,"column":N,"module":S,"offset":A,"library":B}
//
// S is a string, N a number, B a boolean, H 8 to 16 hexadecimal digits, A a number written as a string "0x…" (JSON's
// numbers lose bits above 2^53). Stacks are innermost first. The names of op, standing, kind
// and value_type are name_of()'s.
//
// This file writes records, freestanding; record_reader.h reads them. Both follow the description in model.h.
#pragma once

#include "base/sink.h"
#include "report/race.h"

namespace norn::report {

inline constexpr uint32_t kRecordVersion = 1;

// One record each, with its '\n'. The bytes come in pieces: use a Buffer (or format_race) to get a line to write at
// once.
void write_start(const RunSummary& run, Sink sink);
void write_race(const Race& race, uint32_t pid, Sink sink);
void write_count(const Race& race, uint32_t pid, Sink sink);
void write_note(Text note, uint32_t pid, Sink sink);
void write_lost(uint64_t races, uint32_t pid, Sink sink);
void write_resumed(uint32_t pid, Sink sink);
void write_confirmation(const RaceId& id, const Confirmation& confirmation, uint32_t pid, Sink sink);
// Its "met" alone; nothing if it is not known.
void write_met(const Confirmation& confirmation, Sink sink);
void write_classification(const RaceId& id, const Classification& classification, uint32_t pid, Sink sink);
void write_place(uint32_t site, Text text, uint32_t pid, Sink sink);
void write_end(const RunSummary& run, Sink sink);

// The whole line of a race in `buffer`. If it does not fit, outer frames are left out until it does; a buffer of
// 32 KiB always holds the line of a race whose names are no longer than 255 bytes. Empty: not even that fitted.
[[nodiscard]] Text format_race(const Race& race, uint32_t pid, char* buffer, size_t capacity);
[[nodiscard]] Text format_hazard(const Hazard& hazard, uint32_t pid, char* buffer, size_t capacity);

}  // namespace norn::report
