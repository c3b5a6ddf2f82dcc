# The bytes of FROM as the function of page_template.h, in TO.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],))" "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "#include \"report/formats/page_template.h\"

namespace norn::report {

constexpr unsigned char kPage[] = {
${bytes}};

std::string_view page_template() { return {reinterpret_cast<const char*>(kPage), sizeof(kPage)}; }

}  // namespace norn::report
")
