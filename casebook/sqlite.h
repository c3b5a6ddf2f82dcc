// SQLite behind the interface of database.h.
#pragma once

#include <memory>
#include <string>

#include "casebook/database.h"

namespace norn::casebook {

[[nodiscard]] std::unique_ptr<Connection> open_sqlite(const std::string& path, Access access);

}  // namespace norn::casebook
