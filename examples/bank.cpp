// One teller pays into an account while another reads its balance for the audit.
// The audit holds a mutex, but who pays in does not take it: a lock protects only if both sides hold it.
// norn names the variable, both threads, and the lock that one of them held. To mend it, lock in deposit() too.
#include <pthread.h>

#include <cstdio>
#include <mutex>
#include <thread>

struct Account {
  int balance = 0;
};
Account account;
std::mutex audit_mutex;

void deposit(Account& account, int amount) { account.balance += amount; }

int report(Account& account) {
  std::lock_guard audit(audit_mutex);
  return account.balance;
}

void teller(int amount) {
  pthread_setname_np(pthread_self(), "teller-1");
  for (int i = 0; i < 1000; i++) deposit(account, amount);
}

void auditor() {
  pthread_setname_np(pthread_self(), "teller-2");
  int highest = 0;
  for (int i = 0; i < 1000; i++)
    if (int balance = report(account); balance > highest) highest = balance;
  std::printf("highest balance seen: %s\n", highest <= 5000 ? "plausible" : "impossible");
}

int main() {
  std::thread first(teller, 5), second(auditor);
  first.join();
  second.join();
  std::printf("balance at the end: %d\n", account.balance);
}
