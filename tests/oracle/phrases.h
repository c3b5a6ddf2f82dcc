// Moves that belong together, which dice alone would seldom throw.
#pragma once

#include <vector>

#include "tests/oracle/dice.h"
#include "tests/oracle/generator.h"

namespace norn::oracle::model {

// Two threads touch one place, one after the other, with something between them.
std::vector<Move> phrase(Dice& dice, const Plan& plan, const GeneratorOptions& o);

// Most threads read the same, one after the other; then somebody may write it, ordered after some of them.
std::vector<Move> common_reading(Dice& dice, const Plan& plan);

// Memory that one thread allocates and fills, and that another gets by a lock's hand-over; now and then something comes
// between.
std::vector<Move> publication(Dice& dice, const Plan& plan);

// Something is used under a lock, and taken out under it by another, who goes on to use it without.
std::vector<Move> taking_out(Dice& dice, const Plan& plan);

}  // namespace norn::oracle::model
