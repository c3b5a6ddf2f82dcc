#pragma once

typedef struct {
  int count;
  volatile int arrived;
  volatile int generation;
} OwnBarrier;

void own_barrier_wait(OwnBarrier* barrier);
