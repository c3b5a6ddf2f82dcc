#pragma once

#include <pthread.h>

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} OwnMonitor;

void own_monitor_wait(OwnMonitor* monitor);
void own_monitor_signal(OwnMonitor* monitor);
