#include "hive/hive_client.h"

#include <fmt/format.h>
#include <httplib.h>

#include <nlohmann/json.hpp>

#include "hive/api/http_service.h"

namespace norn::hive {
namespace {

constexpr std::string_view kPlain = "http://", kSecure = "https://";

// Why nobody answered.
std::string words_of(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return "nobody listens there";
    case httplib::Error::SSLLoadingCerts:
      return "the certificates to trust cannot be read";
    case httplib::Error::SSLServerVerification:
      return "its certificate is not trusted (see --authority)";
    case httplib::Error::SSLConnection:
      return "no TLS connection to it can be made";
    default:
      return "the connection ended: " + httplib::to_string(error);
  }
}

}  // namespace

struct HiveClient::Inside {
  std::string url;
  httplib::Client client;

  Answer answer(const httplib::Result& result) const {
    if (!result) return {.words = fmt::format("the hive at {} does not answer: {}", url, words_of(result.error()))};
    Answer answer{.status = result->status, .body = result->body};
    if (answer.ok()) return answer;
    const auto said = nlohmann::json::parse(answer.body, nullptr, false);
    const bool is_ours = said.is_object() && said.contains("error") && said["error"].is_string();
    answer.words = fmt::format("the hive at {} refuses ({}): {}", url, answer.status,
                               is_ours ? said["error"].get<std::string>() : "it does not say why");
    return answer;
  }
};

HiveClient::HiveClient(const std::string& url, std::string token, const std::string& authority)
    : inside_(std::make_unique<Inside>(Inside{url, httplib::Client(url)})) {
  httplib::Client& client = inside_->client;
  client.set_default_headers({{"Authorization", "Bearer " + std::move(token)}});
  client.set_keep_alive(true);
  client.set_tcp_nodelay(true);
  client.set_connection_timeout(10);
  client.set_read_timeout(60);
  client.set_write_timeout(60);
  if (!authority.empty()) client.set_ca_cert_path(authority.c_str());
}

HiveClient::~HiveClient() = default;

Answer HiveClient::get(const std::string& path) { return inside_->answer(inside_->client.Get(path)); }
Answer HiveClient::post(const std::string& path, const std::string& body) {
  return inside_->answer(inside_->client.Post(path, body, "application/json"));
}
Answer HiveClient::put(const std::string& path, const std::string& body, const char* type) {
  return inside_->answer(inside_->client.Put(path, body, type));
}
Answer HiveClient::erase(const std::string& path) { return inside_->answer(inside_->client.Delete(path)); }
void HiveClient::stop() { inside_->client.stop(); }

std::string HiveClient::fault_of(const std::string& url) {
  const bool is_secure = url.starts_with(kSecure);
  if (!is_secure && !url.starts_with(kPlain))
    return fmt::format("{} is no address of a hive; say https://HOST or http://127.0.0.1:PORT", url);
  std::string rest = url.substr((is_secure ? kSecure : kPlain).size());
  std::string host;
  int port = 0;
  if (rest.find('/') != std::string::npos) return fmt::format("{}: leave out what follows the host and its port", url);
  if (!read_address(rest, host, port) || host.empty()) return fmt::format("{} names no host", url);
  if (!is_secure && !is_loopback(host))
    return fmt::format("{}: a token is not sent without TLS to another machine; say https://{}", url, rest);
  return "";
}

}  // namespace norn::hive
