// The casebook's tables, and how a file of an earlier version becomes one of this.
//
// Rows are facts, and facts are only added. Each has a key that is the same wherever it is kept (of a race its
// identity, of a build its mark's hash, of a run what it was, of the rest a random number), so that two casebooks are
// merged by taking the rows of both. What is derived (a race's standing, its counts, whether it is accepted) is stored
// nowhere.
//
//   builds         the files that ran: mark (ELF's build id, or a hash), path, when it was last changed
//   runs           the commands that ran a program: verb (run, check, confirm, replay; import: of a findings file),
//                  number in .norn/runs, program (its name), command (JSON), directory, build, started, seconds, exit,
//                  signal, timed_out, engine, front_end, complete (all of it was checked)
//   races          races and hazards by identity: kind ("race", or a hazard's), variable (of a hazard its title),
//                  what each access does where, their files; as the latest run that saw it (described, run) says
//   records        the same in full: a line as report/record.h has it
//   detections     a run saw a race: standing, count, suppressed_by
//   confirmations  so many schedules were tried, so many met; token, strategy, consequence, met (JSON: what the two did
//   in the
//                  token's schedule, as a record has it; empty if it is not known)
//   replays        a token was replayed; same: with the same decisions
//   classes        what a race does: class, consequence, k, evidence (design: classify)
//   notes          what people say of a race
//   acceptances    a race does not count until a day (empty: ever), for a reason; or, withdrawn, it counts again. The
//                  latest says how it is
//
// What only a hive has (hive/store.h). It is neither merged nor exported: tokens and tasks are of one hive.
//
//   versions       the builds of programs that were submitted, by the identity that their processes tell: program,
//                  label, when, the run that analysed it, the size of its file
//   version_files  the file itself, in parts: zstd, then base64
//   candidates     what is validated in a version: a race, its two sites (hexadecimal), its weight; is_flag: it is
//                  told, not validated
//   tokens         who may speak: a hash of the token, role (site, developer, admin), name, when it was withdrawn (0:
//                  it is in force), when it was seen last. A site is the token that its agent has
//   tasks          a site validates, or validated, a candidate: order, tau (microseconds), since when; active; dropped
//                  (at the highest tau); executions, timeouts, time spent and time lived (microseconds) by it
//   results        what a site said of a candidate, by the site's own number for it: kind and what hive/verdict.h asks
//
// Times are seconds since 1970; days are "2027-03-01". In SQLite PRAGMA application_id is kApplication, user_version
// the version; in PostgreSQL the table norn_mark has both. The journal is SQLite's default, not WAL: a casebook is one
// file that can be copied, and read where nothing can be written. A process that is killed leaves a journal, from which
// the next one restores what was committed.
#pragma once

#include <string>
#include <vector>

#include "casebook/database.h"

namespace norn::casebook {

inline constexpr int kApplication = 0x6e6f726e;  // "norn"
inline constexpr int kVersion = 4;

// Tables with the statement that adds a row: in the order in which a row needs others. A row that is there already
// stays, unless the new one knows more.
struct Table {
  const char* name;
  const char* key;  // rows in this order are the same in every casebook with the same facts
  const char* add;
};
extern const Table kTables[];
extern const size_t kTableCount;
[[nodiscard]] const char* add_to(std::string_view table);

// Brings a database to a version, at most this norn's; a new one begins with 0. Throws, and nothing has changed, if it
// is of a newer norn, or of something else. True: it was new.
bool migrate(Database& database, int version = kVersion);
// What migrate() would throw, without changing anything; the version.
[[nodiscard]] int version_of(Database& database);

}  // namespace norn::casebook
