/// Contacts: for each particle near a solid, the tangent planes of the solids within reach; and pairs of particles that a solid
/// separates.
#pragma once

#include "base/parallel.h"

#define COU_CONTACT_BLOCK 2048 ///< particles whose contacts share one array
#define COU_MAX_CONTACTS 8     ///< of one particle

typedef struct couContact {
    couVec3 normal;   ///< unit, out of the solid
    float offset;     ///< distance of a point x to the solid: normal . x - offset [m]
    float push;       ///< how far the fluid method moved the particle along the normal because of this solid [m]
    int32_t body;     ///< index of the body
    uint32_t pocket;  ///< two particles with the same one, not 0, see each other past this body
    couVec3 side;     ///< where the particle comes from: unit normal of a plane that has the whole body behind it; 0: not known
    float height;     ///< over that plane [m]
    bool can_pull;    ///< the solid is sticky
    couVec3 drag;     ///< what the fluid's viscosity took of the particle's velocity because of this solid [m/s]
    couVec3 old_drag; ///< a stage before
} couContact;

typedef COU_ARRAY(couContact) couContactBlock;

typedef struct couContacts {
    couMemory *memory;
    couContactBlock *blocks;
    uint32_t *first; ///< per particle: its first contact in its block's array
    uint8_t *count;  ///< per particle
    size_t block_capacity, first_capacity, count_capacity;
} couContacts;

/// Contacts of particle i: count[i] of them from here.
static inline couContact *couContacts_Of(const couContacts *contacts, size_t i)
{
    return contacts->blocks[i / COU_CONTACT_BLOCK].items + contacts->first[i];
}

/// Makes room for `particles` and forgets all contacts. False without memory.
bool couContacts_Reset(couContacts *contacts, size_t particles);
/// Appends to particle i's contacts; particles of a block come in ascending order, from one thread. False when full or without
/// memory.
bool couContacts_Add(couContacts *contacts, size_t i, couContact contact);
void couContacts_Free(couContacts *contacts);

struct couStep;
/// Contacts of all particles with the bodies where they will be at the end of the step; reads previous, position. False without
/// memory.
bool couFindContacts(struct couStep *step);
/// Drops neighbour pairs that a body separates; reads previous, contacts.
void couSeparate(struct couStep *step);
