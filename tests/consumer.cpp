// A user in C++: every public header, and a drop that falls for a while.
#include <coulis/base.h>
#include <coulis/checkpoint.h>
#include <coulis/coulis.h>
#include <coulis/font.h>
#include <coulis/frames.h>
#include <coulis/gauge.h>
#include <coulis/look.h>
#include <coulis/mesh.h>
#include <coulis/mesh_file.h>
#include <coulis/params.h>
#include <coulis/picture.h>
#include <coulis/scene.h>
#include <coulis/shape.h>
#include <coulis/solid.h>
#include <coulis/solid_file.h>
#include <coulis/solid_mesh.h>
#include <coulis/studio.h>
#include <coulis/surface.h>
#include <coulis/surface_file.h>
#include <coulis/world.h>

#include <cstdio>
#include <cstring>
#include <memory>

int main()
{
    couFaults faults{};
    couWorldDef def = couDefaultWorldDef();
    def.spacing = 0.03f;
    def.threads = 2;
    std::unique_ptr<couWorld, decltype(&couDestroyWorld)> world(couCreateWorld(&def, &faults), couDestroyWorld);
    couShapeDef ball{};
    ball.kind = cou_shapeSphere;
    ball.radius = 0.12f;
    std::unique_ptr<couShape, decltype(&couShape_Release)> shape(couCreateShape(&ball, &faults), couShape_Release);
    const couLibraryMaterial *honey = couFindLibraryMaterial("honey");
    if (!world || !shape || !honey || couFindLibraryMaterial("hony")) return 1;

    couFluidDef drop = couDefaultFluidDef();
    drop.material = couWorld_AddMaterial(world.get(), &honey->def, &faults);
    drop.shape = shape.get();
    drop.pose = COU_POSE_IDENTITY;
    couWorld_AddFluid(world.get(), &drop, &faults);
    couBlowerDef fan = couDefaultBlowerDef(); // nothing of it is left when the drop falls
    fan.shape = shape.get();
    fan.acceleration = 20.0f;
    couBlowerId blower = couWorld_AddBlower(world.get(), &fan, &faults);
    couWorld_SetBlowerOn(world.get(), blower, false);
    if (!couWorld_SetGravity(world.get(), def.gravity, cou_gravityOnFluid, &faults)) return 1;
    couWorld_AfterStep(world.get(), nullptr, nullptr);
    couWorld_Advance(world.get(), 0.2);

    // y = -g t^2 / 2 = -0.196 m, and a little more as the scheme is of first order in the step.
    couMeasurement m = couWorld_Measure(world.get());
    couFrame frame{};
    bool is_good = faults.count == 0 && m.center[1] < -0.19 && m.center[1] > -0.25 && couCaptureFrame(world.get(), &frame) &&
                   frame.count == couWorld_Particles(world.get()).count && frame.count > 100 &&
                   std::strcmp(couVersion(), COU_VERSION) == 0;
    // The whole drop falls alike: colours by its speed have a scale, a map and a legend.
    couColors colors = couDefaultColors();
    std::unique_ptr<float[]> speeds(new float[frame.count + 1]);
    is_good = is_good && couFrame_Column(&frame, "speed", speeds.get()) && speeds[0] > 1.8f && speeds[0] < 2.2f &&
              std::strcmp(couFrameColumn_Unit("speed"), "m/s") == 0 && couFrameColumnNames()[0] &&
              couParams_Find(couColorsParams(), "map") && couColorMap_At(colors.map, 1.0f).x > couColorMap_At(colors.map, 0.0f).x;
    if (!is_good) std::fprintf(stderr, "%d faults, centre at %g m, %zu particles\n", faults.count, m.center[1], frame.count);
    couFreeFrame(&frame);
    couFaults_Clear(&faults);
    return is_good ? 0 : 1;
}
