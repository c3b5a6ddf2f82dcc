// A packaged task is run before or after its future is asked for.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <future>

#include "arrival.h"

int x;
std::packaged_task<int()> task([] { return x = 1; });
std::future<int> result = task.get_future();

static void runs() { task(); }

static void waits() { x = result.get() + 1; }

int main() { meet(waits, runs); }
