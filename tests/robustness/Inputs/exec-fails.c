#include <signal.h>
#include <unistd.h>

int main(int count, char** arguments) {
  (void)arguments;
  execl("/nowhere/to/be/found", "found", (char*)0);
  if (count > 1) raise(SIGKILL);
  return 0;
}
