/// Force fields: accelerations that change with place and time.
#pragma once

#include "base/slots.h"
#include "coulis/world.h"

typedef struct couField {
    couSlot slot;
    couFieldDef def;
} couField;

typedef struct couFields {
    couField *items;
    size_t count, capacity;
} couFields;

struct couStep;
/// Gravity, fields and blowers change velocities for dt seconds; writes velocity.
void couAccelerate(struct couStep *step, float dt);
