// Defaults and parameter tables of the world's defs.

#include "world/look.h"
#include "world/world.h"

#include <stdio.h>

#define ANY (-3.0e38)
#define MOST 3.0e38
#define LARGE_TIME ((double)1.0e30f) // stands for "never" [s]; exactly a float, so that the default is within its own range

// Colours, linear RGB.
#define BLUE 0.1, 0.35, 0.8
#define STONE 0.55, 0.53, 0.5

// --- World -------------------------------------------------------------------------------------------------------------------

static const char *const gravity_names[] = {"all", "fluid", "bodies", NULL};
static const char *const starts[] = {"free", "rest", NULL};

static const couParam world_params[] = {
    COU_NAME(couWorldDef, method, .help = "how the fluid is computed"),
    COU_INTEGER(couWorldDef, dimension, "", .initial = {3}, .min = 2, .max = 3, .help = "2 (the plane z = 0) or 3"),
    COU_NUMBER(couWorldDef, spacing, "m", .initial = {0.02}, .min = 0, .is_min_open = true, .max = 1000,
               .help = "distance of particles at rest; halving it costs 16 times the work in 3D"),
    COU_VECTOR(couWorldDef, gravity, "m/s^2", .initial = {0, -9.81, 0}, .min = -10000, .max = 10000,
               .help = "acceleration of free fall"),
    COU_CHOICE(couWorldDef, gravity_on, gravity_names, .help = "what gravity pulls: all, the fluid alone or the bodies alone"),
    COU_VECTOR(couWorldDef, period, "m", .min = 0, .max = 1e6,
               .help = "lengths after which the world repeats along x, y, z; 0: it does not; not for pvfs"),
    COU_VECTOR(couWorldDef, period_lower, "m", .min = -1e6, .max = 1e6, .help = "lower corner of the box that repeats"),
    COU_NUMBER(couWorldDef, depth, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 10000,
               .help = "depth that the liquid must carry; auto: from what the scene holds"),
    COU_NUMBER(couWorldDef, speed, "m/s", .initial = {NAN}, .is_auto = true, .min = 0, .max = 10000,
               .help = "speed that the liquid reaches; auto: from falls and emitters"),
    COU_INTEGER(couWorldDef, threads, "", .min = 0, .max = COU_MAX_THREADS, .help = "0: all cores; results do not depend on it"),
    COU_INTEGER(couWorldDef, seed, "", .initial = {1}, .min = 0, .max = 2147483647, .help = "of the world's random numbers"),
    COU_INTEGER(couWorldDef, max_particles, "", .initial = {20000000}, .min = 1, .max = 1000000000, .help = "emitters stop here"),
    COU_CHOICE(couWorldDef, start, starts,
               .help = "of fluids that do not say: free, or rest: they carry their weight from the start"),
};
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
static const couParam material_params[] = {
    COU_NUMBER(couMaterialDef, density, "kg/m^3", .initial = {1000}, .min = 0, .is_min_open = true, .max = 100000,
               .help = "mass density"),
    COU_NUMBER(couMaterialDef, viscosity, "Pa s", .initial = {0.001}, .min = 0, .max = 1e9, .help = "dynamic viscosity"),
    COU_CHOICE(couMaterialDef, springs, spring_names,
               .help = "none: liquid; plastic: springs come, flow and go; frozen: a fixed set, an elastic solid"),
    COU_NUMBER(couMaterialDef, shear_modulus, "Pa", .min = 0, .max = 1e9, .help = "stiffness of the spring net"),
    COU_NUMBER(couMaterialDef, flow_stretch, "1/s", .min = 0, .max = 1e6, .help = "rate at which stretched springs give way"),
    COU_NUMBER(couMaterialDef, flow_compress, "1/s", .min = 0, .max = 1e6, .help = "rate at which compressed springs give way"),
    COU_NUMBER(couMaterialDef, yield_stretch, "", .min = 0, .max = 1, .help = "stretch that is borne without flow"),
    COU_NUMBER(couMaterialDef, yield_compress, "", .min = 0, .max = 1, .help = "compression that is borne without flow"),
    COU_NUMBER(couMaterialDef, sigma, "1/s", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1e9,
               .help = "linear pair viscosity of the paper; auto: from viscosity"),
    COU_NUMBER(couMaterialDef, beta, "1/m", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1e9,
               .help = "quadratic pair viscosity of the paper; auto: 1/h"),
    COU_NUMBER(couMaterialDef, smoothing, "1/s", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1e9,
               .help = "pairwise smoothing of velocities; auto: a little, from the sound speed"),
    COU_NUMBER(couMaterialDef, k_spring, "1/s^2", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1e12,
               .help = "spring rate of the paper; auto: from the shear modulus"),
    COU_NUMBER(couMaterialDef, surface_tension, "N/m", .min = 0, .max = 1000,
               .help = "for the SPH methods; in pvfs it follows from the recipe"),
    COU_LOOK_ROWS(couMaterialDef, BLUE, 1.33, COU_MATERIAL_ROUGHNESS),
};
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

