// A schedule that brings two accesses together knows what each of them found in memory and left there, the earlier one
// too, and that is said in all reports: of numbers of each width, in both orders, of writes and reads.
// RUN: %norn-c++ -O0 %s -o %t.0 && %norn-c++ -O2 %s -o %t.2
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: python3 %S/values.py %norn %t.0
// RUN: python3 %S/values.py %norn %t.2

#include <cstdio>
#include <cstring>
#include <thread>

struct All {
  int number = 3;
  signed char tiny = -2;
  unsigned short port = 80;
  long long wide = -1;
  bool flag = false;
  float ratio = 0.5F;
  double share = 1e100;
  void* pointer = nullptr;
  char letter = 'x';
};
// Not static: what nobody reads would be left out.
All all;
int read_once = 7;
int crowded = 0;
char block[4] = "abc";
char text[4] = "ABC";
const char* volatile other_text = "YYY";

// Not inlined, so that each write is there as it stands.
[[gnu::noinline]] static void one() {
  all.number = 5;
  all.tiny = -3;
  all.port = 65535;
  all.wide = -6;
  all.flag = true;
  all.ratio = -0.25F;
  all.share = 2.5;
  all.pointer = reinterpret_cast<void*>(0x1234);
  all.letter = '\n';
  crowded = 1;
  read_once = 42;
  block[0] = 'z';
  text[0] = 'Z';
}

[[gnu::noinline]] static void other() {
  all.number = 9;
  all.tiny = 100;
  all.port = 1;
  all.wide = 1LL << 40;
  all.flag = true;
  all.ratio = 8;
  all.share = -1;
  all.pointer = reinterpret_cast<void*>(0x5678);
  all.letter = 'y';
  std::printf("crowded: %d\n", crowded);
  std::printf("read_once: %d\n", read_once);
  std::memset(block, 'w', sizeof(block));
  std::strcpy(text, other_text);
}

[[gnu::noinline]] static void third() { crowded = 2; }

int main() {
  std::thread a(one), b(other), c(third);
  a.join();
  b.join();
  c.join();
}
