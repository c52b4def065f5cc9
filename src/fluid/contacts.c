// Contacts, kept per block of particles so that blocks can be filled in parallel and read in a fixed order.

#include "fluid/contacts.h"

bool couContacts_Reset(couContacts *contacts, size_t particles)
{
    size_t blocks = (size_t)couBlockCount(particles, COU_CONTACT_BLOCK);
    bool is_good = couReserve(contacts->memory, (void **)&contacts->first, &contacts->capacity, particles, sizeof(uint32_t)) &&
                   couReserve(contacts->memory, (void **)&contacts->count, &contacts->count_capacity, particles,
                              sizeof(uint8_t)) &&
                   couReserve(contacts->memory, (void **)&contacts->blocks, &contacts->block_capacity, blocks,
                              sizeof(couContactBlock));
    if (!is_good) return false;
    if (particles) memset(contacts->count, 0, particles);
    for (size_t b = 0; b < contacts->block_capacity; ++b) contacts->blocks[b].count = 0;
    return true;
}

bool couContacts_Add(couContacts *contacts, size_t i, couContact contact)
{
    couContactBlock *block = &contacts->blocks[i / COU_CONTACT_BLOCK];
    if (contacts->count[i] == COU_MAX_CONTACTS) return false;
    if (!couReserve(contacts->memory, (void **)&block->items, &block->capacity, COU_MAX(block->count + 1, 64), sizeof contact))
        return false;
    if (contacts->count[i] == 0) contacts->first[i] = (uint32_t)block->count;
    block->items[block->count++] = contact;
    contacts->count[i]++;
    return true;
}

void couContacts_Free(couContacts *contacts)
{
    for (size_t b = 0; b < contacts->block_capacity; ++b) couFree(contacts->memory, contacts->blocks[b].items);
    couFree(contacts->memory, contacts->blocks);
    couFree(contacts->memory, contacts->first);
    couFree(contacts->memory, contacts->count);
    *contacts = (couContacts){0};
}
