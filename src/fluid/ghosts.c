// Mirror images of the liquid behind solids [Schechter and Bridson 2012; Gagneux 2022, 2.4.1.1]: each particle near a wall is
// reflected in the tangent plane of the wall, and near an edge or a corner in both or all three planes at once. An image has
// the volume of a particle and its tangential velocity, and the wall's velocity along the normal, so that the liquid slips and
// does not leave the wall.

#include "fluid/sph.h"

typedef struct Mirror {
    const couContact *contacts;
    int count;
} Mirror;

// The image of x in the planes whose bits are set; false when the planes are not nearly at right angles, as opposite sides of a
// thin gap, or curved walls seen twice.
static bool reflect(const Mirror *mirror, unsigned planes, couVec3 *x, couVec3 *v, couVec3 wall)
{
    for (int k = 0; k < mirror->count; ++k) {
        if (!(planes >> k & 1)) continue;
        const couContact *contact = &mirror->contacts[k];
        for (int l = 0; l < k; ++l)
            if ((planes >> l & 1) && fabsf(couDot(contact->normal, mirror->contacts[l].normal)) > 0.5f) return false;
        float height = couDot(contact->normal, *x) - contact->offset;
        *x = couMulAdd(*x, -2.0f * height, contact->normal);
        *v = couMulAdd(*v, couDot(contact->normal, couSub(wall, *v)), contact->normal);
    }
    return true;
}

static bool add_ghost(couFluid *fluid, couVec3 x, couVec3 v, uint32_t id, uint32_t body)
{
    couBoundary *boundary = &fluid->boundary;
    size_t k = couTable_AddRows(&boundary->table, 1);
    if (k == SIZE_MAX) return false;
    couBoundary_Position(boundary)[k] = (couVec4){x.x, x.y, x.z, 1.0f};
    couBoundary_Velocity(boundary)[k] = (couVec4){v.x, v.y, v.z, 0.0f};
    couBoundary_Id(boundary)[k] = id;
    couBoundary_Body(boundary)[k] = body;
    return true;
}

bool couSph_PlaceGhosts(couStep *step)
{
    couFluid *fluid = step->fluid;
    fluid->boundary.table.count = 0;
    fluid->boundary.is_sorted = false;
    if (!couSph_FindContacts(step)) return false;
    for (size_t i = 0; i < fluid->table.count; ++i) {
        Mirror mirror = {couContacts_Of(&fluid->contacts, i), COU_MIN(fluid->contacts.count[i], 3)};
        for (unsigned planes = 1; planes < 1u << mirror.count; ++planes) {
            int first = __builtin_ctz(planes);
            couVec3 x = couXyz(couFluid_Position(fluid)[i]), v = couXyz(couFluid_Velocity(fluid)[i]);
            couVec3 wall = couWallVelocity(&fluid->bodies->items[mirror.contacts[first].body], x, step->dt);
            if (!reflect(&mirror, planes, &x, &v, wall)) continue;
            uint32_t id = couFluid_Id(fluid)[i] * 8u + planes;
            if (!add_ghost(fluid, x, v, id, (uint32_t)mirror.contacts[first].body)) return false;
        }
    }
    return true;
}
