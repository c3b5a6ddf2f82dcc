# What is packed has no debug information, but for the runtimes that are there for it (-fnorn-debug-runtime). Valgrind's
# tool and what it loads keep their symbols: Valgrind looks for functions by name.
set(lib ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/lib/norn)
set(bin ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/bin)
file(GLOB files ${bin}/norn ${bin}/norn-cc ${lib}/*.so ${lib}/valgrind/norn-amd64-linux ${lib}/valgrind/*.so
     ${lib}/libnorn-rt.a ${lib}/libnorn-rt-static.a)
foreach(file ${files})
  execute_process(COMMAND strip --strip-debug ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