static const char *const fluid_starts[] = {"scene", "free", "rest", NULL};

static const couParam fluid_params[] = {
    COU_VECTOR(couFluidDef, velocity, "m/s", .min = -COU_MAX_VELOCITY, .max = COU_MAX_VELOCITY,
               .help = "at the start; in scenes also a function of x, y, z that gives it"),
    COU_VECTOR(couFluidDef, spin, "rad/s", .min = -10000, .max = 10000,
               .help = "angular velocity at the start, about `at`, on top of the velocity; in 2D scenes one number"),
    COU_NUMBER(couFluidDef, jitter, "", .initial = {NAN}, .is_auto = true, .min = 0, .max = 0.5,
               .help = "random offset of each particle over the spacing; "
                       "auto: 0.4 for liquids, 0.1 with springs, 0 for SPH methods"),
    COU_PARAM("full", cou_paramBool, couFluidDef, is_full, "", .max = 1,
              .help = "a closed domain: as many particles as it holds at rest, whatever c_V; "
                      "otherwise a lattice of the spacing"),
    COU_CHOICE(couFluidDef, start, fluid_starts,
               .help = "rest: it carries its weight from the start, with the pressure of its depth; free: it feels it with the "
                       "first step, and rings; scene: as scene{} says"),
};
static const couParamTable fluid_table = {"fluid", fluid_params, COU_COUNT(fluid_params)};

const couParamTable *couFluidParams(void) { return &fluid_table; }

couFluidDef couDefaultFluidDef(void)
{
    couFluidDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&fluid_table, &def);
    return def;
}

// --- Body --------------------------------------------------------------------------------------------------------------------

static const couParam body_params[] = {
    COU_NAME(couBodyDef, name, .help = "unique name"),
    COU_NUMBER(couBodyDef, density, "kg/m^3", .initial = {1000}, .min = 0, .is_min_open = true, .max = 100000,
               .help = "of a body that moves freely"),
    COU_NUMBER(couBodyDef, mass, "kg", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e12,
               .help = "of a body that moves freely; auto: density times volume"),
    COU_VECTOR(couBodyDef, velocity, "m/s", .min = -10000, .max = 10000, .help = "of a free body's centre of mass at the start"),
    COU_VECTOR(couBodyDef, spin, "rad/s", .min = -10000, .max = 10000, .help = "angular velocity of a free body at the start"),
    COU_NUMBER(couBodyDef, contact_friction, "", .initial = {0.5}, .min = 0, .max = 100,
               .help = "Coulomb friction against other bodies; a pair has the geometric mean"),
    COU_NUMBER(couBodyDef, restitution, "", .min = 0, .max = 1, .help = "bounce against other bodies; a pair has the larger"),
    COU_NUMBER(couBodyDef, friction, "", .min = 0, .max = 1,
               .help = "on fluid: share of the sliding velocity lost per 1/30 s of contact: 0 slips, 1 holds"),
    COU_NUMBER(couBodyDef, bounce, "", .min = 0, .max = 1,
               .help = "on fluid, of a fixed or driven body: share of its speed towards the surface that a particle leaves with; "
                       "0 stops it, 1 mirrors it"),
    COU_NUMBER(couBodyDef, stickiness, "1/s^2", .min = 0, .max = 1e7, .help = "attraction of particles close to the surface"),
    COU_NUMBER(couBodyDef, stick_distance, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 100,
               .help = "how far stickiness reaches; auto: h/2"),
    COU_NUMBER(couBodyDef, coanda, "", .min = 0, .max = 1,
               .help = "SPH methods: C of the Coanda force, which pulls the liquid around to the body; sph.coanda has its form"),
    COU_LOOK_ROWS(couBodyDef, STONE, 1.5, COU_BODY_ROUGHNESS),
};
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
static const couParam joint_params[] = {
    COU_NAME(couJointDef, name, .help = "unique name"),
    COU_CHOICE(couJointDef, kind, joint_names,
               .help = "ball: shares a point; hinge: turns about an axis; slider: moves along it; fixed: welds; "
                       "motor: drives the turning only"),
    COU_VECTOR(couJointDef, at, "m", .min = -1e6, .max = 1e6, .help = "where it is when it is made"),
    COU_VECTOR(couJointDef, axis, "", .initial = {0, 0, 1}, .min = -1e6, .max = 1e6, .help = "of hinge, slider and motor"),
    COU_NUMBER(couJointDef, lower, "rad, m", .initial = {NAN}, .is_auto = true, .min = -1e6, .max = 1e6,
               .help = "least angle of a hinge or offset of a slider; auto: free"),
    COU_NUMBER(couJointDef, upper, "rad, m", .initial = {NAN}, .is_auto = true, .min = -1e6, .max = 1e6,
               .help = "greatest angle of a hinge or offset of a slider; auto: free"),
    COU_NUMBER(couJointDef, motor_speed, "rad/s, m/s", .min = -1e6, .max = 1e6, .help = "of body a against b"),
    COU_NUMBER(couJointDef, motor_force, "N m, N", .min = 0, .max = 1e12, .help = "the most that the motor gives; 0: no motor"),
};
static const couParamTable joint_table = {"joint", joint_params, COU_COUNT(joint_params)};

