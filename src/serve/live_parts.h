/// What the files of a couLive share: live.c runs it, live_hands.c holds what is in the viewer's hands, live_knobs.c turns
/// parameters, goes back and exchanges scene and method, live_files.c records and exports.
#pragma once

#include "serve/live.h"
#include "serve/server_limits.h"
#include "soft/double3.h"

enum { cou_maxUndo = 16, cou_maxShownBodies = 4096, cou_maxLiveParticles = 400000, cou_maxPatch = 256 };

/// One step back.
typedef struct couUndo {
    bool has_state;
    couState state;
    unsigned group; ///< of a parameter, where there is no state
    char name[COU_NAME_SIZE];
    char value[160];
} couUndo;

/// What a viewer holds at the moment.
typedef struct couHands {
    couEmitterId emitter;
    bool has_field;
    couFieldId field;
    bool is_dragging;
    couBodyId body;
    couVec3 point;  ///< of the body, in its frame [m]
    couVec3 target; ///< in the world [m], also of a solid's patch
    bool is_dragging_solid;
    couSolidId solid;
    uint32_t patch[cou_maxPatch];    ///< points that the hand holds, first the one under the cursor
    couDouble3 pushes[cou_maxPatch]; ///< what pushed them before [N]
    int patch_count;
    float patch_radius; ///< [m]
} couHands;

/// What is looked at more closely.
typedef struct couInspected {
    int kind; ///< 0 nothing, 1 a particle, 2 a body
    uint32_t client, particle;
    couBodyId body;
    couVec3 velocity; ///< at the last tick [m/s]
    double time;      ///< of it [s]
    bool has_velocity;
} couInspected;

struct couLive {
    couLiveDef def;
    char name[512];
    char method[COU_NAME_SIZE]; ///< "": as the scene says
    couScene *scene;
    couWorld *world;
    couBounds bounds;
    void *start_params;              ///< of the method, before anyone changed them
    couMaterialDef *start_materials; ///< likewise

    uint32_t clients[cou_maxViewers]; ///< in the order of their coming
    int client_count;
    uint32_t holder; ///< of the controls, 0: nobody

    bool is_playing, is_broken, has_news, is_within_tick;
    int pending; ///< ticks to go while it is paused
    double speed;
    int ticks_per_frame;
    int64_t tick_number;
    double due;      ///< couSeconds() of the next tick
    double shown_at; ///< couSeconds() of the last frame

    uint32_t sequence;
    unsigned serial; ///< of scenes
    couTick tick;
    couShownRange range;
    couHands hands;
    couInspected inspected;
    couUndo undo[cou_maxUndo];
    int undo_count;
    int recorded; ///< frames, -1: not recording
    char record_path[1024];
};

// --- live.c ------------------------------------------------------------------------------------------------------------------

void couLive_Send(couLive *live, uint32_t client, couBytes message);
void couLive_SendStatus(couLive *live, uint32_t client);
void couLive_Log(couLive *live, const char *text);
/// Tells everyone what the scene is now, with all its bodies.
void couLive_Announce(couLive *live, uint32_t client);
void couLive_TellBody(couLive *live, uint32_t client, couBodyId body);
/// After the time of the world has changed otherwise than by a tick.
void couLive_FindTick(couLive *live);
/// What a checkpoint of a run has: the world and what the scene keeps in world.store.
bool couLive_SaveState(couLive *live, couState *state);
/// Takes another scene over, in place of the one that there is.
bool couLive_Adopt(couLive *live, couScene *scene, couFaults *faults);

/// Every command of a viewer is read in full before anything is done. The text is the answer; false when it could not be done.
typedef bool couLiveCall(couLive *live, couByteReader *reader, char *text, size_t size);

// --- live_hands.c ------------------------------------------------------------------------------------------------------------

couLiveCall couLive_Pour, couLive_Grab, couLive_Drag, couLive_Drop, couLive_Cut, couLive_Gravity, couLive_Springs, couLive_Remove;
void couLive_PullBody(couLive *live, double seconds); ///< before a tick: what is dragged follows
void couLive_LetGo(couLive *live);                    ///< of everything

// --- live_solids.c -----------------------------------------------------------------------------------------------------------

couLiveCall couLive_DragSolid;
void couLive_PullSolid(couLive *live, double seconds); ///< as couLive_PullBody()
void couLive_DropSolid(couLive *live);                 ///< out of the hand

// --- live_knobs.c ------------------------------------------------------------------------------------------------------------

couLiveCall couLive_Set, couLive_Reset, couLive_OpenScene, couLive_SwitchMethod, couLive_Undo;
void couLive_RememberState(couLive *live);
void couLive_ForgetUndo(couLive *live);

// --- live_files.c ------------------------------------------------------------------------------------------------------------

bool couLive_Export(couLive *live, uint32_t client, unsigned number, couExport what, char *text, size_t size);
bool couLive_Record(couLive *live, bool is_on, char *text, size_t size);
void couLive_RecordFrame(couLive *live);
