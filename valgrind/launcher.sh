#!/bin/sh
# What Valgrind starts instead of a program that the program starts (norn run --follow): the tool again. Its own launcher
# would look for a configuration, and for another tool.
VALGRIND_LAUNCHER=$0 exec "${0%/*}/norn-amd64-linux" "$@"
