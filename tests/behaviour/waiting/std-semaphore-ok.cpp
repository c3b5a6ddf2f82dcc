// Two binary semaphores pass a variable to and fro.
// NORACE
// RUN: %check %s

#include <semaphore>

#include "order.h"

std::binary_semaphore ping(0), pong(1);
int x;

int main() {
  run_two(
      [] {
        for (int i = 0; i < 50; i++) {
          pong.acquire();
          x++;
          ping.release();
        }
      },
      [] {
        for (int i = 0; i < 50; i++) {
          while (!ping.try_acquire_for(std::chrono::seconds(60))) {
          }
          x++;
          pong.release();
        }
      });
  return x != 100;
}
