#include "hive/api/http_service.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>

#include <charconv>
#include <cstdlib>
#include <limits>

namespace norn::hive {
namespace {

constexpr size_t kLongestPath = 512;
// The body of a refused request is read up to here, so that its sender gets to read the answer. Of a longer one the
// connection ends.
constexpr size_t kReadAnyway = 64 << 10;
constexpr const char* kBearer = "Bearer ";

// httplib asks twice about a request, before and after it has read the body, on one thread. What was found the first
// time is kept here.
thread_local Call call;
thread_local Admission admission;

// `last`: the connection ends with it. httplib ends one whose content was not all provided.
void put(const Reply& reply, httplib::Response& response, bool last) {
  response.status = reply.status;
  if (last) {
    response.set_header("Connection", "close");
    response.set_content_provider(reply.body.size(), reply.type,
                                  [body = reply.body](size_t offset, size_t length, httplib::DataSink& sink) {
                                    sink.write(body.data() + offset, length);
                                    return false;
                                  });
  } else {
    response.set_content(reply.body, reply.type);
  }
  response.set_header("X-Content-Type-Options", "nosniff");
  // Of the page: what it has in it, and this server. Candidates' texts are others', and are only ever text there.
  response.set_header("Content-Security-Policy",
                      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
                      "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cache-Control", "no-store");
  if (reply.status == 429 || reply.status == 503) response.set_header("Retry-After", "2");
}

// What is refused whoever asks; nothing: it is well-formed.
std::optional<Reply> malformed(const httplib::Request& request) {
  const bool has_body = request.method == "POST" || request.method == "PUT";
  if (request.path.size() > kLongestPath) return refusal(414, "the path is too long");
  if (request.has_header("Transfer-Encoding")) return refusal(411, "say how long the body is: Content-Length");
  if (has_body && request.get_header_value_count("Content-Length") != 1)
    return refusal(411, "say how long the body is: Content-Length");
  if (request.has_header("Content-Encoding")) return refusal(415, "the body must not be compressed");
  if (request.has_header("Range")) return refusal(400, "ranges are not served");
  const std::string type = request.get_header_value("Content-Type");
  if (has_body && type != "application/json" && type != "application/octet-stream")
    return refusal(415, "the body is application/json, or application/octet-stream for a file");
  return std::nullopt;
}

// Whether the body's length is known, and httplib reads it.
bool is_read_anyway(const httplib::Request& request) {
  const bool has_body = request.method == "POST" || request.method == "PUT";
  return has_body && call.length > 0 && call.length <= kReadAnyway && request.path.size() <= kLongestPath &&
         request.get_header_value_count("Content-Length") == 1 && !request.has_header("Transfer-Encoding") &&
         !request.has_header("Content-Encoding");
}

bool read_length(const httplib::Request& request, size_t& length) {
  length = 0;
  if (!request.has_header("Content-Length")) return true;
  const std::string text = request.get_header_value("Content-Length");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

struct HttpService::Inside {
  HiveApi& api;
  ListenOptions options;
  std::unique_ptr<httplib::Server> server;
};

HttpService::HttpService(HiveApi& api, const ListenOptions& options)
    : inside_(std::make_unique<Inside>(Inside{api, options, nullptr})) {
  if (options.certificate.empty()) {
    inside_->server = std::make_unique<httplib::Server>();
  } else {
    inside_->server = std::make_unique<httplib::SSLServer>(options.certificate.c_str(), options.key.c_str());
  }
  httplib::Server& server = *inside_->server;
  server.new_task_queue = [threads = options.threads] { return new httplib::ThreadPool(threads); };
  server.set_tcp_nodelay(true);
  // httplib would share the port with whoever asks for it.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  // Whoever says nothing gives the thread back soon.
  server.set_read_timeout(10);
  server.set_keep_alive_timeout(2);
  server.set_keep_alive_max_count(std::numeric_limits<size_t>::max());
  server.set_payload_max_length(std::max(api.limits().longest_file, api.limits().longest_submission));
  server.set_pre_routing_handler([&api](const httplib::Request& request, httplib::Response& response) {
    call = {.method = request.method, .path = request.path};
    admission = {};
    std::optional<Reply> refused = malformed(request);
    if (!read_length(request, call.length)) refused = refusal(400, "Content-Length is no number");
    if (!refused) {
      for (const auto& [name, value] : request.params) call.query[name] = value;
      const std::string said = request.get_header_value("Authorization");
      if (said.starts_with(kBearer)) call.token = said.substr(std::char_traits<char>::length(kBearer));
      call.peer = request.remote_addr;
      admission = api.admit(call);
      refused = admission.refusal;
    }
    if (!refused || is_read_anyway(request)) {
      admission.refusal = refused;
      return httplib::Server::HandlerResponse::Unhandled;
    }
    put(*refused, response, call.length > 0 || refused->status == 411);
    return httplib::Server::HandlerResponse::Handled;
  });
  const auto handle = [&api](const httplib::Request& request, httplib::Response& response) {
    call.body = request.body;
    // A browser would keep the connection, and with it one of few threads, between its questions.
    const bool is_browser = request.has_header("Sec-Fetch-Mode");
    put(admission.refusal ? *admission.refusal : api.handle(call, admission), response, is_browser);
    call = {};
    admission = {};
  };
  server.Get(".*", handle);
  server.Post(".*", handle);
  server.Put(".*", handle);
  server.Delete(".*", handle);
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr thrown) {
    std::string words = "an internal error";
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const std::exception& error) {
      fmt::print(stderr, "norn: hive: internal error: {}\n", error.what());
    }
    put(refusal(500, words), response, true);
  });
  // What httplib refuses by itself.
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.has_header("Cache-Control")) return;  // it is ours
    const int status = response.status;
    put(refusal(status, status == 413 ? "the body is too long" : "the request is malformed"), response, true);
  });
}

