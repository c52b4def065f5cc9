/// What all fluid methods share: the particles with their columns, cells, neighbours, contacts and materials, and the table of
/// functions that a method is.
#pragma once

#include "base/random.h"
#include "fluid/blowers.h"
#include "fluid/boundary.h"
#include "fluid/contacts.h"
#include "fluid/fields.h"
#include "particles/neighbors.h"
#include "soft/solids.h"

#define COU_MAX_MATERIALS 64

typedef struct couFluid {
    couMemory *memory;
    couArena *scratch; ///< of the step
    couParallel parallel;
    couBodies *bodies; ///< the solids that it meets
    couSolids *solids; ///< and the deformable ones
    int dimension;
    float spacing;   ///< d [m]
    float h;         ///< support radius [m]
    couVec3 gravity; ///< of the liquid [m/s^2]
    couTable table;
    int position_column, previous_column, velocity_column, id_column, material_column, density_column;
    int pressure_column; ///< [Pa]; -1 where the method has none
    couPeriod period;    ///< axes that repeat
    couGrid grid;
    couNeighbors neighbors;
    couContacts contacts;
    couBoundary boundary;                          ///< samples of solids, for the methods that want them
    COU_ARRAY(struct couBodySamples) body_samples; ///< per body, in its own frame
    COU_ARRAY(struct couSoft) softs;               ///< per deformable solid
    _Atomic int64_t (*soft_pushes)[3];             ///< scratch: of each sample; NULL without deformable solids
    double soft_unit;                              ///< of those [N s]
    uint64_t sampled_change;                       ///< couBodies.change_count when the samples were placed
    uint32_t solid_base;                           ///< row of the columns where this step's samples begin
    COU_ARRAY(struct couTouchBlock) touches;       ///< scratch: particles that touch free bodies, per block
    couFields fields;
    couBlowers blowers;
    couMaterialDef materials[COU_MAX_MATERIALS];
    float mass[COU_MAX_MATERIALS];     ///< of one particle [kg]
    float clinging[COU_MAX_MATERIALS]; ///< viscosity by which the method holds liquid at walls [m^2/s]; 0: touching alone does
    int material_count;
    struct couSpringNet *springs;
    uint32_t next_id; ///< of the next particle made
    const struct couMethod *method;
    void *params;         ///< laid out as method->params says
    void *method_state;   ///< the method's own
    float last_dt;        ///< of the step before [s]; 0 before the first
    float least_step;     ///< the user does not want shorter ones [s]; 0: no such bound
    float max_speed;      ///< of particles, bodies and jets at the beginning of the step [m/s]; for methods with adaptive steps
    float relative_speed; ///< of particles against their neighbours, along the pair, in the step before [m/s]; likewise
    float coanda_pull, coanda_rate; ///< of C = 1 on liquid beside a wall: acceleration [m/s^2], its slope [1/s^2]; 0: no force
    bool has_thin_solids;           ///< some solid is thinner than a spacing: pairs across it must be dropped
} couFluid;

static inline couVec4 *couFluid_Position(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->position_column); }
/// A direction for two particles at the same place: random, fixed by their ids, opposite for the two.
couVec3 couPartingDirection(int dimension, uint32_t id_a, uint32_t id_b);

/// Position at the beginning of the step.
static inline couVec4 *couFluid_Previous(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->previous_column); }
static inline couVec4 *couFluid_Velocity(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->velocity_column); }
static inline uint32_t *couFluid_Id(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->id_column); }
static inline uint8_t *couFluid_Material(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->material_column); }
static inline float *couFluid_Density(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->density_column); }

/// Of the grids [m]: a little larger than h, so that rounding cannot put a pair within h two cells apart.
static inline float couFluid_CellSize(const couFluid *fluid) { return 1.001f * fluid->h; }

/// What a scene asks of a fluid; the method derives its numbers from it.
typedef struct couDemand {
    float depth; ///< H [m]
    float speed; ///< largest speed [m/s]
    bool is_jet; ///< there are emitters and no liquid yet
} couDemand;

