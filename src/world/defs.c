// Defaults and parameter tables of the world's defs.

#include "world/world.h"

#include <stdio.h>

#define ANY (-3.0e38)
#define MOST 3.0e38
#define LARGE_TIME ((double)1.0e30f) // stands for "never" [s]; exactly a float, so that the default is within its own range

// --- World -------------------------------------------------------------------------------------------------------------------

// clang-format off
#define FIELD(field) offsetof(couWorldDef, field)
static const couParam world_params[] = {
    {"method", "", "how the fluid is computed", cou_paramName, FIELD(method), {0}, 0, 0, false, false, NULL},
    {"dimension", "", "2 (the plane z = 0) or 3", cou_paramInt, FIELD(dimension), {3}, 2, 3, false, false, NULL},
    {"spacing", "m", "distance of particles at rest; halving it costs 16 times the work in 3D", cou_paramFloat, FIELD(spacing), {0.02}, 0, 1000, true, false, NULL},
    {"gravity", "m/s^2", "acceleration of free fall", cou_paramVec3, FIELD(gravity), {0, -9.81, 0}, -10000, 10000, false, false, NULL},
    {"period", "m", "lengths after which the world repeats along x, y, z; 0: it does not; not for pvfs", cou_paramVec3, FIELD(period), {0, 0, 0}, 0, 1e6, false, false, NULL},
    {"period_lower", "m", "lower corner of the box that repeats", cou_paramVec3, FIELD(period_lower), {0, 0, 0}, -1e6, 1e6, false, false, NULL},
    {"depth", "m", "depth that the liquid must carry; auto: from what the scene holds", cou_paramFloat, FIELD(depth), {NAN}, 0, 10000, true, true, NULL},
    {"speed", "m/s", "speed that the liquid reaches; auto: from falls and emitters", cou_paramFloat, FIELD(speed), {NAN}, 0, 10000, false, true, NULL},
    {"threads", "", "0: all cores; results do not depend on it", cou_paramInt, FIELD(threads), {0}, 0, COU_MAX_THREADS, false, false, NULL},
    {"seed", "", "of the world's random numbers", cou_paramInt, FIELD(seed), {1}, 0, 2147483647, false, false, NULL},
    {"max_particles", "", "emitters stop here", cou_paramInt, FIELD(max_particles), {20000000}, 1, 1000000000, false, false, NULL},
};
#undef FIELD
// clang-format on
static const couParamTable world_table = {"scene", world_params, COU_COUNT(world_params)};

const couParamTable *couWorldParams(void) { return &world_table; }

couWorldDef couDefaultWorldDef(void)
{
    couWorldDef def = {0};
    couParams_SetDefaults(&world_table, &def);
    snprintf(def.method, sizeof def.method, "pvfs");
    return def;
}

// --- Material ----------------------------------------------------------------------------------------------------------------

