#include "casebook/schema.h"

#include <fmt/format.h>

#include <iterator>

namespace norn::casebook {
namespace {

// Step i leads from version i to i + 1. A step is never changed once a norn with it was used.
constexpr const char* kSteps[] = {
    R"(CREATE TABLE builds(id INTEGER PRIMARY KEY, mark TEXT NOT NULL, path TEXT NOT NULL, modified INTEGER NOT NULL);
       CREATE TABLE runs(id INTEGER PRIMARY KEY, verb TEXT NOT NULL, number INTEGER NOT NULL, program TEXT NOT NULL,
         command TEXT NOT NULL, directory TEXT NOT NULL, build INTEGER NOT NULL, started INTEGER NOT NULL,
         seconds REAL NOT NULL, exit INTEGER NOT NULL, signal INTEGER NOT NULL, timed_out INTEGER NOT NULL,
         engine TEXT NOT NULL, front_end TEXT NOT NULL, complete INTEGER NOT NULL);
       CREATE TABLE races(id TEXT PRIMARY KEY, kind TEXT NOT NULL, variable TEXT NOT NULL, access_a TEXT NOT NULL,
         access_b TEXT NOT NULL, file_a TEXT NOT NULL, file_b TEXT NOT NULL, described INTEGER NOT NULL,
         run INTEGER NOT NULL) WITHOUT ROWID;
       CREATE TABLE records(race TEXT PRIMARY KEY, text TEXT NOT NULL, described INTEGER NOT NULL,
         run INTEGER NOT NULL);
       CREATE TABLE detections(race TEXT NOT NULL, run INTEGER NOT NULL, standing TEXT NOT NULL,
         count INTEGER NOT NULL, suppressed_by TEXT NOT NULL, PRIMARY KEY(race, run)) WITHOUT ROWID;
       CREATE TABLE confirmations(id INTEGER PRIMARY KEY, race TEXT NOT NULL, run INTEGER NOT NULL,
         time INTEGER NOT NULL, runs INTEGER NOT NULL, confirmed INTEGER NOT NULL, token TEXT NOT NULL,
         strategy TEXT NOT NULL, consequence TEXT NOT NULL);
       CREATE INDEX confirmations_of ON confirmations(race);
       CREATE TABLE notes(id INTEGER PRIMARY KEY, race TEXT NOT NULL, time INTEGER NOT NULL, author TEXT NOT NULL,
         text TEXT NOT NULL);
       CREATE INDEX notes_of ON notes(race);
       CREATE TABLE acceptances(id INTEGER PRIMARY KEY, race TEXT NOT NULL, time INTEGER NOT NULL,
         author TEXT NOT NULL, reason TEXT NOT NULL, owner TEXT NOT NULL, until TEXT NOT NULL,
         withdrawn INTEGER NOT NULL);
       CREATE INDEX acceptances_of ON acceptances(race);)",

    R"(CREATE TABLE replays(id INTEGER PRIMARY KEY, race TEXT NOT NULL, run INTEGER NOT NULL, time INTEGER NOT NULL,
         token TEXT NOT NULL, same INTEGER NOT NULL);
       CREATE INDEX replays_of ON replays(race);
       CREATE TABLE classes(id INTEGER PRIMARY KEY, race TEXT NOT NULL, run INTEGER NOT NULL, time INTEGER NOT NULL,
         class TEXT NOT NULL, consequence TEXT NOT NULL, k INTEGER NOT NULL, evidence TEXT NOT NULL);
       CREATE INDEX classes_of ON classes(race);)",
};
static_assert(std::size(kSteps) == kVersion);

}  // namespace

const Table kTables[] = {
    {"builds", "mark", "INSERT OR IGNORE INTO builds VALUES(?,?,?,?)"},
    // What norn knew of its own run is more than what a findings file tells of it.
    {"runs", "started, id",
     "INSERT INTO runs VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO UPDATE SET verb = excluded.verb, "
     "number = excluded.number, build = excluded.build WHERE runs.verb = 'import' AND excluded.verb <> 'import'"},
    {"races", "id",
     "INSERT INTO races VALUES(?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO UPDATE SET kind = excluded.kind, "
     "variable = excluded.variable, access_a = excluded.access_a, access_b = excluded.access_b, "
     "file_a = excluded.file_a, file_b = excluded.file_b, described = excluded.described, run = excluded.run "
     "WHERE (excluded.described, excluded.run) > (races.described, races.run)"},
    {"records", "race",
     "INSERT INTO records VALUES(?,?,?,?) ON CONFLICT(race) DO UPDATE SET text = excluded.text, "
     "described = excluded.described, run = excluded.run "
     "WHERE (excluded.described, excluded.run) > (records.described, records.run)"},
    // 'observed' comes before 'predicted'; both say more than 'static'.
    {"detections", "race, run",
     "INSERT INTO detections VALUES(?,?,?,?,?) ON CONFLICT(race, run) DO UPDATE SET "
     "standing = CASE WHEN 'proved' IN (standing, excluded.standing) AND 'observed' NOT IN (standing, "
     "excluded.standing) "
     "THEN 'proved' ELSE min(standing, excluded.standing) END, count = max(count, excluded.count), "
     "suppressed_by = max(suppressed_by, excluded.suppressed_by)"},
    {"confirmations", "race, time, id", "INSERT OR IGNORE INTO confirmations VALUES(?,?,?,?,?,?,?,?,?)"},
    {"replays", "race, time, id", "INSERT OR IGNORE INTO replays VALUES(?,?,?,?,?,?)"},
    {"classes", "race, time, id", "INSERT OR IGNORE INTO classes VALUES(?,?,?,?,?,?,?,?)"},
    {"notes", "race, time, id", "INSERT OR IGNORE INTO notes VALUES(?,?,?,?,?)"},
    {"acceptances", "race, time, id", "INSERT OR IGNORE INTO acceptances VALUES(?,?,?,?,?,?,?,?)"},
};
const size_t kTableCount = std::size(kTables);

const char* add_to(std::string_view table) {
  for (const Table& each : kTables)
    if (each.name == table) return each.add;
  throw CasebookError(fmt::format("no table {}", table));
}

int version_of(Database& database) {
  // In one statement: another process may be about to make it.
  Statement row(database,
                "SELECT (SELECT count(*) FROM sqlite_schema), application_id, user_version FROM pragma_application_id, "
                "pragma_user_version");
  if (!row.step()) return 0;
  const int64_t tables = row.integer(0), application = row.integer(1), version = row.integer(2);
  if (tables == 0 && application == 0 && version == 0) return 0;
  if (application != kApplication)
    throw CasebookError(fmt::format("{}: a database, but not a casebook; nothing was written to it", database.path()));
  if (version > kVersion)
    throw CasebookError(
        fmt::format("{}: the casebook is of a newer norn (version {}, this one knows {}); nothing was "
                    "written to it",
                    database.path(), version, kVersion));
  return static_cast<int>(version);
}

bool migrate(Database& database, int version) {
  if (version_of(database) == version) return false;
  bool is_new = false;
  database.transaction([&] {
    // Another process may have done it since.
    const int before = version_of(database);
    is_new = before == 0;
    for (int step = before; step < version; ++step) database.execute(kSteps[step]);
    database.execute(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
    database.execute(fmt::format("PRAGMA user_version = {}", version).c_str());
  });
  return is_new;
}

}  // namespace norn::casebook
