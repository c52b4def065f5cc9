#include <coulis/coulis.h>
#include <stdio.h>

static int report(const couFaults *faults)
{
    for (int k = 0; k < faults->count; ++k) fprintf(stderr, "%s: %s\n", faults->items[k].key, faults->items[k].message);
    return 1;
}

int main(void)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.spacing = 0.02f; // [m]
    couWorld *world = couCreateWorld(&def, &faults);
    if (!world) return report(&faults);

    couMaterialDef honey = couDefaultMaterialDef();
    honey.density = 1400.0f; // [kg/m^3]
    honey.viscosity = 8.0f;  // [Pa s]
    couMaterialId material = couWorld_AddMaterial(world, &honey, &faults);

    couBodyDef ground = couDefaultBodyDef();
    ground.shape = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}}, &faults);
    couWorld_AddBody(world, &ground, &faults);

    couFluidDef drop = couDefaultFluidDef();
    drop.material = material;
    drop.shape = couCreateShape(&(couShapeDef){.kind = cou_shapeSphere, .radius = 0.15f}, &faults);
    drop.pose.position.y = 0.25f; // [m]
    couWorld_AddFluid(world, &drop, &faults);
    if (faults.count > 0) return report(&faults);

    for (int frame = 0; frame < 15; ++frame) {
        couStepReport report = couWorld_Advance(world, 1.0 / 30);
        couMeasurement m = couWorld_Measure(world);
        printf("%.3f s  centre at %.3f m  %d substeps\n", couWorld_Time(world), m.center[1], report.substeps);
    }

    couShape_Release(drop.shape);
    couShape_Release(ground.shape);
    couDestroyWorld(world);
    couFaults_Clear(&faults);
}
