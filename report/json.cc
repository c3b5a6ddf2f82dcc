#include "report/json.h"

#include "report/model_writer.h"

namespace norn::report {

void render_json(const RunSummary& run, List<Race> races, List<Hazard> hazards, List<Race> flags, Sink sink) {
  JsonWriter json(sink, 2);
  ModelWriter<kReport> report(json);
  json.begin_object();
  describe_report(report, run, races, hazards, flags);
  json.end_object();
  sink.put('\n');
}

}  // namespace norn::report
