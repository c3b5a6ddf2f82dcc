#include "hive/local_hive.h"

#include <thread>

#include "casebook/times.h"
#include "hive/api/http_service.h"

namespace norn::hive {
namespace {

// Its only callers are this process's agents.
Limits local_limits() {
  Limits limits;
  limits.per_second = 10'000;
  limits.burst = 100'000;
  limits.poll = 1;
  return limits;
}

}  // namespace

struct LocalHive::Inside {
  Inside(const std::string& database, const Policy& policy)
      : api(database, policy, local_limits(), 4, casebook::now), service(api, {.threads = 8}) {}
  HiveApi api;
  HttpService service;
  std::thread serves{};
};

LocalHive::LocalHive(const std::string& database, const Policy& policy)
    : inside_(std::make_unique<Inside>(database, policy)) {}

LocalHive::~LocalHive() {
  if (!inside_->serves.joinable()) return;
  inside_->service.stop();
  inside_->serves.join();
}

bool LocalHive::start(std::string& error) {
  if (!inside_->service.bind(error)) return false;
  inside_->serves = std::thread([this] { inside_->service.serve(); });
  return true;
}

std::string LocalHive::url() const { return inside_->service.url(); }

}  // namespace norn::hive
