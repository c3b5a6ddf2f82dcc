// norn run: starts a program, waits, reports what it found.

#include "cli/confirm/conclusion.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {

int run(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  Detection request;
  std::string format = "text";
  add_format_option(app, request, format);
  const auto status = detect(verb, app, std::move(arguments), request);
  if (status || !request.findings) return status.value_or(kMisuse);
  return conclude(request, format);
}

}  // namespace norn::cli
