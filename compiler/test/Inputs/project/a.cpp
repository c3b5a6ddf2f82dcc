static int counter;
extern "C" int in_static_entry();
[[gnu::noinline]] int in_static() { return counter++; }
extern "C" int in_static_entry() { return in_static(); }
