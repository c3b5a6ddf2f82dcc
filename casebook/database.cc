#include "casebook/database.h"

#include "casebook/postgres.h"
#include "casebook/sqlite.h"

namespace norn::casebook {
namespace {

std::string without_password(std::string path) {
  const size_t host = path.find('@');
  const size_t user = path.find("://");
  if (!is_server(path) || host == std::string::npos) return path;
  const size_t password = path.find(':', user + 3);
  return password < host ? path.erase(password, host - password) : path;
}

}  // namespace

bool is_server(std::string_view path) { return path.starts_with("postgresql://") || path.starts_with("postgres://"); }

Database::Database(const std::string& path, Access access)
    : path_(without_password(path)),
      connection_(is_server(path) && access != Access::kMemory ? connect_postgres(path, path_)
                                                               : open_sqlite(path, access)) {}

int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::transaction(const std::function<void()>& body) {
  connection_->begin();
  try {
    body();
    connection_->commit();
  } catch (...) {
    connection_->roll_back();
    throw;
  }
}

void Statement::bind_from(int place, const Statement& row, int column) {
  switch (row.query_->kind(column)) {
    case CellKind::kInteger:
      return put(place, row.integer(column));
    case CellKind::kReal:
      return put(place, row.real(column));
    case CellKind::kText:
      return put(place, row.view(column));
  }
}

}  // namespace norn::casebook
