// A mixed load for memcached over a Unix socket, by its text protocol; then the server is told to end.
//
//     memcached_load SOCKET CONNECTIONS REQUESTS
//
// Each connection has a thread and asks for keys that all share: of a hundred requests 60 get, 20 set, 10 count, 5
// delete and 5 touch. What is got must be what someone set. Prints how many requests were answered.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>

#include "../kernels/kernel.h"

namespace {

constexpr uint64_t kKeys = 5000;

class Connection {
 public:
  // Tries for a minute: the server may still be starting.
  explicit Connection(const char* path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    for (int i = 0; i < 6000; ++i) {
      socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
      if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
      close(socket_);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kernel::check(false, "the server answers");
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const std::string& text) const {
    for (size_t sent = 0; sent < text.size();) {
      const ssize_t count = write(socket_, text.data() + sent, text.size() - sent);
      kernel::check(count > 0, "the server listens");
      sent += static_cast<size_t>(count);
    }
  }

  std::string line() {
    for (;;) {
      const size_t end = buffer_.find("\r\n");
      if (end != std::string::npos) {
        std::string found = buffer_.substr(0, end);
        buffer_.erase(0, end + 2);
        return found;
      }
      char more[4096];
      const ssize_t count = read(socket_, more, sizeof more);
      kernel::check(count > 0, "the server answers");
      buffer_.append(more, static_cast<size_t>(count));
    }
  }

 private:
  int socket_;
  std::string buffer_;
};

void request(Connection& server, kernel::Random& random) {
  const uint64_t number = random.below(kKeys);
  const std::string key = "key_" + std::to_string(number);
  const uint64_t what = random.below(100);
  if (what < 60) {
    server.send("get " + key + "\r\n");
    for (std::string line = server.line(); line != "END"; line = server.line()) {
      if (line.rfind("VALUE ", 0) == 0) continue;
      kernel::check(line.rfind("of " + key, 0) == 0, "what is got was set");
    }
  } else if (what < 80) {
    std::string value = "of " + key;
    value.resize(16 + random.below(1000), '.');
    server.send("set " + key + " 0 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n");
    kernel::check(server.line() == "STORED", "a value is stored");
  } else if (what < 90) {
    const std::string counter = "count_" + std::to_string(number % 100);
    server.send("incr " + counter + " 1\r\n");
    if (server.line() == "NOT_FOUND") {
      server.send("add " + counter + " 0 0 1\r\n0\r\n");
      (void)server.line();
    }
  } else if (what < 95) {
    server.send("delete " + key + "\r\n");
    (void)server.line();
  } else {
    server.send("touch " + key + " 100\r\n");
    (void)server.line();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: memcached_load SOCKET CONNECTIONS REQUESTS\n", stderr);
    return 2;
  }
  const int connections = std::atoi(argv[2]);
  const int requests = std::atoi(argv[3]);
  std::atomic<int> answered = 0;
  kernel::on_threads(connections, [&](int index) {
    Connection server(argv[1]);
    kernel::Random random(static_cast<uint64_t>(index));
    const int count = kernel::share(requests, index + 1, connections) - kernel::share(requests, index, connections);
    for (int i = 0; i < count; ++i) {
      request(server, random);
      answered.fetch_add(1, std::memory_order_relaxed);
    }
  });
  Connection(argv[1]).send("shutdown\r\n");
  std::printf("%d requests answered\n", answered.load());
}
