// The mesh of a shape: boxes by formula, everything else by filling its surface.

#include "coulis/shape.h"
#include "soft/solid_mesh.h"

static int cells_along(float length, float spacing) { return (int)COU_CLAMP(ceilf(length / spacing - 0.01f), 1.0f, 1024.0f); }

static couSolidMesh *fill_surface(const couSurface *surface, int dimension, float spacing, couFaults *faults)
{
    if (dimension == 2)
        return couFillSolidMesh2(surface->vertices, surface->vertex_count, surface->indices, surface->element_count, spacing,
                                 faults);
    couMesh *fine = couCreateMesh(surface->vertices, surface->vertex_count, surface->indices, surface->element_count, faults);
    couMesh *mesh = fine ? couResampleMesh(fine, spacing, faults) : NULL;
    couSolidMesh *solid = mesh ? couFillSolidMesh(mesh, spacing, faults) : NULL;
    couMesh_Release(fine);
    couMesh_Release(mesh);
    return solid;
}

couSolidMesh *couCreateShapeSolidMesh(const couShape *shape, int dimension, float spacing, couFaults *faults)
{
    couBounds bounds;
    const couShapeDef *def = couShape_Def(shape);
    if (!(spacing > 0) || !(spacing <= 1e6f)) {
        couFaults_Add(faults, NULL, "solid_mesh", "the spacing is %g m; it must be > 0 and at most 1e6", spacing);
        return NULL;
    }
    if (!couShape_Bounds(shape, dimension, &bounds)) {
        couFaults_Add(faults, NULL, "solid_mesh", "the shape has no bounds, so it cannot be a solid");
        return NULL;
    }
    if (def->kind == cou_shapeBox && def->rounding == 0.0f) {
        const int cells[3] = {cells_along(def->size.x, spacing), cells_along(def->size.y, spacing),
                              cells_along(def->size.z, spacing)};
        return couCreateBoxSolidMesh(dimension, def->size, cells, faults);
    }
    couSurface surface = {0};
    couSolidMesh *mesh = NULL;
    if (couShape_BuildSurface(shape, dimension, 0.5f * spacing, bounds, &surface, faults))
        mesh = fill_surface(&surface, dimension, spacing, faults);
    couSurface_Clear(&surface);
    return mesh;
}
