// Two constants that are the same text: whichever is there, the same is printed.
#include "threads.h"

static const char first[] = "hello";
static const char second[] = "hello";
static const char* volatile greeting = first;

static void* replaces(void*) {
  // RACE replace print: k-witness-harmless states=differ: both texts are the same
  greeting = second;  // @replace
  return nullptr;
}

static void* prints(void*) {
  const char* text = greeting;  // @print
  puts(text);
  return nullptr;
}

int main() { run_both(replaces, prints); }