static const char *const spring_names[] = {"none", "plastic", "frozen", NULL};
// clang-format off
#define FIELD(field) offsetof(couMaterialDef, field)
static const couParam material_params[] = {
    {"density", "kg/m^3", "mass density", cou_paramFloat, FIELD(density), {1000}, 0, 100000, true, false, NULL},
    {"viscosity", "Pa s", "dynamic viscosity", cou_paramFloat, FIELD(viscosity), {0.001}, 0, 1e9, false, false, NULL},
    {"springs", "", "none: liquid; plastic: springs come, flow and go; frozen: a fixed set, an elastic solid", cou_paramChoice, FIELD(springs), {0}, 0, 0, false, false, spring_names},
    {"shear_modulus", "Pa", "stiffness of the spring net", cou_paramFloat, FIELD(shear_modulus), {0}, 0, 1e9, false, false, NULL},
    {"flow_stretch", "1/s", "rate at which stretched springs give way", cou_paramFloat, FIELD(flow_stretch), {0}, 0, 1e6, false, false, NULL},
    {"flow_compress", "1/s", "rate at which compressed springs give way", cou_paramFloat, FIELD(flow_compress), {0}, 0, 1e6, false, false, NULL},
    {"yield_stretch", "", "stretch that is borne without flow", cou_paramFloat, FIELD(yield_stretch), {0}, 0, 1, false, false, NULL},
    {"yield_compress", "", "compression that is borne without flow", cou_paramFloat, FIELD(yield_compress), {0}, 0, 1, false, false, NULL},
    {"sigma", "1/s", "linear pair viscosity of the paper; auto: from viscosity", cou_paramFloat, FIELD(sigma), {NAN}, 0, 1e9, false, true, NULL},
    {"beta", "1/m", "quadratic pair viscosity of the paper; auto: 1/h", cou_paramFloat, FIELD(beta), {NAN}, 0, 1e9, false, true, NULL},
    {"smoothing", "1/s", "pairwise smoothing of velocities; auto: a little, from the sound speed", cou_paramFloat, FIELD(smoothing), {NAN}, 0, 1e9, false, true, NULL},
    {"k_spring", "1/s^2", "spring rate of the paper; auto: from the shear modulus", cou_paramFloat, FIELD(k_spring), {NAN}, 0, 1e12, false, true, NULL},
    {"surface_tension", "N/m", "for the SPH methods; in pvfs it follows from the recipe", cou_paramFloat, FIELD(surface_tension), {0}, 0, 1000, false, false, NULL},
    {"color", "", "linear red, green, blue for pictures", cou_paramVec3, FIELD(color), {0.1, 0.35, 0.8}, 0, 1, false, false, NULL},
    {"opacity", "", "for pictures; below 1 light goes through", cou_paramFloat, FIELD(opacity), {1}, 0, 1, false, false, NULL},
    {"absorption", "1/m", "of red, green and blue light inside clear matter; auto: 2 cm / opacity of it show the colour", cou_paramVec3, FIELD(absorption), {NAN, NAN, NAN}, 0, 1e6, false, true, NULL},
    {"scattering", "1/m", "of light inside clear matter, which makes it milky", cou_paramFloat, FIELD(scattering), {0}, 0, 1e4, false, false, NULL},
    {"refraction", "", "index of refraction; of the skin of opaque matter as well", cou_paramFloat, FIELD(refraction), {1.33}, 1, 4, false, false, NULL},
    {"roughness", "", "of the surface in pictures, 0 is a mirror; auto: 0 where light goes through, otherwise 0.3", cou_paramFloat, FIELD(roughness), {NAN}, 0, 1, false, true, NULL},
    {"metalness", "", "1: a metal, which reflects in its colour", cou_paramFloat, FIELD(metalness), {0}, 0, 1, false, false, NULL},
};
#undef FIELD
// clang-format on
static const couParamTable material_table = {"material", material_params, COU_COUNT(material_params)};

const couParamTable *couMaterialParams(void) { return &material_table; }

couMaterialDef couDefaultMaterialDef(void)
{
    couMaterialDef def = {0};
    couParams_SetDefaults(&material_table, &def);
    snprintf(def.name, sizeof def.name, "liquid");
    return def;
}

// --- Fluid -------------------------------------------------------------------------------------------------------------------

// clang-format off
#define FIELD(field) offsetof(couFluidDef, field)
static const couParam fluid_params[] = {
    {"velocity", "m/s", "at the start", cou_paramVec3, FIELD(velocity), {0, 0, 0}, -10000, 10000, false, false, NULL},
    {"jitter", "", "random offset of each particle over the spacing; auto: 0.4 for liquids, 0.1 with springs, 0 for SPH methods", cou_paramFloat, FIELD(jitter), {NAN}, 0, 0.5, false, true, NULL},
    {"full", "", "a closed domain: as many particles as it holds at rest, whatever c_V; otherwise a lattice of the spacing", cou_paramBool, FIELD(is_full), {0}, 0, 1, false, false, NULL},
};
#undef FIELD
// clang-format on
static const couParamTable fluid_table = {"fluid", fluid_params, COU_COUNT(fluid_params)};

const couParamTable *couFluidParams(void) { return &fluid_table; }

couFluidDef couDefaultFluidDef(void)
{
    couFluidDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&fluid_table, &def);
    return def;
}

// --- Body --------------------------------------------------------------------------------------------------------------------

