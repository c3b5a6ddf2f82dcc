// A loop as graphviz draws it, for every front end's --dump-cfg.
#pragma once

#include <stdint.h>

#include "base/sink.h"

namespace norn::loops {

// One cluster. `put_label(sink)` says what the loop is; in `graph` a % stands for its number.
template <class PutLabel>
void put_loop(Sink out, uint32_t number, const char* graph, PutLabel put_label) {
  const Decimal digits(number);
  out.put("  subgraph cluster_");
  out.put(digits.text());
  out.put(" {\n    label=\"");
  put_label(out);
  out.put("\";\n    left");
  out.put(digits.text());
  out.put(" [label=\"left\", shape=plaintext];\n");
  for (const char* c = graph; c != nullptr && *c != '\0'; ++c) {
    if (*c == '%') {
      out.put(digits.text());
    } else {
      out.put(*c);
    }
  }
  out.put("  }\n");
}

}  // namespace norn::loops
