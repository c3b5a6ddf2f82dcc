// A condition variable behind functions of another translation unit.
#include "own-monitor.h"

void own_monitor_wait(OwnMonitor* monitor) { pthread_cond_wait(&monitor->changed, &monitor->mutex); }

void own_monitor_signal(OwnMonitor* monitor) { pthread_cond_signal(&monitor->changed); }