/// One step under way.
typedef struct couStep {
    couFluid *fluid;
    float dt;       ///< [s]
    double time;    ///< at its beginning [s]
    uint64_t index; ///< steps before it
    couStepReport *report;
    bool has_failed; ///< out of memory, NaN or lost particles: the rest of the step is skipped
} couStep;

typedef void couPhaseFcn(couStep *step);

/// What a phase moves and computes at the least, counted by hand from the source, for comparison with what the machine can do.
typedef struct couPhaseWork {
    float bytes, flops;               ///< per particle
    float pair_bytes, pair_flops;     ///< per neighbour entry
    float spring_bytes, spring_flops; ///< per spring
    enum { cou_workOnce, cou_workEachIteration, cou_workEachDivergenceIteration } per;
} couPhaseWork;
#define COU_NOT_COUNTED \
    { \
        .bytes = 0 \
    }

typedef struct couPhaseEntry {
    couPhase phase;
    couPhaseFcn *function;
    couPhaseWork work;
} couPhaseEntry;

/// A method: traits, functions and a parameter table. To add one, write its file and add a line to methods.c.
typedef struct couMethod {
    const char *name;
    const char *help; ///< one line
    couMethodTraits traits;
    const couParamTable *params;
    size_t params_bytes, state_bytes;
    const couPhaseEntry *phases;    ///< in order; ends with a NULL function
    const struct couSphTraits *sph; ///< for the files of the SPH family alone; NULL outside of it
    float contact_radius;           ///< at which collisions hold particles / spacing
    bool has_contact_pushes;        ///< its walls push along the contacts' planes; otherwise samples of solids do

    // Needed
    float (*support_ratio)(const couFluid *fluid); ///< h / d
    /// Derives numbers from demand and materials; writes lines for the user into `choices`.
    bool (*prepare)(couFluid *fluid, const couDemand *demand, char *choices, size_t size, couFaults *faults);
    float (*suggest_step)(const couFluid *fluid); ///< what stability asks for, before the bound of fluid->least_step [s]
    float (*height_error)(const couFluid *fluid); ///< expected, relative
    void (*materials_changed)(couFluid *fluid);   ///< one was added or changed after preparation

    // Optional
    bool (*init)(couFluid *fluid); ///< registers columns; NULL: none of its own
    void (*free)(couFluid *fluid); ///< what it holds; NULL: nothing
    /// Memory of its own that holds nothing between two steps, for the sort; NULL: none.
    void *(*lend)(const couFluid *fluid, size_t *bytes);
    /// What a particle of the material has as position.w and velocity.w; NULL: 1 / mass and 0.
    void (*weights)(const couFluid *fluid, int material, float *position_w, float *velocity_w);
    /// Volume of a particle / d^n, for domains that are filled to the last; NULL: 1.
    float (*fill)(const couFluid *fluid);
    /// Random offset of particles that fill a shape / spacing; NULL: 0.
    float (*fill_jitter)(const couFluid *fluid, bool has_springs, bool is_rest);
    /// Its pressures may pull, so that the liquid may tear itself apart: the world watches its energy. NULL: never.
    bool (*pulls)(const couFluid *fluid);
} couMethod;

/// NULL for a complete method, otherwise what it lacks: "prepare", "phases"...
const char *couMethod_FindGap(const couMethod *method);
const couMethod *couFindMethod(const char *name);

// --- Phases that methods share -----------------------------------------------------------------------------------------------

void couPhase_Sort(couStep *step);      ///< reads position, id; reorders all columns
void couPhase_Neighbors(couStep *step); ///< reads position, contacts; writes neighbour lists
void couPhase_Contacts(couStep *step);  ///< reads position; writes contacts
void couPhase_Bodies(couStep *step);    ///< reads previous, position, contacts; moves bodies
void couPhase_Collide(couStep *step);   ///< reads previous, position; writes both
void couPhase_Move(couStep *step);      ///< previous = position, position += dt velocity
void couPhase_Velocity(couStep *step);  ///< velocities of what was moved otherwise; reads previous, position
