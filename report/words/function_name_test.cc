#include "report/words/function_name.h"

#include <gtest/gtest.h>

#include "base/string_sink.h"
#include "report/record_reader.h"
#include "report/words/columns.h"

namespace norn::report {
namespace {

std::string shortened(Text name, size_t width) {
  return collect([&](Sink sink) { put_function(name, width, sink); });
}

TEST(PutFunction, ShortensInSteps) {
  const Text name = "ns::Map<std::vector<int>, (anonymous namespace)::Key>::insert(std::pair<int, long> const&) const";
  EXPECT_EQ(shortened(name, 200), std::string(view(name)));
  EXPECT_EQ(shortened(name, 60), "ns::Map<…>::insert(std::pair<…> const&) const");
  EXPECT_EQ(shortened(name, 30), "ns::Map<…>::insert(…) const");
  EXPECT_EQ(shortened(name, 20), "…::insert(…) const");
  EXPECT_EQ(shortened(name, 1), "…");
}

TEST(PutFunction, LeavesOperatorsAlone) {
  EXPECT_EQ(shortened("operator<<(std::ostream&, Node<int> const&)", 30), "operator<<(…)");
  EXPECT_EQ(shortened("Key::operator<(Key const&) const and more", 34), "Key::operator<(…) const and more");
  EXPECT_EQ(shortened("main::{lambda(int)#1}::operator()(int, long, int) const", 45),
            "main::{lambda(…)#1}::operator()(…) const");
  EXPECT_EQ(shortened("Ptr<Node<int>, 3>::operator->() const", 30), "Ptr<…>::operator->() const");
}

TEST(PutFunction, SpellsTheStandardLibraryShort) {
  EXPECT_EQ(shortened("f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)", 0),
            "f(std::string const&)");
  EXPECT_EQ(shortened("std::__1::thread::join()", 0), "std::thread::join()");
}

// Names of several kilobytes are real: what matters is at their end.
TEST(PutFunction, KeepsTheEndOfVeryLongNames) {
  std::string name = "void ns::Holder<";
  for (int i = 0; i < 1000; ++i) name += "Argument" + std::to_string(i) + ", ";
  name += "Last>::method(int)";
  EXPECT_EQ(shortened(text_of(name), 40), "void ns::Holder<…>::method(int)");
}

TEST(PutFunction, NeverExceedsItsWidth) {
  for (const Text name : {Text("a::b<c<d>>::operator()(e, f) const"), Text("x"), Text("((((<<<<"), Text(">>>::)))"),
                          Text("operator<"), Text("ä::ö::ü(…)"), Text("\xc3\xc3\x80::")})
    for (size_t width = 1; width < 40; ++width)
      EXPECT_LE(columns(text_of(shortened(name, width))), width) << view(name) << " " << width;
}

}  // namespace
}  // namespace norn::report
