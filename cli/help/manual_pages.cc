#include "cli/help/manual_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/hive/hive_verbs.h"
#include "cli/renderings.h"
#include "cli/verb.h"

namespace norn::cli {
namespace {

// As roff has it: no minus becomes a hyphen, no line begins a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

// An empty line begins a paragraph.
std::string paragraphs(std::string_view text) {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find("\n\n", at), text.size());
    out += (at == 0 ? "" : ".PP\n") + roff(text.substr(at, end - at)) + "\n";
    at = end + 2;
  }
  return out;
}

std::string head(std::string_view name, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"norn {}\" \"norn\"\n.SH NAME\n{} \\- {}\n", roff(name), NORN_VERSION, roff(name),
                     roff(summary));
}

// "norn-hive-serve" of norn hive serve.
std::string file_name(const Verb& verb) {
  std::string name = fmt::format("norn-{}", verb.name);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string page_of(const Verb& verb) {
  std::string page = head(file_name(verb), verb.summary);
  page += fmt::format(".SH SYNOPSIS\n.B norn {}\n{}\n.SH DESCRIPTION\n{}", roff(verb.name), roff(verb.usage),
                      paragraphs(verb.about));
  page += ".SH OPTIONS\n";
  for (const OptionWords& option : options_of(verb))
    page += fmt::format(".TP\n.B {}\n{}\n", roff(option.usage()), roff(option.help));
  page += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n.SH SEE ALSO\n.BR norn (1)\n", roff(verb.examples));
  return page;
}

std::string main_page() {
  std::string page = head("norn", "finds, confirms and explains data races in C and C++ programs");
  page +=
      ".SH SYNOPSIS\n.B norn\n.I verb\n[options]\n.SH DESCRIPTION\n"
      "Build a program with norn\\-cc and norn\\-c++ in place of the compiler, run it with norn run, and read the\n"
      "report. Each verb has a page of its own, and says the same with \\-\\-help.\n.SH VERBS\n";
  for (const Verb& verb : verbs())
    page += fmt::format(".TP\n.BR norn\\-{} (1)\n{}\n", roff(verb.name), roff(verb.summary));
  page +=
      ".SH EXIT STATUS\nThat of the program, or 66 if races were found (\\-\\-fail\\-on says which count); 2 if norn "
      "was\n"
      "asked for something it cannot do.\n.SH ENVIRONMENT\n.TP\n.B NORN_OPTIONS\n"
      "key=value:key=value, for a program that is started by hand.\n.TP\n.B NORN_DIR\n"
      "where what was found is kept (default: .norn).\n.TP\n.B NORN_CASEBOOK\nthe casebook's file.\n";
  return page;
}

}  // namespace

int write_manual_pages(const std::string& directory) {
  bool ok = write_file(directory + "/norn.1", main_page());
  for (const std::span<const Verb> all : {verbs(), hive_verbs()})
    for (const Verb& verb : all)
      ok = ok && write_file(fmt::format("{}/{}.1", directory, file_name(verb)), page_of(verb));
  return ok ? 0 : kMisuse;
}

}  // namespace norn::cli
