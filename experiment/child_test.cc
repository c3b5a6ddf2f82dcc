#include "experiment/child.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

namespace norn::experiment {
namespace {

// A child that asks its parent to end, and is ended by what the parent sends on.
void run_until_terminated() {
  const ChildEnd end = run_child("/bin/sh", {"sh", "-c", "kill -TERM $PPID; exec sleep 60"}, {});
  if (end.signal != SIGTERM) std::abort();
}

// timeout(1) sends its signal to norn and then to norn's whole group.
TEST(Child, WhatEndedTheChildIsPassedOverOnce) {
  EXPECT_EXIT(
      {
        run_until_terminated();
        raise(SIGTERM);
        std::_Exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST(Child, WhoAsksAgainIsHeard) {
  EXPECT_EXIT(
      {
        run_until_terminated();
        raise(SIGTERM);
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(Child, OtherSignalsEndNornAsBefore) {
  EXPECT_EXIT(
      {
        run_until_terminated();
        raise(SIGHUP);
      },
      testing::KilledBySignal(SIGHUP), "");
}

}  // namespace
}  // namespace norn::experiment
