// SQLite as the casebook uses it: a database, statements, transactions. What goes wrong is a CasebookError.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace norn::casebook {

// Its words are one line for the user.
class CasebookError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Access : uint8_t { kRead, kWrite, kMemory };

class Database {
 public:
  // kWrite makes the file if there is none. Others who write are waited for, a minute at most.
  Database(const std::string& path, Access access);

  void execute(const char* sql);
  [[nodiscard]] int64_t number(const char* sql);
  // All of it or nothing. Nobody else writes meanwhile.
  void transaction(const std::function<void()>& body);
  // All of another one becomes all of this one.
  void copy(const Database& other);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[noreturn]] void fail() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  Statement(const Database& database, const std::string& sql);

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
  [[nodiscard]] bool step();
  void run() {
    while (step()) {
    }
  }
  void reset();

  [[nodiscard]] int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] bool is_integer(int column) const;
  [[nodiscard]] std::string text(int column) const { return std::string(view(column)); }
  [[nodiscard]] std::string_view view(int column) const;  // until the next step
  [[nodiscard]] int columns() const;
  [[nodiscard]] std::string_view name(int column) const;

 private:
  void put(int place, int64_t value);
  void put(int place, int value) { put(place, int64_t{value}); }
  void put(int place, bool value) { put(place, int64_t{value}); }
  void put(int place, double value);
  void put(int place, std::string_view value);
  void put(int place, const std::string& value) { put(place, std::string_view(value)); }
  void put(int place, const char* value) { put(place, std::string_view(value)); }

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace norn::casebook
