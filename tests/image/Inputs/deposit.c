extern int balance;
int fee(int amount);
void deposit(int amount) { balance += amount - fee(amount); }
