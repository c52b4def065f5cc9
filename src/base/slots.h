/// Things with handles: an array whose items begin with a couSlot. The place of a removed thing is used again under another
/// generation, so that old handles are recognised as stale.
#pragma once

#include "base/base.h"

typedef struct couSlot {
    uint16_t generation; ///< of who is here, or will be next; from 1
    bool is_here;        ///< false once removed
} couSlot;

enum { COU_MAX_SLOTS = UINT16_MAX };

/// An array's items, their number and their size: the first arguments of the functions below.
#define COU_SLOTS(array) (array)->items, (array)->count, sizeof *(array)->items

/// An item that is here from now on, in the first free place, with what was left there, or behind the others, zeroed. NULL
/// without memory, or where there are too many.
#define COU_ADD_SLOT(memory, array) \
    (COU_RESERVE(memory, array, (array)->count + 1) ? couTakeSlot(COU_SLOTS(array), &(array)->count) : NULL)
void *couTakeSlot(void *items, size_t count, size_t item_bytes, size_t *new_count);
void couDropSlot(couSlot *slot);
void couRestoreSlot(couSlot *slot); ///< who was dropped last is back, under the handle it had
/// Drops or restores. Going back to a time before a removal, the old handle is good again.
void couFollowSlot(couSlot *slot, bool is_here);
/// Takes back what was just added, before anybody knows its handle.
#define COU_UNDO_SLOT(array, item) couUndoSlot(&(item)->slot, (array)->items, sizeof *(array)->items, &(array)->count)
void couUndoSlot(couSlot *slot, void *items, size_t item_bytes, size_t *count);

/// The item of a handle, NULL where that is null or stale.
void *couFindSlot(const void *items, size_t count, size_t item_bytes, unsigned index1, unsigned generation);
/// Index of the k-th item that is here, -1 where there are not so many.
int couNthSlot(const void *items, size_t count, size_t item_bytes, int k);
int couCountSlots(const void *items, size_t count, size_t item_bytes);
