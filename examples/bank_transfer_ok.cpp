// Without a race: each account has its mutex, and a transfer takes both of them at once, whatever their order.
// std::scoped_lock avoids the deadlock of two transfers in opposite directions; norn has nothing to say.
// Try it: take one of the two mutexes out of the scoped_lock, and see what norn reports.
#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 1000;
};
Account savings, wages;

void transfer(Account& from, Account& to, int amount) {
  std::scoped_lock both(from.mutex, to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  std::thread there([] {
    for (int i = 0; i < 1000; i++) transfer(savings, wages, 3);
  });
  std::thread back([] {
    for (int i = 0; i < 1000; i++) transfer(wages, savings, 2);
  });
  there.join();
  back.join();
  std::printf("savings %d, wages %d, together %d\n", savings.balance, wages.balance, savings.balance + wages.balance);
}