const couParamTable *couJointParams(void) { return &joint_table; }

couJointDef couDefaultJointDef(void)
{
    couJointDef def = {0};
    couParams_SetDefaults(&joint_table, &def);
    return def;
}

// --- Emitter -----------------------------------------------------------------------------------------------------------------

static const couParam emitter_params[] = {
    COU_NAME(couEmitterDef, name, .help = "to find it again"),
    COU_NUMBER(couEmitterDef, speed, "m/s", .initial = {NAN}, .is_auto = true, .min = 0, .max = 10000,
               .help = "of the jet, the rate follows; auto: 1 for a jet, 0 for a volume (which falls along its local -y)"),
    COU_NUMBER(couEmitterDef, start, "s", .min = 0, .max = LARGE_TIME, .help = "when it begins"),
    COU_NUMBER(couEmitterDef, stop, "s", .initial = {LARGE_TIME}, .min = 0, .max = LARGE_TIME, .help = "when it ends"),
    COU_NUMBER(couEmitterDef, jitter, "", .initial = {0.1}, .min = 0, .max = 0.5,
               .help = "random offset of each particle over the spacing"),
    COU_NUMBER(couEmitterDef, period, "s", .min = 0, .max = LARGE_TIME,
               .help = "a volume is filled again after this time, where it has become empty; 0: once"),
    COU_INTEGER(couEmitterDef, max_count, "", .initial = {2000000000}, .min = 0, .max = 2000000000,
                .help = "particles that it may emit"),
};
static const couParamTable emitter_table = {"emitter", emitter_params, COU_COUNT(emitter_params)};

const couParamTable *couEmitterParams(void) { return &emitter_table; }

couEmitterDef couDefaultEmitterDef(void)
{
    couEmitterDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&emitter_table, &def);
    return def;
}

// --- Sink --------------------------------------------------------------------------------------------------------------------

static const couParam sink_params[] = {
    COU_PARAM("inverted", cou_paramBool, couSinkDef, is_inverted, "", .max = 1, .help = "removes what is outside of the shape"),
    COU_NUMBER(couSinkDef, start, "s", .min = 0, .max = LARGE_TIME, .help = "when it begins"),
    COU_NUMBER(couSinkDef, stop, "s", .initial = {LARGE_TIME}, .min = 0, .max = LARGE_TIME, .help = "when it ends"),
};
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
static const couParam field_params[] = {
    COU_CHOICE(couFieldDef, kind, field_names, .help = "what the field does"),
    COU_VECTOR(couFieldDef, vector, "m/s^2", .initial = {0, 1, 0}, .min = -1e6, .max = 1e6,
               .help = "acceleration (uniform) or axis (rotating)"),
    COU_VECTOR(couFieldDef, center, "m", .min = ANY, .max = MOST, .help = "of rotation or pull"),
    COU_NUMBER(couFieldDef, strength, "", .initial = {1}, .min = -1e6, .max = 1e6,
               .help = "acceleration per distance from the axis [1/s^2] (rotating) or acceleration [m/s^2] (pull)"),
    COU_NUMBER(couFieldDef, radius, "m", .initial = {0.1}, .min = 0, .is_min_open = true, .max = 1e6,
               .help = "where a pull has reached its full strength"),
    COU_NUMBER(couFieldDef, start, "s", .min = 0, .max = LARGE_TIME, .help = "when it begins"),
    COU_NUMBER(couFieldDef, stop, "s", .initial = {LARGE_TIME}, .min = 0, .max = LARGE_TIME, .help = "when it ends"),
};
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
