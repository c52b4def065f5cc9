/// Shared by the targets of checkpoints.
#pragma once

#include "fuzz.h"

#include "coulis/checkpoint.h"

/// What is taken from a checkpoint has names that end, each once, numbers that can be, and all of its data.
static inline void couFuzz_CheckState(const couCheckpointInfo *info, const couState *state)
{
    if (!memchr(info->scene, 0, sizeof info->scene) || !memchr(info->method, 0, sizeof info->method)) abort();
    if (info->frame < 0 || !(info->fps > 0) || !(info->fps - info->fps == 0) || !(info->time - info->time == 0)) abort();
    for (int i = 0; i < state->count; ++i) {
        const couStateArray *array = &state->arrays[i];
        if (!memchr(array->name, 0, sizeof array->name) || !memchr(array->unit, 0, sizeof array->unit)) abort();
        if (couState_Find(state, array->name) != array || array->components < 1 || !array->data) abort();
    }
    couState_Hash(state); // goes over every byte
}
