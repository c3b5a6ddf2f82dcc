// The hive's API, without a network: calls in, replies out. http_service.h binds it to HTTP; openapi.json, which the
// server tells, describes it, and a test holds the two together.
//
// A call is admitted before its body is read: there is such a route, the token is in force and of a role that may, the
// body is not too long, and its sender does not ask too often. Nothing that a caller says is trusted: what is too long
// or out of its range is refused with one line, in {"error": "…"}.
//
// Any number of threads and servers work on one database. What is kept here (connections, what was read a second ago,
// how often somebody asked) is nothing that counts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hive/api/rate_limit.h"
#include "hive/api/store_pool.h"

namespace norn::hive {

struct Limits {
  size_t longest_request = 1 << 20;      // bytes, of most requests
  size_t longest_submission = 64 << 20;  // of candidates
  size_t longest_file = 256 << 20;
  size_t results = 1'000;      // in one request
  double burst = 200;          // requests of one token at once
  double per_second = 20;      // afterwards
  double failures = 50;        // requests of one address with a token that is none, at once
  double failures_second = 1;  // afterwards
  int64_t poll = 5;            // seconds after which an agent asks again
};

struct Call {
  std::string method;
  std::string path;
  std::map<std::string, std::string> query{};
  std::string token{};
  std::string peer{};  // an address
  size_t length = 0;   // of the body
  std::string body{};
};

struct Reply {
  int status = 200;
  std::string body{};
  std::string type = "application/json";
};

struct Route;

// A call that may be handled, or why not.
struct Admission {
  std::optional<Reply> refusal{};
  const Route* route = nullptr;
  std::vector<std::string> places{};  // what stood for {…} in the route's path
  std::optional<Token> caller{};
};

class HiveApi;
// What a handler sees.
struct Request {
  const Call& call;
  const Admission& admission;
  int64_t now = 0;
};

struct Route {
  const char* method;
  const char* path;          // "/api/v1/versions/{build}/file"
  std::optional<Role> role;  // nothing: anybody
  size_t Limits::* longest;  // null: it has no body
  Reply (HiveApi::*handle)(const Request& request);
};

class HiveApi {
 public:
  // The size is that of the pool of connections; `now`: seconds since 1970.
  HiveApi(const std::string& database, const Policy& policy, const Limits& limits, size_t size,
          std::function<int64_t()> now);

  [[nodiscard]] Admission admit(const Call& call);
  // Of an admitted call, with its body.
  [[nodiscard]] Reply handle(const Call& call, const Admission& admission);
  // Both.
  [[nodiscard]] Reply answer(const Call& call);

  [[nodiscard]] static std::span<const Route> routes();
  [[nodiscard]] const Limits& limits() const { return limits_; }

 private:
  friend struct Routes;
  Reply page(const Request& request);
  Reply description(const Request& request);
  Reply health(const Request& request);
  Reply tasks(const Request& request);
  Reply results(const Request& request);
  Reply versions(const Request& request);
  Reply submit(const Request& request);
  Reply put_file(const Request& request);
  Reply get_file(const Request& request);
  Reply candidates(const Request& request);
  Reply candidate(const Request& request);
  Reply failures(const Request& request);
  Reply sites(const Request& request);
  Reply tokens(const Request& request);
  Reply add_token(const Request& request);
  Reply withdraw_token(const Request& request);
  Reply restore_token(const Request& request);
  Reply casebook(const Request& request);

  // Calls body(slot) with a connection. If it fails, it is given up.
  template <class Body>
  auto with_slot(const Body& body);

  StorePool pool_;
  const Limits limits_;
  const std::function<int64_t()> now_;
  RateLimit requests_;
  RateLimit failures_;
};

// {"error": words}
[[nodiscard]] Reply refusal(int status, const std::string& words);

}  // namespace norn::hive
