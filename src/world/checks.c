// Checks that the world's defs share: poses, shapes, materials.

#include "world/world.h"

couBounds couMoveBounds(couBounds bounds, couPose pose)
{
    couBounds moved = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 8; ++k) {
        couVec3 corner = {k & 1 ? bounds.upper.x : bounds.lower.x, k & 2 ? bounds.upper.y : bounds.lower.y,
                          k & 4 ? bounds.upper.z : bounds.lower.z};
        couVec3 p = couToWorld(pose, corner);
        moved.lower = (couVec3){COU_MIN(moved.lower.x, p.x), COU_MIN(moved.lower.y, p.y), COU_MIN(moved.lower.z, p.z)};
        moved.upper = (couVec3){COU_MAX(moved.upper.x, p.x), COU_MAX(moved.upper.y, p.y), COU_MAX(moved.upper.z, p.z)};
    }
    return moved;
}

bool couCheckPose(couPose pose, const char *key, couFaults *faults)
{
    couQuat q = pose.rotation;
    float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (couIsFinite3(pose.position) && fabsf(norm - 1.0f) < 1e-3f) return true;
    couFaults_Add(faults, NULL, key, "the pose must be finite, with a rotation of length 1 (it is %g)", sqrt(norm));
    return false;
}

bool couCheckShape(const couWorld *world, const couShape *shape, bool must_be_bounded, const char *key, couFaults *faults)
{
    couBounds bounds;
    if (!shape) {
        couFaults_Add(faults, NULL, key, "a shape is missing");
        return false;
    }
    if (world->def.dimension == 3 && couShape_IsFlat(shape)) {
        couFaults_Add(
            faults, NULL, key,
            "what its difference takes away ends flush with the rest along z: that is good in 2D; here it must stick out");
        return false;
    }
    if (must_be_bounded && !couShape_Bounds(shape, world->def.dimension, &bounds)) {
        couFaults_Add(faults, NULL, key, "the shape has no bounds, so it cannot be filled");
        return false;
    }
    return true;
}

bool couCheckMaterial(const couWorld *world, couMaterialId material, const char *key, couFaults *faults)
{
    if (material.index1 > 0 && material.index1 <= world->fluid.material_count) return true;
    couFaults_Add(faults, NULL, key, "a material is missing");
    return false;
}
