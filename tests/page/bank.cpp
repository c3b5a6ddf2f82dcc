// A bank with a bit of everything that the page shows: several races about one variable, of which one does harm and
// the others do none, one race that only another schedule brings, locks taken in two orders, a flag.
#include <pthread.h>

#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  int balance = 0;
  int deposits = 0;
};

Account savings;
Account checking;
std::mutex books, vault;
bool open = false;  // a flag, as it should not be
int audits = 0;

void name(const char* text) { pthread_setname_np(pthread_self(), text); }

/* Nobody holds a lock here:
   every reader and writer elsewhere races with it. */
void deposit(Account& account, int amount) {
  account.balance += amount;
  account.deposits++;
}

int look(const Account& account) {
  return account.balance;  // under a lock that the writer does not take
}

void teller(const char* who) {
  name(who);
  for (int i = 0; i < 20; ++i) deposit(savings, i);
}

void auditor() {
  name("auditor");
  int sum = 0;
  for (int i = 0; i < 20; ++i) {
    const std::scoped_lock guard(books);
    sum += look(savings);
  }
  const std::scoped_lock first(books);
  const std::scoped_lock second(vault);
  audits += sum != 0;
}

void porter() {
  name("porter");
  {
    const std::scoped_lock first(vault);
    const std::scoped_lock second(books);
    checking.balance++;
  }
  checking.deposits = 1;  // only who came first keeps it apart
  open = true;
}

int main() {
  std::thread one(teller, "teller-1"), two(teller, "teller-2"), three(auditor);
  one.join();
  two.join();
  three.join();
  std::thread four(porter);
  while (!open) std::this_thread::yield();
  four.join();
  std::printf("%d deposits\n", savings.deposits);  // one too few, if two tellers deposited at once
  return 0;
}
