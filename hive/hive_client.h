// Who speaks to a hive: the agent and the verbs of the command line. A connection is kept between requests.
#pragma once

#include <memory>
#include <string>

namespace norn::hive {

struct Answer {
  int status = 0;  // 0: nobody answered; `words` say why
  std::string body{};
  std::string words{};  // one line, if it was refused or nobody answered

  [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

class HiveClient {
 public:
  // "https://hive.example.org", "http://127.0.0.1:8430". `authority`: a file of certificates to trust in place of the
  // system's; empty: the system's.
  HiveClient(const std::string& url, std::string token, const std::string& authority = "");
  ~HiveClient();
  HiveClient(const HiveClient&) = delete;
  HiveClient& operator=(const HiveClient&) = delete;

  [[nodiscard]] Answer get(const std::string& path);
  [[nodiscard]] Answer post(const std::string& path, const std::string& body);
  [[nodiscard]] Answer put(const std::string& path, const std::string& body, const char* type);
  [[nodiscard]] Answer erase(const std::string& path);
  // From another thread: whatever it waits for ends.
  void stop();

  // Empty, or one line that says what is wrong with an address. A token is not sent over plain HTTP, except to this
  // machine.
  [[nodiscard]] static std::string fault_of(const std::string& url);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace norn::hive