// clang-format off
#define FIELD(field) offsetof(couBodyDef, field)
static const couParam body_params[] = {
    {"name", "", "unique name", cou_paramName, FIELD(name), {0}, 0, 0, false, false, NULL},
    {"density", "kg/m^3", "of a body that moves freely", cou_paramFloat, FIELD(density), {1000}, 0, 100000, true, false, NULL},
    {"mass", "kg", "of a body that moves freely; auto: density times volume", cou_paramFloat, FIELD(mass), {NAN}, 0, 1e12, true, true, NULL},
    {"velocity", "m/s", "of a free body's centre of mass at the start", cou_paramVec3, FIELD(velocity), {0, 0, 0}, -10000, 10000, false, false, NULL},
    {"spin", "rad/s", "angular velocity of a free body at the start", cou_paramVec3, FIELD(spin), {0, 0, 0}, -10000, 10000, false, false, NULL},
    {"contact_friction", "", "Coulomb friction against other bodies; a pair has the geometric mean", cou_paramFloat, FIELD(contact_friction), {0.5}, 0, 100, false, false, NULL},
    {"restitution", "", "bounce against other bodies; a pair has the larger", cou_paramFloat, FIELD(restitution), {0}, 0, 1, false, false, NULL},
    {"friction", "", "on fluid: share of the sliding velocity lost per 1/30 s of contact: 0 slips, 1 holds", cou_paramFloat, FIELD(friction), {0}, 0, 1, false, false, NULL},
    {"stickiness", "1/s^2", "attraction of particles close to the surface", cou_paramFloat, FIELD(stickiness), {0}, 0, 1e7, false, false, NULL},
    {"stick_distance", "m", "how far stickiness reaches; auto: h/2", cou_paramFloat, FIELD(stick_distance), {NAN}, 0, 100, true, true, NULL},
    {"color", "", "linear red, green, blue for pictures", cou_paramVec3, FIELD(color), {0.55, 0.53, 0.5}, 0, 1, false, false, NULL},
    {"opacity", "", "for pictures; 0: not drawn; below 1 light goes through", cou_paramFloat, FIELD(opacity), {1}, 0, 1, false, false, NULL},
    {"absorption", "1/m", "of red, green and blue light inside a clear body; auto: 2 cm / opacity of it show the colour", cou_paramVec3, FIELD(absorption), {NAN, NAN, NAN}, 0, 1e6, false, true, NULL},
    {"refraction", "", "index of refraction", cou_paramFloat, FIELD(refraction), {1.5}, 1, 4, false, false, NULL},
    {"roughness", "", "of the surface in pictures, 0 is a mirror; auto: 0 where light goes through, otherwise 0.4", cou_paramFloat, FIELD(roughness), {NAN}, 0, 1, false, true, NULL},
    {"metalness", "", "1: a metal, which reflects in its colour", cou_paramFloat, FIELD(metalness), {0}, 0, 1, false, false, NULL},
};
#undef FIELD
// clang-format on
static const couParamTable body_table = {"body", body_params, COU_COUNT(body_params)};

const couParamTable *couBodyParams(void) { return &body_table; }

couBodyDef couDefaultBodyDef(void)
{
    couBodyDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&body_table, &def);
    return def;
}

// --- Joint -------------------------------------------------------------------------------------------------------------------

static const char *const joint_names[] = {"ball", "hinge", "slider", "fixed", "motor", NULL};
// clang-format off
#define FIELD(field) offsetof(couJointDef, field)
static const couParam joint_params[] = {
    {"name", "", "unique name", cou_paramName, FIELD(name), {0}, 0, 0, false, false, NULL},
    {"kind", "", "ball: shares a point; hinge: turns about an axis; slider: moves along it; fixed: welds; motor: drives the turning only", cou_paramChoice, FIELD(kind), {0}, 0, 0, false, false, joint_names},
    {"at", "m", "where it is when it is made", cou_paramVec3, FIELD(at), {0, 0, 0}, -1e6, 1e6, false, false, NULL},
    {"axis", "", "of hinge, slider and motor", cou_paramVec3, FIELD(axis), {0, 0, 1}, -1e6, 1e6, false, false, NULL},
    {"lower", "rad, m", "least angle of a hinge or offset of a slider; auto: free", cou_paramFloat, FIELD(lower), {NAN}, -1e6, 1e6, false, true, NULL},
    {"upper", "rad, m", "greatest angle of a hinge or offset of a slider; auto: free", cou_paramFloat, FIELD(upper), {NAN}, -1e6, 1e6, false, true, NULL},
    {"motor_speed", "rad/s, m/s", "of body a against b", cou_paramFloat, FIELD(motor_speed), {0}, -1e6, 1e6, false, false, NULL},
    {"motor_force", "N m, N", "the most that the motor gives; 0: no motor", cou_paramFloat, FIELD(motor_force), {0}, 0, 1e12, false, false, NULL},
};
#undef FIELD
// clang-format on
static const couParamTable joint_table = {"joint", joint_params, COU_COUNT(joint_params)};

const couParamTable *couJointParams(void) { return &joint_table; }

couJointDef couDefaultJointDef(void)
{
    couJointDef def = {0};
    couParams_SetDefaults(&joint_table, &def);
    return def;
}

// --- Emitter -----------------------------------------------------------------------------------------------------------------

