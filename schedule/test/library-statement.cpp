// A statement inside a library's template counts with the statement of the program that called it, also when something
// else happened in between that made the runtime look at the callers (an allocation).
// RUN: %norn-c++ -g -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr not %norn run --json=run.json -- %t
// RUN: not %norn confirm --all --runs=10 --minimize -- %t | FileCheck %s
// CHECK: race on *words (library-statement.cpp:{{26 read / library-statement.cpp:20 write|20 write / library-statement.cpp:26 read}}): confirmed in 10 of 10 runs

#include <pthread.h>

#include <vector>

namespace {

struct Word {
  long value = 1;
};
std::vector<Word>* words;

void* grow(void* unused) {
  words->emplace_back();
  words->emplace_back();
  return unused;
}

void* look(void* unused) {
  const Word first = words->front();
  return first.value == 1 ? unused : nullptr;
}

}  // namespace

int main() {
  words = new std::vector<Word>(1);
  words->shrink_to_fit();
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, grow, nullptr);
  pthread_create(&threads[1], nullptr, look, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}
