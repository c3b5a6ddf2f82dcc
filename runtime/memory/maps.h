// What the program maps, as far as others ask.
#pragma once

namespace norn::rt {

// There are two threads now: if something is mapped at two addresses, that is said.
void say_what_is_mapped_twice();

}  // namespace norn::rt
