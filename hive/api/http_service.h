// The API over HTTP, or HTTPS: what listens. The only sources that see cpp-httplib are this one's and client.cc.
//
// Of what HTTP can say little is needed, and the rest is refused before a body is read: bodies without a length or with
// an encoding, ranges, long paths. A refusal ends the connection, so that what follows it is never taken for a request.
#pragma once

#include <memory>
#include <string>

#include "hive/api/hive_api.h"

namespace norn::hive {

struct ListenOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
  std::string certificate{};
  std::string key{};
  unsigned threads = 32;  // connections that are served at once
};

class HttpService {
 public:
  HttpService(HiveApi& api, const ListenOptions& options);
  ~HttpService();
  HttpService(const HttpService&) = delete;
  HttpService& operator=(const HttpService&) = delete;

  // False, and one line in `error`: it cannot listen there.
  [[nodiscard]] bool bind(std::string& error);
  // Serves until stop().
  void serve();
  void stop();

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string url() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// "host:port", "[::1]:8430", ":8430", "8430" or "host"; false: it is none of them.
[[nodiscard]] bool read_address(const std::string& text, std::string& host, int& port);
// Whether only this machine can reach it.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace norn::hive
