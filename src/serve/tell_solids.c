// Deformable solids for the page: their triangles once, where their points are with every frame.
#include "coulis/solid.h"
#include "serve/tell.h"

#include "base/base.h"

bool couTell_Solid(couBytes *m, const couWorld *world, couSolidId id)
{
    const couSolidDef *def = couWorld_Solid(world, id);
    if (!def || !(def->look.opacity > 0.0f)) return false;
    bool is_flat = couSolidMesh_Dimension(def->mesh) == 2;
    size_t count = is_flat ? couSolidMesh_CellCount(def->mesh) : couSolidMesh_FaceCount(def->mesh);
    const uint32_t *corners = is_flat ? couSolidMesh_Cells(def->mesh) : couSolidMesh_Faces(def->mesh);
    couTell_Begin(m, cou_tellSolid, 0);
    couBytes_U16(m, id.index1);
    couBytes_U16(m, id.generation);
    couBytes_F32(m, couLook_Resolve(def->look, cou_matterBody).opacity);
    couBytes_U32(m, (uint32_t)couSolidMesh_PointCount(def->mesh));
    couBytes_U32(m, (uint32_t)count);
    for (size_t i = 0; i < 3 * count; ++i) couBytes_U32(m, corners[i]);
    couBytes_Add(m, def->name, strlen(def->name));
    return !m->is_short;
}

static void add_color(couBytes *m, couVec3 color)
{
    const float channels[3] = {color.x, color.y, color.z};
    for (int a = 0; a < 3; ++a) couBytes_U8(m, (unsigned)(255.0f * COU_CLAMP(channels[a], 0.0f, 1.0f) + 0.5f));
    couBytes_U8(m, 0);
}

static void add_solid(couBytes *m, const couWorld *world, couSolidId id)
{
    const couSolidDef *def = couWorld_Solid(world, id);
    couSolidView view = couWorld_SolidView(world, id);
    couVec3 color = couLook_Resolve(def->look, cou_matterBody).color;
    couSurface surface = {0};
    bool has_colors = def->color_by != cou_solidColorLook && couWorld_BuildSolidSurface(world, id, &surface) && surface.colors;
    couBytes_U16(m, id.index1);
    couBytes_U16(m, id.generation);
    couBytes_U32(m, (uint32_t)view.count);
    for (size_t i = 0; i < view.count; ++i) {
        const double *p = view.position + 3 * i;
        couBytes_Vec3(m, (couVec3){(float)p[0], (float)p[1], (float)p[2]});
        add_color(m, has_colors ? surface.colors[i] : color);
    }
    couSurface_Clear(&surface);
}

void couTell_AddSolids(couBytes *m, const couWorld *world)
{
    for (int i = 0; i < couWorld_SolidCount(world); ++i) {
        couSolidId id = couWorld_SolidAt(world, i);
        if (couWorld_Solid(world, id)->look.opacity > 0.0f) add_solid(m, world, id);
    }
}
