// The names of the model, for headers that only hand it on. Whoever looks into it includes report/race.h.
#pragma once

#include <stdint.h>

namespace norn::report {

struct Frame;
struct Location;
struct RaceId;
struct Race;
struct Confirmation;
struct Classification;
struct Hazard;
struct Findings;  // record_reader.h
enum class Detection : uint8_t;
enum class HazardKind : uint8_t;

}  // namespace norn::report
