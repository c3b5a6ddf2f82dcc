// Flag: the loop's condition is a virtual function; the data is written after the flag.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

struct Job {
  virtual ~Job() = default;
  virtual bool is_done() const = 0;
};

struct FlagJob final : Job {
  bool is_done() const override { return done; }
  volatile bool done = false;
};

FlagJob flag_job;
Job* volatile job = &flag_job;
int x;

static void sets() {
  flag_job.done = true;
  x = 1;  // RACE: observed x
}

static void waits() {
  const Job* mine = job;
  while (!mine->is_done()) {
  }
  x = 2;  // RACE: observed x
}

int main() { meet(waits, sets); }
