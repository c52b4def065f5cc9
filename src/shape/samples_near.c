// Cells are found by hash, so that a thin layer of points in a large space takes memory by its points. Lists of cells that share
// a slot are told apart by the whole hash, which is never the same for neighbours.
#include "base/random.h"
#include "shape/samples_parts.h"

static int32_t cell_of(const couNear *near, float x) { return couFloorInt(COU_CLAMP(x * near->inv_cell, -1e9f, 1e9f)); }

static uint32_t key_of(int32_t x, int32_t y, int32_t z)
{
    return couMix32((uint32_t)x * 0x8da6b343u + (uint32_t)y * 0xd8163841u + (uint32_t)z * 0xcb1ab31fu);
}

static void link_entry(couNear *near, size_t index)
{
    couNearEntry *entry = &near->entries[index];
    couVec3 p = entry->point;
    entry->key = key_of(cell_of(near, p.x), cell_of(near, p.y), near->dimension == 3 ? cell_of(near, p.z) : 0);
    uint32_t *head1 = &near->heads1[entry->key & (near->head_count - 1)];
    entry->next1 = *head1;
    *head1 = (uint32_t)index + 1;
}

void couNear_Relink(couNear *near)
{
    if (near->head_count) memset(near->heads1, 0, near->head_count * sizeof *near->heads1);
    for (size_t k = 0; k < near->count; ++k) link_entry(near, k);
}

bool couNear_Add(couNear *near, couVec3 point)
{
    if (near->count >= UINT32_MAX - 1) return false;
    if (!COU_GROW(near->memory, near->entries, near->capacity, near->count + 1)) return false;
    if (near->count >= near->head_count) {
        size_t more = near->head_count ? 2 * near->head_count : 256;
        uint32_t *heads1 = couAlloc(near->memory, more * sizeof *heads1);
        if (!heads1) return false;
        couFree(near->memory, near->heads1);
        near->heads1 = heads1, near->head_count = more;
        couNear_Relink(near);
    }
    near->entries[near->count].point = point;
    link_entry(near, near->count++);
    return true;
}

bool couNear_Visit(const couNear *near, couVec3 point, float radius, couNearFcn *visit, void *context)
{
    if (!near->count) return true;
    bool is_flat = near->dimension == 2;
    int32_t x0 = cell_of(near, point.x - radius), x1 = cell_of(near, point.x + radius);
    int32_t y0 = cell_of(near, point.y - radius), y1 = cell_of(near, point.y + radius);
    int32_t z0 = is_flat ? 0 : cell_of(near, point.z - radius), z1 = is_flat ? 0 : cell_of(near, point.z + radius);
    for (int32_t z = z0; z <= z1; ++z)
        for (int32_t y = y0; y <= y1; ++y)
            for (int32_t x = x0; x <= x1; ++x) {
                uint32_t key = key_of(x, y, z);
                for (uint32_t i1 = near->heads1[key & (near->head_count - 1)]; i1; i1 = near->entries[i1 - 1].next1) {
                    const couNearEntry *entry = &near->entries[i1 - 1];
                    couVec3 apart = couSub(point, entry->point);
                    float r2 = couDot(apart, apart);
                    if (!(r2 < radius * radius) || entry->key != key) continue;
                    if (!visit(context, i1 - 1, apart, sqrtf(r2))) return false;
                }
            }
    return true;
}

static bool stop(void *context, uint32_t index, couVec3 away, float distance)
{
    (void)context, (void)index, (void)away, (void)distance;
    return false;
}

bool couNear_HasAny(const couNear *near, couVec3 point, float radius) { return !couNear_Visit(near, point, radius, stop, NULL); }

void couSampleNear_Free(couNear *near)
{
    couFree(near->memory, near->entries);
    couFree(near->memory, near->heads1);
    *near = (couNear){.memory = near->memory, .dimension = near->dimension, .inv_cell = near->inv_cell};
}
