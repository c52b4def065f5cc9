#!/bin/sh
# Each public header stands alone, as C17 and as C++17, without a warning, and includes nothing but C's own headers and others of
# coulis/. coulis.h and studio.h leave none out.
# usage: headers_test.sh SOURCE_DIR CC CXX
set -eu
include=$1/include
cc=$2
cxx=$3
failures=0

fail()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

for path in "$include"/coulis/*.h; do
    header=coulis/$(basename "$path")
    echo "#include <$header>" | "$cc" -std=c17 -Wall -Wextra -Werror -pedantic -I"$include" -fsyntax-only -x c - ||
        fail "$header alone is not C17"
    echo "#include <$header>" | "$cxx" -std=c++17 -Wall -Wextra -Werror -pedantic -I"$include" -fsyntax-only -x c++ - ||
        fail "$header alone is not C++17"
    if grep -n '^ *# *include' "$path" |
        grep -v -e '"coulis/[a-z_]*\.h"$' -e '<\(math\|stdarg\|stdbool\|stddef\|stdint\)\.h>$'; then
        fail "$header includes what users may not have"
    fi
    echo '#include <coulis/studio.h>' | "$cc" -I"$include" -E -x c - | grep -q "/$header\"" || fail "studio.h leaves out $header"
done
[ "$failures" -eq 0 ]
