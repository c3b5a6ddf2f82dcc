#include "casebook/postgres.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <libpq-fe.h>

#include <cctype>
#include <cstdlib>
#include <utility>
#include <vector>

namespace norn::casebook {
namespace {

// Types of values, as pg_type has them.
constexpr Oid kBigint = 20, kText = 25, kDouble = 701;

// What nobody else takes: that one process at a time brings the tables to a version.
constexpr int64_t kMigrationLock = 0x6e6f726e;

// PostgreSQL's library brings twenty others along: it is loaded by who keeps a casebook in a database, not by every
// norn.
struct Symbol {
  const char* name;
  template <class Function>
  operator Function*() const {
    static void* const library = dlopen("libpq.so.5", RTLD_NOW);
    void* found = library == nullptr ? nullptr : dlsym(library, name);
    if (found == nullptr) throw CasebookError(dlerror());
    return reinterpret_cast<Function*>(found);
  }
};

struct Libpq {
  decltype(&PQclear) clear = Symbol{"PQclear"};
  decltype(&PQconnectdb) connect = Symbol{"PQconnectdb"};
  decltype(&PQstatus) status = Symbol{"PQstatus"};
  decltype(&PQsetNoticeProcessor) set_notice_processor = Symbol{"PQsetNoticeProcessor"};
  decltype(&PQexec) exec = Symbol{"PQexec"};
  decltype(&PQtransactionStatus) transaction_status = Symbol{"PQtransactionStatus"};
  decltype(&PQexecParams) exec_params = Symbol{"PQexecParams"};
  decltype(&PQcmdTuples) cmd_tuples = Symbol{"PQcmdTuples"};
  decltype(&PQresultStatus) result_status = Symbol{"PQresultStatus"};
  decltype(&PQerrorMessage) error_message = Symbol{"PQerrorMessage"};
  decltype(&PQfinish) finish = Symbol{"PQfinish"};
  decltype(&PQntuples) ntuples = Symbol{"PQntuples"};
  decltype(&PQgetlength) getlength = Symbol{"PQgetlength"};
  decltype(&PQftype) ftype = Symbol{"PQftype"};
  decltype(&PQnfields) nfields = Symbol{"PQnfields"};
  decltype(&PQfname) fname = Symbol{"PQfname"};
  decltype(&PQgetvalue) getvalue = Symbol{"PQgetvalue"};
};

const Libpq& pq() {
  static const Libpq functions;
  return functions;
}

struct ClearResult {
  void operator()(PGresult* result) const { pq().clear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

// PostgreSQL's text has no zero bytes, and nothing but UTF-8. What is no character becomes a question mark.
std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    size_t length = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (first == 0 || first >= 0xf5 || i + length > text.size()) length = 0;
    for (size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) length = 0;
    if (length >= 3) {
      // Nothing longer than need be, no surrogates, nothing above U+10FFFF.
      const auto second = static_cast<unsigned char>(text[i + 1]);
      if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) || (first == 0xf0 && second < 0x90) ||
          (first == 0xf4 && second >= 0x90))
        length = 0;
    }
    clean.append(length == 0 ? std::string_view("?") : text.substr(i, length));
    i += std::max<size_t>(length, 1);
  }
  return clean;
}

class PostgresConnection final : public Connection {
 public:
  PostgresConnection(const std::string& address, std::string name) : name_(std::move(name)) {
    handle_.reset(pq().connect(address.c_str()));
    if (pq().status(handle_.get()) != CONNECTION_OK) fail();
    pq().set_notice_processor(handle_.get(), [](void*, const char*) {}, nullptr);
  }

  void execute(const char* sql) override { check(Result(pq().exec(handle_.get(), column_types(sql).c_str()))); }
  std::unique_ptr<Query> prepare(const std::string& sql) override;
  void begin() override { execute("BEGIN"); }
  void commit() override { execute("COMMIT"); }
  void roll_back() noexcept override {
    if (pq().transaction_status(handle_.get()) != PQTRANS_IDLE) Result(pq().exec(handle_.get(), "ROLLBACK"));
  }
  DatabaseMark mark() override {
    // Within a transaction nobody else migrates until it ends.
    if (pq().transaction_status(handle_.get()) == PQTRANS_INTRANS)
      execute(fmt::format("SELECT pg_advisory_xact_lock({})", kMigrationLock).c_str());
    const std::unique_ptr<Query> exists = prepare("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()");
    DatabaseMark mark{.is_empty = !exists->step() || exists->integer(0) == 0};
    const std::unique_ptr<Query> marked =
        prepare("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'norn_mark'");
    if (marked->step() && marked->integer(0) > 0) {
      const std::unique_ptr<Query> row = prepare("SELECT application, version FROM norn_mark");
      if (row->step()) {
        mark.application = row->integer(0);
        mark.version = row->integer(1);
      }
    }
    return mark;
  }
  void set_mark(int64_t application, int64_t version) override {
    execute("CREATE TABLE IF NOT EXISTS norn_mark(application INTEGER NOT NULL, version INTEGER NOT NULL)");
    execute(fmt::format("DELETE FROM norn_mark; INSERT INTO norn_mark VALUES({}, {})", application, version).c_str());
  }
  void copy(const Connection& /*other*/) override { throw CasebookError(name_ + ": only a file can be copied"); }
  int64_t changes() const override { return changes_; }