HttpService::~HttpService() = default;

bool HttpService::bind(std::string& error) {
  ListenOptions& options = inside_->options;
  if (!inside_->server->is_valid()) {
    error = fmt::format("the certificate {} and its key {} cannot be used; both are PEM files", options.certificate,
                        options.key);
    return false;
  }
  if (options.port == 0) {
    options.port = inside_->server->bind_to_any_port(options.host);
    if (options.port > 0) return true;
  } else if (inside_->server->bind_to_port(options.host, options.port)) {
    return true;
  }
  error =
      fmt::format("cannot listen on {}:{}; is something else there? say another --listen", options.host, options.port);
  return false;
}

void HttpService::serve() { inside_->server->listen_after_bind(); }
void HttpService::stop() { inside_->server->stop(); }
int HttpService::port() const { return inside_->options.port; }

std::string HttpService::url() const {
  const ListenOptions& options = inside_->options;
  const bool is_six = options.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", options.certificate.empty() ? "http" : "https", is_six ? "[" : "", options.host,
                     is_six ? "]" : "", options.port);
}

bool read_address(const std::string& text, std::string& host, int& port) {
  std::string_view rest = text;
  if (rest.starts_with('[')) {
    const size_t end = rest.find(']');
    if (end == std::string_view::npos) return false;
    host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else if (rest.find(':') == std::string_view::npos &&
             rest.find_first_not_of("0123456789") != std::string_view::npos) {
    host = rest;
    return true;
  } else if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    if (colon > 0) host = rest.substr(0, colon);
    rest.remove_prefix(colon);
  }
  if (rest.empty()) return !text.empty();
  if (rest.starts_with(':')) rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
  return error == std::errc() && end == rest.data() + rest.size() && port >= 0 && port <= 65535;
}

bool is_loopback(const std::string& host) {
  in_addr address{};
  return host == "localhost" || host == "::1" ||
         (inet_pton(AF_INET, host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

}  // namespace norn::hive
