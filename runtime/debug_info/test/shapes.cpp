// Code of all the shapes that a name can come from: scopes, templates, what is inlined into what, sections apart.
#include <thread>
#include <vector>

namespace bank {
namespace {
int hidden_total;
}
struct Account {
  int id;
  int balance;
  void deposit(int amount) { balance += amount; }
  struct Rate {
    template <class T>
    static T of(T amount) {
      hidden_total += static_cast<int>(amount);
      return amount * 2;
    }
  };
};
}  // namespace bank

bank::Account account;
static std::vector<int> numbers(10);

static inline __attribute__((always_inline)) void innermost(int i) { numbers[static_cast<size_t>(i) % 10]++; }
static inline __attribute__((always_inline)) void middle(int i) {
  if (i % 2 == 0) innermost(i);
  account.deposit(i);
}

__attribute__((noinline)) void work(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    middle(i);
    account.id += static_cast<int>(bank::Account::Rate::of(1.5));
  }
}

__attribute__((cold, noinline)) void complain(int what) { account.id -= what; }

int main(int count, char**) {
  struct Local {
    void operator()() const { work(100); }
  };
  std::thread first{Local{}};
  std::thread second([] { work(50); });
  first.join();
  second.join();
  if (count > 5) complain(count);
}
