// Places in arrays that come and go.

#include "base/slots.h"

static const couSlot *slot_at(const void *items, size_t index, size_t item_bytes)
{
    return (const couSlot *)((const char *)items + index * item_bytes);
}

void *couTakeSlot(void *items, size_t count, size_t item_bytes, size_t *new_count)
{
    size_t index = 0;
    while (index < count && slot_at(items, index, item_bytes)->is_here) ++index;
    if (index == COU_MAX_SLOTS) return NULL;
    couSlot *slot = (couSlot *)((char *)items + index * item_bytes);
    *slot = (couSlot){index < count ? slot->generation : 1, true};
    *new_count = COU_MAX(count, index + 1);
    return slot;
}

void couUndoSlot(couSlot *slot, void *items, size_t item_bytes, size_t *count)
{
    bool is_new = slot->generation == 1 && (char *)slot == (char *)items + (*count - 1) * item_bytes;
    slot->is_here = false;
    if (is_new) --*count;
}

void couDropSlot(couSlot *slot)
{
    slot->is_here = false;
    slot->generation = (uint16_t)(slot->generation == UINT16_MAX ? 1 : slot->generation + 1);
}

void couRestoreSlot(couSlot *slot)
{
    slot->is_here = true;
    slot->generation = (uint16_t)(slot->generation == 1 ? UINT16_MAX : slot->generation - 1);
}

void couFollowSlot(couSlot *slot, bool is_here)
{
    if (slot->is_here && !is_here) couDropSlot(slot);
    if (!slot->is_here && is_here) couRestoreSlot(slot);
}

void *couFindSlot(const void *items, size_t count, size_t item_bytes, unsigned index1, unsigned generation)
{
    if (index1 == 0 || index1 > count) return NULL;
    const couSlot *slot = slot_at(items, index1 - 1, item_bytes);
    return slot->is_here && slot->generation == generation ? (void *)slot : NULL;
}

int couNthSlot(const void *items, size_t count, size_t item_bytes, int k)
{
    for (size_t index = 0; k >= 0 && index < count; ++index)
        if (slot_at(items, index, item_bytes)->is_here && k-- == 0) return (int)index;
    return -1;
}

int couCountSlots(const void *items, size_t count, size_t item_bytes)
{
    int here = 0;
    for (size_t index = 0; index < count; ++index) here += slot_at(items, index, item_bytes)->is_here;
    return here;
}
