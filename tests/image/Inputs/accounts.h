#include <map>
#include <string>
struct Accounts {
  std::map<std::string, int> balances{{"a", 1}, {"b", 2}};
  int total = 0;
  void deposit(const std::string& name, int amount);
};