  Result run(const std::string& sql, const std::vector<std::string>& values, const std::vector<Oid>& types) {
    std::vector<const char*> texts;
    texts.reserve(values.size());
    for (const std::string& value : values) texts.push_back(value.c_str());
    Result result(pq().exec_params(handle_.get(), sql.c_str(), static_cast<int>(values.size()), types.data(),
                                   texts.data(), nullptr, nullptr, 0));
    check(result);
    changes_ = std::strtoll(pq().cmd_tuples(result.get()), nullptr, 10);
    return result;
  }

 private:
  void check(const Result& result) const {
    const ExecStatusType status = pq().result_status(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail();
  }
  [[noreturn]] void fail() const {
    std::string words = pq().error_message(handle_.get());
    if (const size_t end = words.find('\n'); end != std::string::npos) words.resize(end);
    throw CasebookError(fmt::format("{}: {}", name_, words));
  }

  struct Finish {
    void operator()(PGconn* connection) const { pq().finish(connection); }
  };
  std::string name_;
  std::unique_ptr<PGconn, Finish> handle_;
  int64_t changes_ = 0;
};

class PostgresQuery final : public Query {
 public:
  PostgresQuery(PostgresConnection& connection, const std::string& sql)
      : connection_(connection), sql_(numbered_places(sql)) {}

  void reset() override {
    result_.reset();
    row_ = -1;
  }
  void put(int place, int64_t value) override { keep(place, std::to_string(value), kBigint); }
  void put(int place, double value) override { keep(place, fmt::format("{}", value), kDouble); }
  void put(int place, std::string_view value) override { keep(place, clean_text(value), kText); }
  bool step() override {
    if (!result_) result_ = connection_.run(sql_, values_, types_);
    return ++row_ < pq().ntuples(result_.get());
  }
  int64_t integer(int column) const override { return std::strtoll(cell(column), nullptr, 10); }
  double real(int column) const override { return std::strtod(cell(column), nullptr); }
  std::string_view view(int column) const override {
    return {cell(column), static_cast<size_t>(pq().getlength(result_.get(), row_, column))};
  }
  CellKind kind(int column) const override {
    switch (pq().ftype(result_.get(), column)) {
      case kBigint:
      case 23:    // integer
      case 1700:  // numeric: a sum of bigints
        return CellKind::kInteger;
      case kDouble:
        return CellKind::kReal;
      default:
        return CellKind::kText;
    }
  }
  int columns() const override { return pq().nfields(result_.get()); }
  std::string_view name(int column) const override { return pq().fname(result_.get(), column); }

 private:
  void keep(int place, std::string value, Oid type) {
    const auto index = static_cast<size_t>(place - 1);
    if (values_.size() <= index) {
      values_.resize(index + 1);
      types_.resize(index + 1);
    }
    values_[index] = std::move(value);
    types_[index] = type;
  }
  [[nodiscard]] const char* cell(int column) const { return pq().getvalue(result_.get(), row_, column); }

  PostgresConnection& connection_;
  std::string sql_;
  std::vector<std::string> values_;
  std::vector<Oid> types_;
  Result result_;
  int row_ = -1;
};

std::unique_ptr<Query> PostgresConnection::prepare(const std::string& sql) {
  return std::make_unique<PostgresQuery>(*this, sql);
}

}  // namespace

std::string numbered_places(std::string_view sql) {
  std::string numbered;
  int place = 0;
  bool quoted = false;
  for (size_t i = 0; i < sql.size(); ++i) {
    quoted ^= sql[i] == '\'';
    if (sql[i] != '?' || quoted) {
      numbered += sql[i];
    } else if (i + 1 < sql.size() && std::isdigit(static_cast<unsigned char>(sql[i + 1])) != 0) {
      numbered += '$';  // "?1" has its number
    } else {
      numbered += fmt::format("${}", ++place);
    }
  }
  return numbered;
}

std::string column_types(std::string_view definition) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"INTEGER", "BIGINT"}, {"REAL", "DOUBLE PRECISION"}, {"TEXT", "TEXT COLLATE \"C\""}, {" WITHOUT ROWID", ""}};
  std::string translated(definition);
  for (const auto& [word, other] : kWords)
    for (size_t at = translated.find(word); at != std::string::npos; at = translated.find(word, at + other.size()))
      translated.replace(at, word.size(), other);
  return translated;
}

std::unique_ptr<Connection> connect_postgres(const std::string& address, const std::string& name) {
  return std::make_unique<PostgresConnection>(address, name);
}

}  // namespace norn::casebook
