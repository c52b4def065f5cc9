/// What all fluid methods share: the particles with their columns, cells, neighbours, contacts and materials, and the table of
/// functions that a method is.
#pragma once

#include "base/random.h"
#include "particles/contacts.h"
#include "particles/neighbors.h"

#define COU_MAX_MATERIALS 64

typedef struct couFluid {
    couMemory *memory;
    couParallel parallel;
    int dimension;
    float spacing;   ///< d [m]
    float h;         ///< support radius [m]
    couVec3 gravity; ///< [m/s^2]
    couTable table;
    int position_column, previous_column, velocity_column, id_column, material_column, density_column;
    couGrid grid;
    couNeighbors neighbors;
    couContacts contacts;
    couMaterialDef materials[COU_MAX_MATERIALS];
    float mass[COU_MAX_MATERIALS]; ///< of one particle [kg]
    int material_count;
    struct couSpringNet *springs;
    uint32_t next_id; ///< of the next particle made
    const struct couMethod *method;
    void *params;       ///< laid out as method->params says
    void *method_state; ///< the method's own
} couFluid;

static inline couVec4 *couFluid_Position(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->position_column); }
/// Position at the beginning of the step.
static inline couVec4 *couFluid_Previous(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->previous_column); }
static inline couVec4 *couFluid_Velocity(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->velocity_column); }
static inline uint32_t *couFluid_Id(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->id_column); }
static inline uint8_t *couFluid_Material(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->material_column); }
static inline float *couFluid_Density(const couFluid *fluid) { return couTable_Data(&fluid->table, fluid->density_column); }

/// What a scene asks of a fluid; the method derives its numbers from it.
typedef struct couDemand {
    float depth; ///< H [m]
    float speed; ///< largest speed [m/s]
} couDemand;

/// One step under way. The services belong to the world, which knows bodies and fields.
typedef struct couStep {
    couFluid *fluid;
    float dt; ///< [s]
    couStepReport *report;
    void *world;
    void (*accelerate)(struct couStep *step);    ///< gravity and fields change velocities
    bool (*find_contacts)(struct couStep *step); ///< fills fluid->contacts from the predicted positions
    void (*separate)(struct couStep *step);      ///< drops neighbour pairs that a solid separates
    void (*couple)(struct couStep *step);        ///< moves free bodies, with what the fluid does to them
    void (*collide)(struct couStep *step);       ///< positions out of the solids, along their paths
    bool has_failed;                             ///< out of memory, NaN or lost particles: the rest of the step is skipped
} couStep;

typedef void couPhaseFcn(couStep *step);

typedef struct couPhaseEntry {
    couPhase phase;
    couPhaseFcn *function;
} couPhaseEntry;

/// A method: functions and a parameter table. To add one, write its file and add a line to methods.c.
typedef struct couMethod {
    const char *name;
    const char *help; ///< one line
    const couParamTable *params;
    size_t params_bytes, state_bytes;
    const couPhaseEntry *phases;                   ///< in order; ends with a NULL function
    float (*support_ratio)(const couFluid *fluid); ///< h / d
    /// Derives numbers from demand and materials; writes lines for the user into `choices`.
    bool (*prepare)(couFluid *fluid, const couDemand *demand, char *choices, size_t size, couFaults *faults);
    float (*suggest_step)(const couFluid *fluid); ///< [s]
    float (*height_error)(const couFluid *fluid); ///< expected, relative
    /// A material was changed while running.
    void (*materials_changed)(couFluid *fluid);
} couMethod;

const couMethod *couFindMethod(const char *name);

// --- Phases that methods share -----------------------------------------------------------------------------------------------

void couPhase_Sort(couStep *step);      ///< reads position, id; reorders all columns
void couPhase_Neighbors(couStep *step); ///< reads position, contacts; writes neighbour lists
void couPhase_Contacts(couStep *step);  ///< reads position; writes contacts
void couPhase_Bodies(couStep *step);    ///< reads previous, position, contacts; moves bodies
void couPhase_Collide(couStep *step);   ///< reads previous, position; writes both
