# A CMake toolchain: everything is compiled by norn.
#
#   cmake -B build-norn -DCMAKE_TOOLCHAIN_FILE=…/norn-toolchain.cmake
#
# After installing it lies in lib/cmake/norn/, and norn's compilers are found relative to it; otherwise in PATH.
get_filename_component(_norn_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(NORN_CC norn-cc HINTS "${_norn_prefix}/bin" "$ENV{NORN_BIN}" REQUIRED)
find_program(NORN_CXX norn-c++ HINTS "${_norn_prefix}/bin" "$ENV{NORN_BIN}" REQUIRED)
set(CMAKE_C_COMPILER "${NORN_CC}")
set(CMAKE_CXX_COMPILER "${NORN_CXX}")
# Names and lines of reports come from debug information.
set(CMAKE_C_FLAGS_INIT "-g")
set(CMAKE_CXX_FLAGS_INIT "-g")
unset(_norn_prefix)
