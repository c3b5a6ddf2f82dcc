// PostgreSQL behind the interface of database.h.
#pragma once

#include <memory>
#include <string>

#include "casebook/database.h"

namespace norn::casebook {

// `name` is how messages call it: without the password.
[[nodiscard]] std::unique_ptr<Connection> connect_postgres(const std::string& address, const std::string& name);

// What differs between SQLite's SQL and PostgreSQL's. For tests.
[[nodiscard]] std::string numbered_places(std::string_view sql);      // "a = ? AND b = ?" → "a = $1 AND b = $2"
[[nodiscard]] std::string column_types(std::string_view definition);  // INTEGER → BIGINT, …

}  // namespace norn::casebook
