/// Messages to the page: a scene in words, a body's mesh, a frame of particles. What is shown comes from a world or from files.
#pragma once

#include "coulis/frames.h"
#include "coulis/scene.h"
#include "serve/bytes.h"
#include "serve/protocol.h"

/// Begins a message: its type and the number of the question that it answers.
void couTell_Begin(couBytes *message, couTell type, unsigned number);
couBytes couTell_Answer(unsigned number, bool is_good, const char *text);

/// What the viewer is connected to.
typedef enum couSource { cou_sourceLive, cou_sourceRun, cou_sourceFiles } couSource;

/// All that does not change from frame to frame.
typedef struct couSceneCard {
    couScene *scene;
    const char *name;
    couSource source;
    couBounds bounds;                ///< what there is to see [m]
    const void *params;              ///< of the method, at the start; NULL: as they are
    const couMaterialDef *materials; ///< at the start; NULL: as they are
    unsigned serial;                 ///< changes with the scene; frames repeat it
    int frame_count;                 ///< of cou_sourceFiles
    bool can_record, has_thumbnails;
} couSceneCard;

couBytes couTell_Scene(const couSceneCard *card);

/// A parameter of a group: 0 the method's, 1 the world's, 2 and on the materials'. NULL for none; `*def` is the struct it is in.
const couParam *couFindKnob(couWorld *world, unsigned group, const char *name, const void **def);

/// What there is to see of a world: particles, bodies that have an end, emitters.
couBounds couWorldBounds(const couWorld *world);

/// A body's surface, in its own frame. Planes end at `clip`. False for a body that is not drawn, or without memory.
bool couTell_Mesh(couBytes *message, couBodyId id, const couBodyDef *body, couPose pose, int dimension, couBounds clip);

/// Columns of particles, by pointers to their first float and the floats from one to the next.
typedef struct couShownParticles {
    size_t count;
    const float *position, *velocity;
    size_t stride;
    const uint8_t *material;
    const float *density, *pressure; ///< NULL: not known
} couShownParticles;

typedef struct couShownBody {
    couBodyId id;
    couPose pose;
} couShownBody;

/// What the last tick did, for the graphs.
typedef struct couTick {
    double time; ///< [s]
    uint64_t steps;
    couStepReport report;
    double seconds; ///< that it took
    double kinetic_energy, potential_energy;
    bool is_playing, is_broken;
    uint32_t frame;  ///< of a run's frames
    unsigned serial; ///< of the scene that it belongs to
} couTick;

/// The range of the colours; follows what is shown, at once outward and slowly inward.
typedef struct couShownRange {
    float lower, upper;
    couColoring coloring;
    bool is_set;
} couShownRange;

couShownParticles couShowWorld(const couWorld *world);
couShownParticles couShowFrame(const couFrame *frame);
/// The bodies that are drawn; returns how many, at most `capacity`.
int couShowBodies(const couWorld *world, couShownBody *bodies, int capacity);
couBytes couTell_Frame(uint32_t sequence, const couTick *tick, const couShownParticles *particles, couShownRange *range,
                       const couShownBody *bodies, int body_count);

// --- Solids (tell_solids.c) --------------------------------------------------------------------------------------------------

/// What a solid looks like: its triangles, and how many points they have. False for one that is not drawn, or without memory.
bool couTell_Solid(couBytes *message, const couWorld *world, couSolidId id);
/// Where the points of all solids are, at the end of a frame.
void couTell_AddSolids(couBytes *frame, const couWorld *world);
