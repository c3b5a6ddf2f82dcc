// norn image: what a program carries of itself.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/image/image_files.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/verb_arguments.h"
#include "image/program_image.h"
#include "image/recipe.h"

namespace norn::cli {
namespace {

// 1234567 as 1,234,567
std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string counted(uint64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : many);
}

size_t functions_of(const image::Record& module) { return module.values("function").size(); }

std::string link_command(const image::Record& recipe) {
  std::string words(recipe.value("driver"));
  for (const image::Field& field : recipe.fields) {
    if (field.name == "argument" || field.name == "library") words += " " + field.value;
    if (field.name == "input" || field.name == "member")
      words += fmt::format(" [{}]", image::file_of(field.value).name);
    if (field.name == "option") {
      const size_t end = std::min(field.value.find('\0'), field.value.size());
      const std::string_view file = std::string_view(field.value).substr(std::min(end + 1, field.value.size()));
      words += fmt::format(" {}[{}]", field.value.substr(0, end), image::file_of(file).name);
    }
  }
  return words;
}

void print_holes(const image::ProgramImage& image, bool all) {
  constexpr size_t kShown = 8;
  if (!image.knows_holes) {
    fmt::print("holes: nobody knows: the symbol table is gone (strip --strip-debug leaves it)\n");
  }
  size_t number = 0;
  std::string words;
  for (const image::Hole& hole : image.holes) {
    for (const std::string& function : hole.functions) {
      if (number++ >= kShown && !all) continue;
      words += fmt::format("{}{}{}", words.empty() ? "" : ", ", function,
                           hole.file.empty() ? "" : fmt::format(" ({})", hole.file));
    }
  }
  if (number != 0) {
    fmt::print("holes: {} without bitcode: {}{}\n", counted(number, "function", "functions"), words,
               number > kShown && !all ? ", …; --holes names all" : "");
  } else if (image.knows_holes) {
    fmt::print("holes: none\n");
  }
}

void print_image(const image::ProgramImage& image, bool all_holes) {
  fmt::print("{}: {}, {} bytes in the file, {} unpacked\n", image.path,
             counted(image.modules.size(), "module", "modules"), grouped(image.packed_size()),
             grouped(image.unpacked_size()));
  for (const image::Record& module : image.modules) {
    std::string flags;
    for (const std::string& flag : module.values("flag")) flags += " " + flag;
    fmt::print("  {}  {}, {} bytes {}\n", module.value("source"),
               counted(functions_of(module), "function", "functions"), grouped(module.packed_size), flags);
  }
  if (image.recipe) {
    fmt::print("recipe: {}\n", link_command(*image.recipe));
  } else if (image.is_linked) {
    fmt::print("recipe: none, it was not linked by norn-cc or norn-c++\n");
  }
  print_holes(image, all_holes);
  for (const image::NeededLibrary& library : image.libraries) {
    fmt::print("library {}: {}\n", library.name,
               library.path.empty()   ? "not found"
               : library.modules == 0 ? "no image"
                                      : counted(library.modules, "module", "modules"));
  }
  if (image.recipe) fmt::print("next: norn build --profile=sampling {0} -o {0}.sampling\n", image.path);
}

void print_json(const image::ProgramImage& image) {
  nlohmann::json json{{"norn", 1},
                      {"program", image.path},
                      {"size", image.packed_size()},
                      {"unpacked", image.unpacked_size()},
                      {"knows_holes", image.knows_holes}};
  json["modules"] = nlohmann::json::array();
  for (const image::Record& module : image.modules) {
    json["modules"].push_back({{"source", module.value("source")},
                               {"functions", functions_of(module)},
                               {"size", module.packed_size},
                               {"unpacked", module.unpacked_size},
                               {"flags", module.values("flag")}});
  }
  json["recipe"] = image.recipe ? nlohmann::json(link_command(*image.recipe)) : nlohmann::json();
  json["holes"] = nlohmann::json::array();
  for (const image::Hole& hole : image.holes)
    json["holes"].push_back({{"file", hole.file}, {"functions", hole.functions}});
  json["libraries"] = nlohmann::json::array();
  for (const image::NeededLibrary& library : image.libraries) {
    json["libraries"].push_back({{"name", library.name}, {"path", library.path}, {"modules", library.modules}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

int image(const Verb& verb, std::vector<std::string> arguments) {
  Arguments app;
  bool json = false;
  bool holes = false;
  app.add_flag("--json", json, "as JSON, for programs");
  app.add_flag("--holes", holes, "name all functions that have no bitcode");
  if (const std::optional<int> status = parse(app, verb, std::move(arguments))) return *status;
  if (app.remaining().size() != 1) {
    complain("say which program: norn image ./program");
    return kMisuse;
  }
  image::ProgramImage program;
  std::string error;
  if (!image::read_image(app.remaining()[0], runtime_archive(), program, error)) {
    complain(error);
    return kMisuse;
  }
  if (json) {
    print_json(program);
  } else {
    print_image(program, holes);
  }
  return 0;
}

}  // namespace norn::cli
