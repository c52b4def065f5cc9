// Triangles of single shapes and their shells come from the shape library; here they are put together for trees. A clear union
// is left to its distance: faces inside of it would bend the light.
#include "render/facets.h"

#include "base/base.h"

typedef struct Facets {
    couSurface *all;
    size_t vertex_capacity, index_capacity;
    bool is_clear, is_even;
} Facets;

static bool is_round(couShapeKind kind)
{
    return kind == cou_shapeSphere || kind == cou_shapeCapsule || kind == cou_shapeCylinder || kind == cou_shapeCone ||
           kind == cou_shapeTorus;
}

static bool is_turned(couQuat q) { return q.x != 0.0f || q.y != 0.0f || q.z != 0.0f; }

// Whether the surface of one shape is known by formula, and made of planes.
static bool has_formula(const couShape *shape, bool *is_even)
{
    couShapeKind kind = couShape_Kind(shape);
    const couShapeDef *def = couShape_Def(shape);
    *is_even = kind == cou_shapePolygon || (kind == cou_shapeBox && def->rounding == 0.0f);
    if (kind == cou_shapeBox || kind == cou_shapePolygon || is_round(kind)) return true;
    if (kind != cou_shapeShell) return false;
    // The wall around a box is rounded outside.
    const couShape *child = def->children[0];
    for (; couShape_Kind(child) == cou_shapePlaced; child = couShape_Def(child)->children[0])
        if (def->is_open && is_turned(couShape_Def(child)->pose.rotation)) return false;
    return couShape_Kind(child) == cou_shapeBox || (is_round(couShape_Kind(child)) && couShape_Kind(child) != cou_shapeTorus);
}

static bool append(Facets *facets, const couSurface *part, couPose pose)
{
    couSurface *all = facets->all;
    size_t first = all->vertex_count, used = 3 * all->element_count, more = 3 * part->element_count;
    if (first + part->vertex_count >= UINT32_MAX) return false;
    if (!COU_GROW(NULL, all->vertices, facets->vertex_capacity, first + part->vertex_count)) return false;
    if (!COU_GROW(NULL, all->indices, facets->index_capacity, used + more)) return false;
    for (size_t v = 0; v < part->vertex_count; ++v) all->vertices[first + v] = couToWorld(pose, part->vertices[v]);
    for (size_t k = 0; k < more; ++k) all->indices[used + k] = (uint32_t)first + part->indices[k];
    all->vertex_count += part->vertex_count;
    all->element_count += part->element_count;
    return true;
}

static bool add_single(Facets *facets, const couShape *shape, couPose pose)
{
    bool is_even;
    if (!has_formula(shape, &is_even)) return false;
    facets->is_even = facets->is_even && is_even;
    couSurface part;
    couFaults *faults = NULL; // without memory the shape is stepped through
    if (!couShape_BuildSurface(shape, 3, 0.0f, couEmptyBounds(), &part, faults)) return false;
    bool is_added = append(facets, &part, pose);
    couSurface_Clear(&part);
    return is_added;
}

static bool add_shape(Facets *facets, const couShape *shape, couPose pose)
{
    const couShapeDef *def = couShape_Def(shape);
    switch (couShape_Kind(shape)) {
    case cou_shapePlaced: return add_shape(facets, def->children[0], couCompose(pose, def->pose));
    case cou_shapeUnion:
        for (int i = 0; i < def->child_count; ++i)
            if (facets->is_clear || !add_shape(facets, def->children[i], pose)) return false;
        return true;
    default: return add_single(facets, shape, pose);
    }
}

bool couBuildFacets(const couShape *shape, bool is_clear, couSurface *surface, bool *is_even)
{
    *surface = (couSurface){.dimension = 3};
    Facets facets = {.all = surface, .is_clear = is_clear, .is_even = true};
    bool is_whole = add_shape(&facets, shape, COU_POSE_IDENTITY) && surface->element_count > 0;
    if (!is_whole) couSurface_Clear(surface);
    *is_even = facets.is_even;
    return is_whole;
}
