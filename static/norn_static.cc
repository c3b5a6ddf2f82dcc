// norn-static: what `norn static` starts. It has LLVM in it, whose loading would delay every other verb.
//
//     norn-static PROGRAM RUNTIME-ARCHIVE [module|phases|points-to|threads|locks|left-out=FILE]…
//
// Records go to stdout; to stderr what is asked for, or one line if it fails. `module` is what is analysed, as LLVM
// writes it, `phases` what each step took of the processor's time: for who works on this room. FILE will have the
// identities of all sites that need no check (left_out.h).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "image/program_image.h"
#include "llvm/Support/raw_ostream.h"
#include "static/candidates/left_out.h"
#include "static/candidates/static_candidates.h"
#include "static/explain.h"
#include "static/findings.h"
#include "static/points_to/return_sources.h"
#include "static/program/incomplete.h"

namespace norn::statics {
namespace {

// The program and those of its libraries that have an image.
bool read_images(const std::string& path, const std::string& runtime, std::deque<image::ProgramImage>& images,
                 std::string& error) {
  std::set<std::string> known{path};
  std::vector<std::string> open{path};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    image::ProgramImage& image = images.emplace_back();
    if (!image::read_image(next, runtime, image, error)) return false;
    for (const image::NeededLibrary& library : image.libraries) {
      if (library.modules != 0 && known.insert(library.path).second) open.push_back(library.path);
    }
  }
  return true;
}

bool write_sites(const std::string& path, const std::set<uint64_t>& sites) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  for (const uint64_t site : sites) std::fprintf(file, "%016llx\n", static_cast<unsigned long long>(site));
  return std::fclose(file) == 0;
}

std::string names_of(const std::vector<const llvm::Function*>& functions) {
  constexpr size_t kNamed = 8;
  std::string names;
  for (size_t i = 0; i < std::min(functions.size(), kNamed); ++i)
    names += (i == 0 ? "" : ", ") + functions[i]->getName().str();
  if (functions.size() > kNamed) names += " and " + std::to_string(functions.size() - kNamed) + " more";
  return names;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    std::fprintf(stderr, "say norn static PROGRAM\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  std::deque<image::ProgramImage> images;
  std::string error;
  Program program;
  std::vector<const image::ProgramImage*> files;
  const auto refuse = [&] {
    std::fprintf(stderr, "norn: %s\n", error.c_str());
    return 2;
  };
  if (!read_images(arguments[0], arguments[1], images, error)) return refuse();
  files.reserve(images.size());
  for (const image::ProgramImage& image : images) files.push_back(&image);
  if (!program.load(files, error)) return refuse();
  if (program.module().getFunction("main") == nullptr || program.module().getFunction("main")->isDeclaration()) {
    error = arguments[0] + " has no main in its image: analyse the program that uses it";
    return refuse();
  }
  std::set<std::string> verbose;
  std::string left_out;
  for (size_t i = 2; i < arguments.size(); ++i) {
    constexpr std::string_view kLeftOut = "left-out=";
    if (arguments[i].starts_with(kLeftOut)) {
      left_out = arguments[i].substr(kLeftOut.size());
    } else {
      verbose.insert(arguments[i]);
    }
  }
  const auto phase = [&](const char* name) {
    if (!verbose.contains("phases")) return;
    std::fprintf(stderr, "%-12s %.1f s\n", name, static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  };
  phase("loaded");
  program.prepare();
  phase("prepared");
  if (verbose.contains("module")) program.module().print(llvm::errs(), nullptr);
  const PointsTo points_to(program.module());
  phase("points-to");
  if (verbose.contains("points-to")) explain_points_to(program, points_to, stderr);
  const Threads threads(program.module(), points_to);
  phase("threads");
  if (verbose.contains("threads")) explain_threads(program, points_to, threads, stderr);
  // Once to know who waits for what, and once with that.
  const Waits none;
  const Locks without_waits(program.module(), points_to, threads, none);
  phase("locks");
  Signals signals(points_to, threads, without_waits);
  phase("signals");
  auto with_waits = std::make_unique<Locks>(program.module(), points_to, threads, signals.waits());
  while (!signals.confirm(*with_waits))
    with_waits = std::make_unique<Locks>(program.module(), points_to, threads, signals.waits());
  const Locks& locks = *with_waits;
  phase("waits");
  const Candidates candidates(program, points_to, threads, locks, signals);
  phase("candidates");
  if (verbose.contains("locks")) explain_locks(program, candidates, stderr);
  std::vector<std::string> notes;
  const std::vector<Incompleteness> causes = find_incomplete(files, program.module(), points_to);
  notes.reserve(causes.size());
  for (const Incompleteness& cause : causes) notes.push_back(words_of(cause));
  std::vector<const llvm::Function*> freeing;
  for (const llvm::Function& function : program.module()) {
    if (!stores_of_freed(function).empty()) freeing.push_back(&function);
  }
  if (const std::string names = names_of(points_to.trusted_allocators()); !names.empty())
    notes.push_back("trusted: what these return is memory that nobody else has, as their names say: " + names);
  if (const std::string names = names_of(freeing); !names.empty())
    notes.push_back("trusted: what these keep lists of is free, as their names say: " + names);
  if (candidates.shared().cut > 0)
    notes.push_back("incomplete: too many candidates on " + std::to_string(candidates.shared().cut) +
                    " objects; of each 5000 are reported");
  if (candidates.shared().cut_ways > 0)
    notes.push_back("incomplete: " + std::to_string(candidates.shared().cut_ways) +
                    " accesses of library code are reached by more calls than were followed (64 statements, 16 deep)");
  if (candidates.shared().ways_left_out > 0)
    notes.push_back("incomplete: of two statements 64 ways through library code are reported, " +
                    std::to_string(candidates.shared().ways_left_out) + " more are not");
  if (const size_t ordered = candidates.shared().ordered; ordered > 0)
    notes.push_back(std::to_string(ordered) + " of the candidates come last: atomics order them, as far as is seen");
  if (!left_out.empty()) {
    const LeftOut found = find_left_out(program, points_to, threads, candidates, causes);
    if (!write_sites(left_out, found.sites)) {
      error = left_out + " cannot be written";
      return refuse();
    }
    notes.push_back(
        "not checked: " + std::to_string(found.sites.size()) + " of " + std::to_string(found.accesses) +
        " statements that access memory: no two threads do one of them to the same memory at once, one writing");
  }
  const auto spent = std::chrono::steady_clock::now() - start;
  write_findings(arguments[0], program, points_to, threads, candidates, notes,
                 static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count()), stdout);
  std::fflush(stdout);
  _Exit(0);  // nothing is left that its end would have to put in order
}

}  // namespace
}  // namespace norn::statics

int main(int argc, char** argv) { return norn::statics::run(std::vector<std::string>(argv + 1, argv + argc)); }
