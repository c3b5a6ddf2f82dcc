// A failure is kept as an exception_ptr and two threads rethrow it. They refer to one exception object, and both only
// read it ([propagation]); it was thrown and caught before they were started.
// NORACE
// RUN: %check %s

#include <exception>
#include <thread>

struct Failure {
  int code;
  int times_seen;
};

std::exception_ptr failure;
int codes[2];

static void look(int self) {
  try {
    std::rethrow_exception(failure);
  } catch (const Failure& caught) {
    codes[self] = caught.code;
  }
}

int main() {
  try {
    throw Failure{7, 0};
  } catch (...) {
    failure = std::current_exception();
  }
  std::thread a(look, 0);
  std::thread b(look, 1);
  a.join();
  b.join();
  return codes[0] != 7 || codes[1] != 7;
}
