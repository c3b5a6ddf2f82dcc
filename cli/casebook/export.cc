// norn export: the whole casebook as JSON.

#include "base/string_sink.h"
#include "cli/casebook_file.h"
#include "cli/renderings.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"

namespace norn::cli {

int export_all(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  CasebookFile file;
  std::string output = "-";
  app.add_option("--output", output, "write it here instead of to stdout")->type_name("FILE");
  file.add_option(app);
  if (const auto status = parse(app, verb, std::move(arguments)); status) return *status;
  if (!app.remaining().empty()) {
    complain("norn export writes all of one casebook: norn export --casebook=FILE --output=FILE");
    return kMisuse;
  }
  return file.use(casebook::Access::kRead, [&](casebook::Casebook& casebook) {
    return write_file(output, collect([&](Sink sink) { casebook.write_json(sink); })) ? 0 : kMisuse;
  });
}

}  // namespace norn::cli
