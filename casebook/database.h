// A database as the casebook uses it: statements, transactions, a version. Behind it is a file of SQLite (sqlite.h) or,
// for a fleet, a PostgreSQL server (postgres.h). What goes wrong is a CasebookError.
//
// Both are spoken to in the SQL that they share, with question marks for values. What they write differently is
// translated by the connection: types of columns, and where the version is kept. So there is one schema (schema.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace norn::casebook {

// Its words are one line for the user.
class CasebookError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Access : uint8_t { kRead, kWrite, kMemory };

enum class CellKind : uint8_t { kInteger, kReal, kText };

// A statement of one kind of database; Statement is what one uses.
class Query {
 public:
  Query() = default;
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  virtual ~Query() = default;

  virtual void reset() = 0;
  virtual void put(int place, int64_t value) = 0;
  virtual void put(int place, double value) = 0;
  virtual void put(int place, std::string_view value) = 0;
  [[nodiscard]] virtual bool step() = 0;
  [[nodiscard]] virtual int64_t integer(int column) const = 0;
  [[nodiscard]] virtual double real(int column) const = 0;
  [[nodiscard]] virtual std::string_view view(int column) const = 0;
  [[nodiscard]] virtual CellKind kind(int column) const = 0;
  [[nodiscard]] virtual int columns() const = 0;
  [[nodiscard]] virtual std::string_view name(int column) const = 0;
};

// What a database says of itself.
struct DatabaseMark {
  bool is_empty = true;
  int64_t application = 0;
  int64_t version = 0;
};

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  virtual void execute(const char* sql) = 0;
  [[nodiscard]] virtual std::unique_ptr<Query> prepare(const std::string& sql) = 0;
  virtual void begin() = 0;
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;
  [[nodiscard]] virtual DatabaseMark mark() = 0;
  virtual void set_mark(int64_t application, int64_t version) = 0;
  // All of another one becomes all of this one, in memory.
  virtual void copy(const Connection& other) = 0;
  // The number of rows that the latest statement of this connection added or changed.
  [[nodiscard]] virtual int64_t changes() const = 0;
};

class Database {
 public:
  // A file, or postgresql://… kWrite makes the file if there is none. Others who write are waited for, a minute at
  // most.
  Database(const std::string& path, Access access);

  void execute(const char* sql) { connection_->execute(sql); }
  [[nodiscard]] int64_t number(const char* sql);
  // All of it or nothing. Nobody else writes to the file meanwhile; of a server, nobody to the same rows.
  void transaction(const std::function<void()>& body);
  void copy(const Database& other) { connection_->copy(*other.connection_); }
  [[nodiscard]] DatabaseMark mark() { return connection_->mark(); }
  void set_mark(int64_t application, int64_t version) { connection_->set_mark(application, version); }

  // As it was named, without a password.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Connection& connection() const { return *connection_; }

 private:
  std::string path_;
  std::unique_ptr<Connection> connection_;
};

// Whether a name is that of a server, not of a file.
[[nodiscard]] bool is_server(std::string_view path);

class Statement {
 public:
  Statement(const Database& database, const std::string& sql)
      : connection_(database.connection()), query_(database.connection().prepare(sql)) {}

  // Values for the question marks, in their order; then step().
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int place = 0;
    (put(++place, values), ...);
    return *this;
  }
  void bind_from(int place, const Statement& row, int column);  // whatever it is
  // The next row; false: there is none.
  [[nodiscard]] bool step() { return query_->step(); }
  // The number of rows that it added or changed.
  int64_t run() {
    while (step()) {
    }
    return connection_.changes();
  }
  void reset() { query_->reset(); }

  [[nodiscard]] int64_t integer(int column) const { return query_->integer(column); }
  [[nodiscard]] double real(int column) const { return query_->real(column); }
  [[nodiscard]] bool is_integer(int column) const { return query_->kind(column) == CellKind::kInteger; }
  [[nodiscard]] std::string text(int column) const { return std::string(view(column)); }
  [[nodiscard]] std::string_view view(int column) const { return query_->view(column); }  // until the next step
  [[nodiscard]] int columns() const { return query_->columns(); }
  [[nodiscard]] std::string_view name(int column) const { return query_->name(column); }

 private:
  void put(int place, int64_t value) { query_->put(place, value); }
  void put(int place, int value) { put(place, int64_t{value}); }
  void put(int place, bool value) { put(place, int64_t{value}); }
  void put(int place, double value) { query_->put(place, value); }
  void put(int place, std::string_view value) { query_->put(place, value); }
  void put(int place, const std::string& value) { put(place, std::string_view(value)); }
  void put(int place, const char* value) { put(place, std::string_view(value)); }

  Connection& connection_;
  std::unique_ptr<Query> query_;
};

}  // namespace norn::casebook
