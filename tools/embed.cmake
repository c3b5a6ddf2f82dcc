# The bytes of FROM as the function NAMESPACE::FUNCTION that HEADER declares, in TO.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],)(0x[0-9a-f][0-9a-f],))" "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "#include \"${HEADER}\"

namespace ${NAMESPACE} {

constexpr unsigned char kBytes[] = {
${bytes}};

std::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes)}; }

}  // namespace ${NAMESPACE}
")
