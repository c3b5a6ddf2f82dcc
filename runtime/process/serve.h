// The program's side of schedule/serving.h.
#pragma once

namespace norn::rt {

[[nodiscard]] bool is_to_serve(char** environment);
// This process is a server until its end: this returns in its copies alone, each with the options of its run in
// `environment`. Nothing of the runtime may have begun that depends on them.
void serve_forks(char** environment);

}  // namespace norn::rt
