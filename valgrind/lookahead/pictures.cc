// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/pictures.h"

#include "base/sink.h"
#include "valgrind/tool/tool_reporter.h"
#include "valgrind/tool/tool_state.h"

namespace norn::vg {

const char* picture_of(Flow& flow, const Cycles& cycles, const Cycle& cycle, const Departure& left,
                       Translation& translation) {
  if (settings().dump_cfg.empty()) return nullptr;
  static constinit char bytes[8192] = {};
  Buffer text(bytes, sizeof(bytes) - 1);
  const Sink out = text.sink();
  const auto node = [&](uint32_t i) {
    out.put("n%_");
    out.put(Decimal(i).text());
  };
  for (uint32_t i = 0; i < cycle.count; ++i) {
    const BlockId block = cycles.blocks[cycle.first + i];
    out.put("    ");
    node(i);
    out.put(" [label=\"");
    UInt line = 0;
    if (VG_(get_linenum)(VG_(current_DiEpoch)(), flow.blocks[block].begin, &line)) {
      out.put("line ");
      out.put(Decimal(line).text());
    } else {
      out.put(Hex(flow.blocks[block].begin).text());
    }
    out.put(translation.in_condition(block) ? "\", style=filled];\n" : "\"];\n");
    for (uint32_t k = 0; k < flow.blocks[block].edge_count; ++k) {
      const Edge& edge = flow.edges[flow.blocks[block].first_edge + k];
      const bool inside = translation.has_block(edge.block);
      if (!inside && (block != left.block || edge.to != left.to)) continue;
      out.put("    ");
      node(i);
      out.put(" -> ");
      if (inside) {
        for (uint32_t at = 0; at < cycle.count; ++at) {
          if (cycles.blocks[cycle.first + at] == edge.block) node(at);
        }
      } else {
        out.put("left%");
      }
      out.put(";\n");
    }
  }
  bytes[text.text().size] = '\0';
  auto* kept = static_cast<char*>(memory.allocate_forever((text.text().size + 16) & ~size_t{15}));
  if (kept == nullptr) return nullptr;
  VG_(memcpy)(kept, bytes, text.text().size + 1);
  return kept;
}

}  // namespace norn::vg
