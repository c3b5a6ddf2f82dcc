#include "casebook/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace norn::casebook {
namespace {

constexpr int kPatience = 60'000;  // milliseconds

std::string words_of(int code, const char* message, int system_error) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return "not a casebook; nothing was written to it";
    case SQLITE_CORRUPT:
      return "the casebook is damaged and was left as it is; move it away, or try: sqlite3 FILE .recover";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process holds the casebook, for more than a minute";
    case SQLITE_FULL:
      return "the disk is full";
    case SQLITE_READONLY:
      return "the casebook cannot be written";
    case SQLITE_CANTOPEN:
      return fmt::format("the casebook cannot be opened: {}",
                         system_error != 0 ? std::strerror(system_error) : "unable to open the file");
    default:
      return message;
  }
}

}  // namespace

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }
void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(const std::string& path, Access access) : path_(path) {
  sqlite3* database = nullptr;
  const int flags = access == Access::kRead    ? SQLITE_OPEN_READWRITE
                    : access == Access::kWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                               : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
  // Who only reads may have to undo what a killed writer left half done. Where nothing can be written, SQLite reads.
  const int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  handle_.reset(database);
  if (database == nullptr) throw CasebookError(path + ": out of memory");
  sqlite3_extended_result_codes(database, 1);
  if (code != SQLITE_OK) fail();
  sqlite3_busy_timeout(database, kPatience);
}

void Database::fail() const {
  sqlite3* database = handle_.get();
  throw CasebookError(fmt::format(
      "{}: {}", path_,
      words_of(sqlite3_extended_errcode(database), sqlite3_errmsg(database), sqlite3_system_errno(database))));
}

void Database::execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::transaction(const std::function<void()>& body) {
  execute("BEGIN IMMEDIATE");
  try {
    body();
    execute("COMMIT");
  } catch (...) {
    // SQLite has ended it by itself after some errors.
    if (sqlite3_get_autocommit(handle_.get()) == 0) sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

void Database::copy(const Database& other) {
  sqlite3_backup* backup = sqlite3_backup_init(handle_.get(), "main", other.handle(), "main");
  if (backup == nullptr) fail();
  sqlite3_backup_step(backup, -1);
  if (sqlite3_backup_finish(backup) != SQLITE_OK) fail();
}

Statement::Statement(const Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) database.fail();
  handle_.reset(statement);
}

void Statement::reset() { sqlite3_reset(handle_.get()); }

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  database_.fail();
}

void Statement::put(int place, int64_t value) {
  if (sqlite3_bind_int64(handle_.get(), place, value) != SQLITE_OK) database_.fail();
}
void Statement::put(int place, double value) {
  if (sqlite3_bind_double(handle_.get(), place, value) != SQLITE_OK) database_.fail();
}
void Statement::put(int place, std::string_view value) {
  // A null pointer would be NULL.
  const char* bytes = value.empty() ? "" : value.data();
  if (sqlite3_bind_text64(handle_.get(), place, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK)
    database_.fail();
}
void Statement::bind_from(int place, const Statement& row, int column) {
  if (sqlite3_bind_value(handle_.get(), place, sqlite3_column_value(row.handle_.get(), column)) != SQLITE_OK)
    database_.fail();
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }
bool Statement::is_integer(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_INTEGER; }
std::string_view Statement::view(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column)));
}
int Statement::columns() const { return sqlite3_column_count(handle_.get()); }
std::string_view Statement::name(int column) const { return sqlite3_column_name(handle_.get(), column); }

}  // namespace norn::casebook
