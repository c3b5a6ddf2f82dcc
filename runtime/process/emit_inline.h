// The emitter's functions, for those who emit so often that a call would matter, and for what is called with a function
// (emit.access(), emit.atomic()).
#pragma once

#include "core/emitter_inline.h"
#include "hazards/hazard_listener.h"
#include "runtime/process/emit.h"
