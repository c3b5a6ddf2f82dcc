static int counter;
[[gnu::noinline]] int in_shared() { return counter++; }
extern "C" int in_shared_entry() { return in_shared(); }
