// A server in this process, on a free port of this machine: for norn hive run and simulate, which need no set-up. What
// it speaks is what any server speaks.
#pragma once

#include <memory>
#include <string>

#include "hive/assignment.h"

namespace norn::hive {

class LocalHive {
 public:
  LocalHive(const std::string& database, const Policy& policy);
  ~LocalHive();
  LocalHive(const LocalHive&) = delete;
  LocalHive& operator=(const LocalHive&) = delete;

  // False, and one line in `error`: it cannot listen.
  [[nodiscard]] bool start(std::string& error);
  [[nodiscard]] std::string url() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace norn::hive
