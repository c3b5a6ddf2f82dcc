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

class SqliteConnection final : public Connection {
 public:
  SqliteConnection(const std::string& path, Access access) : path_(path) {
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

  void execute(const char* sql) override {
    if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  std::unique_ptr<Query> prepare(const std::string& sql) override;
  void begin() override { execute("BEGIN IMMEDIATE"); }
  void commit() override { execute("COMMIT"); }
  void roll_back() noexcept override {
    // SQLite has ended it by itself after some errors.
    if (sqlite3_get_autocommit(handle_.get()) == 0) sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  DatabaseMark mark() override {
    // In one statement: another process may be about to make it.
    const std::unique_ptr<Query> row = prepare(
        "SELECT (SELECT count(*) FROM sqlite_schema), application_id, user_version FROM pragma_application_id, "
        "pragma_user_version");
    if (!row->step()) return {};
    return {.is_empty = row->integer(0) == 0, .application = row->integer(1), .version = row->integer(2)};
  }
  void set_mark(int64_t application, int64_t version) override {
    execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, version).c_str());
  }
  void copy(const Connection& other) override {
    const auto* from = dynamic_cast<const SqliteConnection*>(&other);
    if (from == nullptr) throw CasebookError(path_ + ": only a file can be copied");
    sqlite3_backup* backup = sqlite3_backup_init(handle_.get(), "main", from->handle_.get(), "main");
    if (backup == nullptr) fail();
    sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK) fail();
  }
  int64_t changes() const override { return sqlite3_changes64(handle_.get()); }

  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail() const {
    sqlite3* database = handle_.get();
    throw CasebookError(fmt::format(
        "{}: {}", path_,
        words_of(sqlite3_extended_errcode(database), sqlite3_errmsg(database), sqlite3_system_errno(database))));
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class SqliteQuery final : public Query {
 public:
  SqliteQuery(const SqliteConnection& connection, const std::string& sql) : connection_(connection) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(connection.handle(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) connection.fail();
    handle_.reset(statement);
  }

  void reset() override { sqlite3_reset(handle_.get()); }
  void put(int place, int64_t value) override {
    if (sqlite3_bind_int64(handle_.get(), place, value) != SQLITE_OK) connection_.fail();
  }
  void put(int place, double value) override {
    if (sqlite3_bind_double(handle_.get(), place, value) != SQLITE_OK) connection_.fail();
  }
  void put(int place, std::string_view value) override {
    // A null pointer would be NULL.
    const char* bytes = value.empty() ? "" : value.data();
    if (sqlite3_bind_text64(handle_.get(), place, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK)
      connection_.fail();
  }
  bool step() override {
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    connection_.fail();
  }
  int64_t integer(int column) const override { return sqlite3_column_int64(handle_.get(), column); }
  double real(int column) const override { return sqlite3_column_double(handle_.get(), column); }
  std::string_view view(int column) const override {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
    return text == nullptr ? std::string_view()
                           : std::string_view(text, static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column)));
  }
  CellKind kind(int column) const override {
    const int type = sqlite3_column_type(handle_.get(), column);
    return type == SQLITE_INTEGER ? CellKind::kInteger : type == SQLITE_FLOAT ? CellKind::kReal : CellKind::kText;
  }
  int columns() const override { return sqlite3_column_count(handle_.get()); }
  std::string_view name(int column) const override { return sqlite3_column_name(handle_.get(), column); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  const SqliteConnection& connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

std::unique_ptr<Query> SqliteConnection::prepare(const std::string& sql) {
  return std::make_unique<SqliteQuery>(*this, sql);
}

}  // namespace

std::unique_ptr<Connection> open_sqlite(const std::string& path, Access access) {
  return std::make_unique<SqliteConnection>(path, access);
}

}  // namespace norn::casebook