// clang-format off
#define FIELD(field) offsetof(couEmitterDef, field)
static const couParam emitter_params[] = {
    {"name", "", "to find it again", cou_paramName, FIELD(name), {0}, 0, 0, false, false, NULL},
    {"speed", "m/s", "of the jet, the rate follows; auto: 1 for a jet, 0 for a volume (which falls along its local -y)", cou_paramFloat, FIELD(speed), {NAN}, 0, 10000, false, true, NULL},
    {"start", "s", "when it begins", cou_paramFloat, FIELD(start), {0}, 0, LARGE_TIME, false, false, NULL},
    {"stop", "s", "when it ends", cou_paramFloat, FIELD(stop), {LARGE_TIME}, 0, LARGE_TIME, false, false, NULL},
    {"jitter", "", "random offset of each particle over the spacing", cou_paramFloat, FIELD(jitter), {0.1}, 0, 0.5, false, false, NULL},
    {"period", "s", "a volume is filled again after this time, where it has become empty; 0: once", cou_paramFloat, FIELD(period), {0}, 0, LARGE_TIME, false, false, NULL},
    {"max_count", "", "particles that it may emit", cou_paramInt, FIELD(max_count), {2000000000}, 0, 2000000000, false, false, NULL},
};
#undef FIELD
// clang-format on
static const couParamTable emitter_table = {"emitter", emitter_params, COU_COUNT(emitter_params)};

const couParamTable *couEmitterParams(void) { return &emitter_table; }

couEmitterDef couDefaultEmitterDef(void)
{
    couEmitterDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&emitter_table, &def);
    return def;
}

// --- Sink --------------------------------------------------------------------------------------------------------------------

// clang-format off
#define FIELD(field) offsetof(couSinkDef, field)
static const couParam sink_params[] = {
    {"inverted", "", "removes what is outside of the shape", cou_paramBool, FIELD(is_inverted), {0}, 0, 1, false, false, NULL},
    {"start", "s", "when it begins", cou_paramFloat, FIELD(start), {0}, 0, LARGE_TIME, false, false, NULL},
    {"stop", "s", "when it ends", cou_paramFloat, FIELD(stop), {LARGE_TIME}, 0, LARGE_TIME, false, false, NULL},
};
#undef FIELD
// clang-format on
static const couParamTable sink_table = {"sink", sink_params, COU_COUNT(sink_params)};

const couParamTable *couSinkParams(void) { return &sink_table; }

couSinkDef couDefaultSinkDef(void)
{
    couSinkDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&sink_table, &def);
    return def;
}

// --- Field -------------------------------------------------------------------------------------------------------------------

static const char *const field_names[] = {"uniform", "rotating", "pull", "function", NULL};
// clang-format off
#define FIELD(field) offsetof(couFieldDef, field)
static const couParam field_params[] = {
    {"kind", "", "what the field does", cou_paramChoice, FIELD(kind), {0}, 0, 0, false, false, field_names},
    {"vector", "m/s^2", "acceleration (uniform) or axis (rotating)", cou_paramVec3, FIELD(vector), {0, 1, 0}, -1e6, 1e6, false, false, NULL},
    {"center", "m", "of rotation or pull", cou_paramVec3, FIELD(center), {0, 0, 0}, ANY, MOST, false, false, NULL},
    {"strength", "", "acceleration per distance from the axis [1/s^2] (rotating) or acceleration [m/s^2] (pull)", cou_paramFloat, FIELD(strength), {1}, -1e6, 1e6, false, false, NULL},
    {"radius", "m", "where a pull has reached its full strength", cou_paramFloat, FIELD(radius), {0.1}, 0, 1e6, true, false, NULL},
    {"start", "s", "when it begins", cou_paramFloat, FIELD(start), {0}, 0, LARGE_TIME, false, false, NULL},
    {"stop", "s", "when it ends", cou_paramFloat, FIELD(stop), {LARGE_TIME}, 0, LARGE_TIME, false, false, NULL},
};
#undef FIELD
// clang-format on
static const couParamTable field_table = {"field", field_params, COU_COUNT(field_params)};

const couParamTable *couFieldParams(void) { return &field_table; }

couFieldDef couDefaultFieldDef(void)
{
    couFieldDef def = {.region_pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&field_table, &def);
    return def;
}

bool couCheckName(const char *name, const char *key, couFaults *faults)
{
    if (memchr(name, 0, COU_NAME_SIZE)) return true;
    couFaults_Add(faults, NULL, key, "a name must have at most %d characters", COU_NAME_SIZE - 1);
    return false;
}
