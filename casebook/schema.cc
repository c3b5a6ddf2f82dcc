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

    R"(CREATE TABLE versions(build TEXT PRIMARY KEY, program TEXT NOT NULL, label TEXT NOT NULL,
         submitted INTEGER NOT NULL, run INTEGER NOT NULL, size INTEGER NOT NULL);
       CREATE TABLE version_files(build TEXT NOT NULL, part INTEGER NOT NULL, bytes TEXT NOT NULL,
         PRIMARY KEY(build, part)) WITHOUT ROWID;
       CREATE TABLE candidates(build TEXT NOT NULL, race TEXT NOT NULL, site_a TEXT NOT NULL, site_b TEXT NOT NULL,
         weight INTEGER NOT NULL, is_flag INTEGER NOT NULL, source TEXT NOT NULL, PRIMARY KEY(build, race)) WITHOUT ROWID;
       CREATE TABLE tokens(id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, role TEXT NOT NULL, name TEXT NOT NULL,
         created INTEGER NOT NULL, withdrawn INTEGER NOT NULL, seen INTEGER NOT NULL);
       CREATE TABLE tasks(site TEXT NOT NULL, build TEXT NOT NULL, race TEXT NOT NULL, ordering INTEGER NOT NULL,
         tau INTEGER NOT NULL, assigned INTEGER NOT NULL, active INTEGER NOT NULL, dropped INTEGER NOT NULL,
         executions INTEGER NOT NULL, timeouts INTEGER NOT NULL, spent INTEGER NOT NULL, lived INTEGER NOT NULL,
         PRIMARY KEY(site, build, race)) WITHOUT ROWID;
       CREATE INDEX tasks_of ON tasks(build, active);
       CREATE TABLE results(site TEXT NOT NULL, id TEXT NOT NULL, build TEXT NOT NULL, race TEXT NOT NULL,
         execution TEXT NOT NULL, received INTEGER NOT NULL, kind TEXT NOT NULL, ordering INTEGER NOT NULL,
         tau INTEGER NOT NULL, spent INTEGER NOT NULL, lived INTEGER NOT NULL, detail TEXT NOT NULL,
         PRIMARY KEY(site, id)) WITHOUT ROWID;
       CREATE INDEX results_of ON results(build, race, kind);)",

    "ALTER TABLE confirmations ADD COLUMN met TEXT NOT NULL DEFAULT ''",
};
static_assert(std::size(kSteps) == kVersion);

}  // namespace

const Table kTables[] = {
    {"builds", "mark", "INSERT INTO builds VALUES(?,?,?,?) ON CONFLICT DO NOTHING"},
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
     "standing = CASE WHEN 'proved' IN (detections.standing, excluded.standing) AND 'observed' NOT IN "
     "(detections.standing, excluded.standing) THEN 'proved' "
     "WHEN excluded.standing < detections.standing THEN excluded.standing ELSE detections.standing END, "
     "count = CASE WHEN excluded.count > detections.count THEN excluded.count ELSE detections.count END, "
     "suppressed_by = CASE WHEN excluded.suppressed_by > detections.suppressed_by THEN excluded.suppressed_by "
     "ELSE detections.suppressed_by END"},
    {"confirmations", "race, time, id", "INSERT INTO confirmations VALUES(?,?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING"},
    {"replays", "race, time, id", "INSERT INTO replays VALUES(?,?,?,?,?,?) ON CONFLICT DO NOTHING"},
    {"classes", "race, time, id", "INSERT INTO classes VALUES(?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING"},
    {"notes", "race, time, id", "INSERT INTO notes VALUES(?,?,?,?,?) ON CONFLICT DO NOTHING"},
    {"acceptances", "race, time, id", "INSERT INTO acceptances VALUES(?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING"},
};
const size_t kTableCount = std::size(kTables);

const char* add_to(std::string_view table) {
  for (const Table& each : kTables)
    if (each.name == table) return each.add;
  throw CasebookError(fmt::format("no table {}", table));
}

int version_of(Database& database) {
  const auto [is_empty, application, version] = database.mark();
  if (is_empty && application == 0 && version == 0) return 0;
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
    database.set_mark(kApplication, version);
  });
  return is_new;
}

}  // namespace norn::casebook
