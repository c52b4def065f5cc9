/// Memory that a surface may take.
#pragma once

#include "base/base.h"
#include "coulis/surface.h"

/// True when `more` bytes fit into def->max_gib beside what is held; else a fault with the number.
bool couCheckBudget(const couMemory *memory, const couSurfaceDef *def, double more, const char *what, couFaults *faults);
/// max_gib in bytes.
size_t couBudgetBytes(const couSurfaceDef *def);
