// A saved state: named arrays in a fixed order, and their hash. Each array is one allocation outside of any world's count; adding
// copies, finding is a linear search (a state has some dozens of arrays). The hash is xxHash3 (64 bits, about 10 GB/s) over what
// decides how a run goes on: names, types, shapes and data, not units.
#include "coulis/world.h"

#include "base/base.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

size_t couStateType_Size(couStateType type)
{
    switch (type) {
    case cou_stateU8: return 1;
    case cou_stateU32:
    case cou_stateF32: return 4;
    case cou_stateU64:
    case cou_stateF64: return 8;
    }
    COU_ASSERT(!"a state type");
    return 0;
}

static size_t data_bytes(const couStateArray *array)
{
    return couStateType_Size(array->type) * (size_t)array->components * array->count;
}

// False when the bytes of the array cannot be counted in a size_t.
static bool is_countable(couStateType type, int components, size_t count)
{
    size_t bytes;
    return !__builtin_mul_overflow(couStateType_Size(type) * (size_t)components, count, &bytes);
}

couStateArray *couState_Add(couState *state, const char *name, const char *unit, couStateType type, int components, size_t count,
                            const void *data)
{
    COU_ASSERT(strlen(name) < sizeof state->arrays->name && strlen(unit) < sizeof state->arrays->unit);
    COU_ASSERT(components > 0 && couState_Find(state, name) == NULL);
    if (!is_countable(type, components, count)) return NULL;
    size_t capacity = (size_t)state->capacity;
    if (!COU_GROW(NULL, state->arrays, capacity, (size_t)state->count + 1)) return NULL;
    state->capacity = (int)capacity;

    couStateArray array = {.type = type, .components = components, .count = count};
    memcpy(array.name, name, strnlen(name, sizeof array.name - 1));
    memcpy(array.unit, unit, strnlen(unit, sizeof array.unit - 1));
    size_t bytes = data_bytes(&array);
    array.data = couAlloc(NULL, COU_MAX(bytes, 1));
    if (!array.data) return NULL;
    if (data && bytes > 0) memcpy(array.data, data, bytes);
    state->arrays[state->count] = array;
    return &state->arrays[state->count++];
}

const couStateArray *couState_Find(const couState *state, const char *name)
{
    for (int i = 0; i < state->count; ++i)
        if (strcmp(state->arrays[i].name, name) == 0) return &state->arrays[i];
    return NULL;
}

uint64_t couState_Hash(const couState *state)
{
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    for (int i = 0; i < state->count; ++i) {
        const couStateArray *array = &state->arrays[i];
        // The shape goes in as numbers of fixed size, so that no two different lists of arrays give the same bytes.
        uint64_t shape[3] = {(uint64_t)array->type, (uint64_t)array->components, array->count};
        XXH3_64bits_update(&hash, array->name, strlen(array->name) + 1);
        XXH3_64bits_update(&hash, shape, sizeof shape);
        XXH3_64bits_update(&hash, array->data, data_bytes(array));
    }
    return XXH3_64bits_digest(&hash);
}

void couState_Clear(couState *state)
{
    for (int i = 0; i < state->count; ++i) couFree(NULL, state->arrays[i].data);
    couFree(NULL, state->arrays);
    *state = (couState){0};
}
