// Parameters of the running world, steps back, other scenes and methods.
//
// A step back is either one parameter's old value or a whole saved state. A state knows the bodies and emitters that were there;
// those that came later by hand are added to it as removed ones, since a world never forgets a place.
#include "serve/live_parts.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

static bool say_faults(couFaults *faults, char *text, size_t size)
{
    bool is_good = faults->count == 0;
    if (!is_good)
        snprintf(text, size, "%s%s%s", faults->items[0].key, faults->items[0].key[0] ? ": " : "", faults->items[0].message);
    couFaults_Clear(faults);
    return is_good;
}

// --- Parameters --------------------------------------------------------------------------------------------------------------

static bool set_material(couLive *live, unsigned group, const couParam *param, const char *value, couFaults *faults)
{
    couMaterialId id = couWorld_MaterialAt(live->world, (int)group - 2);
    couMaterialDef def = *couWorld_Material(live->world, id);
    return couParam_SetText(param, def.name, &def, value, NULL, faults) && couWorld_SetMaterial(live->world, id, &def, faults);
}

static bool set_gravity(couLive *live, const couParam *param, const char *value, couFaults *faults)
{
    couWorldDef def = *couWorld_Def(live->world);
    return couParam_SetText(param, "world", &def, value, NULL, faults) &&
           couWorld_SetGravity(live->world, def.gravity, (couGravityOn)def.gravity_on, faults);
}

// One value. What the method cannot be prepared with is put back.
static bool set_value(couLive *live, unsigned group, const char *name, const char *value, const char *old, couFaults *faults)
{
    const void *def;
    const couParam *param = couFindKnob(live->world, group, name, &def);
    bool is_good;
    if (group == 0) {
        char key[2 * COU_NAME_SIZE];
        snprintf(key, sizeof key, "%.31s.%.31s", couWorld_Def(live->world)->method, name);
        is_good = couWorld_SetParam(live->world, key, value, faults);
    } else {
        is_good = group == 1 ? set_gravity(live, param, value, faults) : set_material(live, group, param, value, faults);
    }
    if (is_good && !couWorld_Prepare(live->world, faults)) {
        is_good = false;
        couFaults ignored = {0};
        if (old) set_value(live, group, name, old, NULL, &ignored);
        couFaults_Clear(&ignored);
    }
    return is_good;
}

static void format_now(couLive *live, unsigned group, const couParam *param, const void *def, char *text, size_t size)
{
    couWorldDef now = *couWorld_Def(live->world);
    now.gravity = couWorld_Gravity(live->world);
    couParam_FormatValue(param, group == 1 ? (const void *)&now : def, text, size);
}

static void tell_value(couLive *live, unsigned group, const char *name)
{
    const void *def;
    const couParam *param = couFindKnob(live->world, group, name, &def);
    char value[160];
    couBytes m = {0};
    format_now(live, group, param, def, value, sizeof value);
    couTell_Begin(&m, cou_tellStatus, 0);
    couBytes_Format(&m, "{\"set\":[%u,", group);
    couBytes_JsonText(&m, name);
    couBytes_U8(&m, ',');
    couBytes_JsonText(&m, value);
    couBytes_Format(&m, "]}");
    couLive_Send(live, 0, m);
}

static const void *start_of(const couLive *live, unsigned group)
{
    if (group == 0) return live->start_params;
    return group == 1 ? (const void *)couWorld_Def(live->world) : (const void *)&live->start_materials[group - 2];
}

static couUndo *push_undo(couLive *live)
{
    if (live->undo_count == cou_maxUndo) {
        couState_Clear(&live->undo[0].state);
        memmove(live->undo, live->undo + 1, (cou_maxUndo - 1) * sizeof *live->undo);
        --live->undo_count;
    }
    couUndo *undo = &live->undo[live->undo_count++];
    *undo = (couUndo){0};
    return undo;
}

bool couLive_Set(couLive *live, couByteReader *reader, char *text, size_t size)
{
    char name[COU_NAME_SIZE], value[160], old[160];
    unsigned group = couByteReader_U8(reader);
    couByteReader_Text(reader, name, sizeof name);
    couByteReader_Text(reader, value, sizeof value);
    if (!couByteReader_IsDone(reader)) return false;
    const void *def;
    const couParam *param = couFindKnob(live->world, group, name, &def);
    if (!param) {
        snprintf(text, size, "there is no parameter '%s' in this group", name);
        return false;
    }
    if (!value[0]) couParam_FormatValue(param, start_of(live, group), value, sizeof value);
    format_now(live, group, param, def, old, sizeof old);
    couFaults faults = {0};
    if (set_value(live, group, name, value, old, &faults)) {
        // A slider that is drawn along changes one value many times: one step back.
        couUndo *last = live->undo_count > 0 ? &live->undo[live->undo_count - 1] : NULL;
        bool is_same = last && !last->has_state && last->group == group && strcmp(last->name, name) == 0;
        if (!is_same) {
            couUndo *undo = push_undo(live);
            undo->group = group;
            snprintf(undo->name, sizeof undo->name, "%s", name);
            snprintf(undo->value, sizeof undo->value, "%s", old);
        }
    }
    tell_value(live, group, name);
    return say_faults(&faults, text, size);
}

// --- Steps back --------------------------------------------------------------------------------------------------------------

void couLive_RememberState(couLive *live)
{
    couState state = {0};
    if (!couLive_SaveState(live, &state)) {
        couState_Clear(&state);
        return;
    }
    couUndo *undo = push_undo(live);
    undo->has_state = true;
    undo->state = state;
}

void couLive_ForgetUndo(couLive *live)
{
    for (int i = 0; i < live->undo_count; ++i) couState_Clear(&live->undo[i].state);
    live->undo_count = 0;
}

static couStateArray *find_array(couState *state, const char *name)
{
    for (int i = 0; i < state->count; ++i)
        if (strcmp(state->arrays[i].name, name) == 0) return &state->arrays[i];
    return NULL;
}

// Rows that the world has now beyond those of the state; where they begin with whether they are there (is_here, is_on), that is
// set to 0. The order of the arrays changes by this, which loading does not mind.
static bool add_later_rows(couState *state, const couState *now, const char *name, bool begins_with_presence)
{
    couStateArray *old = find_array(state, name);
    const couStateArray *new = couState_Find(now, name);
    if (!old || !new || new->count <= old->count || new->components != old->components || new->type != cou_stateF64) return true;
    couState grown = {0};
    couStateArray *array = couState_Add(&grown, name, old->unit, old->type, old->components, new->count, new->data);
    if (!array) return false;
    size_t width = (size_t)old->components;
    double *rows = array->data;
    memcpy(rows, old->data, old->count * width * sizeof *rows);
    for (size_t i = old->count; i < new->count &&begins_with_presence; ++i) rows[i * width] = 0;
    couStateArray kept = *old;
    *old = *array;
    *array = kept; // freed with `grown`
    couState_Clear(&grown);
    return true;
}

static bool load_state(couLive *live, couState *state, couFaults *faults)
{
    couState now = {0};
    bool is_good = couWorld_SaveState(live->world, &now) && add_later_rows(state, &now, "bodies/state", true) &&
                   add_later_rows(state, &now, "bodies/values", false) && add_later_rows(state, &now, "emitters/progress", true);
    couState_Clear(&now);
    if (!is_good) couFaults_Add(faults, NULL, NULL, "out of memory");
    const couStateArray *store = couState_Find(state, "scene/store");
    return is_good && couWorld_LoadState(live->world, state, faults) &&
           (!store || couScene_LoadStore(live->scene, store->data ? store->data : "", store->count, faults));
}

bool couLive_Undo(couLive *live, couByteReader *reader, char *text, size_t size)
{
    if (!couByteReader_IsDone(reader)) return false;
    if (live->undo_count == 0) {
        snprintf(text, size, "there is nothing to undo");
        return false;
    }
    couUndo undo = live->undo[--live->undo_count];
    couFaults faults = {0};
    if (undo.has_state) {
        couLive_LetGo(live);
        if (load_state(live, &undo.state, &faults)) live->is_broken = couScene_RuntimeError(live->scene) != NULL;
        couLive_FindTick(live);
        couLive_Announce(live, 0);
    } else {
        set_value(live, undo.group, undo.name, undo.value, NULL, &faults);
        tell_value(live, undo.group, undo.name);
    }
    couState_Clear(&undo.state);
    live->has_news = true;
    return say_faults(&faults, text, size);
}

// --- Other scenes and methods ------------------------------------------------------------------------------------------------

static couScene *load(couLive *live, const char *name, const char *method, couFaults *faults)
{
    bool is_first = strcmp(name, live->def.scene) == 0;
    couSceneOptions options = live->def.options;
    if (!is_first) options.overrides = NULL, options.override_count = 0; // they were meant for another scene
    options.method = method && method[0] ? method : NULL;
    return couLoadScene(name, &options, faults);
}

static bool exchange(couLive *live, const char *name, const char *method, char *text, size_t size)
{
    couFaults faults = {0};
    couScene *scene = load(live, name, method, &faults);
    bool is_adopted = scene && couLive_Adopt(live, scene, &faults);
    if (scene && live->scene != scene) couCloseScene(scene);
    if (is_adopted) {
        snprintf(live->name, sizeof live->name, "%s", name);
        snprintf(live->method, sizeof live->method, "%s", method ? method : "");
        couLive_Announce(live, 0);
    }
    return say_faults(&faults, text, size) && is_adopted;
}

bool couLive_Reset(couLive *live, couByteReader *reader, char *text, size_t size)
{
    if (!couByteReader_IsDone(reader)) return false;
    char name[sizeof live->name], method[COU_NAME_SIZE];
    snprintf(name, sizeof name, "%s", live->name);
    snprintf(method, sizeof method, "%s", live->method);
    return exchange(live, name, method, text, size);
}

// From the gallery only: a viewer names no files.
bool couLive_OpenScene(couLive *live, couByteReader *reader, char *text, size_t size)
{
    char name[256];
    couByteReader_Text(reader, name, sizeof name);
    if (!couByteReader_IsDone(reader)) return false;
    char **names = couListScenes();
    bool is_known = strcmp(name, live->def.scene) == 0;
    for (int i = 0; names && names[i]; ++i) is_known = is_known || strcmp(names[i], name) == 0;
    couFreeNames(names);
    if (!is_known) {
        snprintf(text, size, "the gallery has no scene of this name");
        return false;
    }
    return exchange(live, name, "", text, size);
}

// The state of the new world with what the old one has of it: particles, bodies, time. Columns that only the new method has
// begin at zero.
static bool merge_states(const couState *old, couState *fresh)
{
    static const char *const own[] = {"world/demand", "world/pace", "materials/wants_springs"};
    const couStateArray *ids = couState_Find(old, "particles/id");
    couState merged = {0};
    bool is_good = ids != NULL;
    for (int i = 0; i < fresh->count && is_good; ++i) {
        const couStateArray *array = &fresh->arrays[i], *from = couState_Find(old, array->name);
        bool is_own = false;
        for (int k = 0; k < COU_COUNT(own); ++k) is_own = is_own || strcmp(own[k], array->name) == 0;
        bool is_particles = strncmp(array->name, "particles/", 10) == 0;
        if (from && (from->type != array->type || from->components != array->components)) from = NULL;
        if (is_own) from = array;
        if (from)
            is_good = couState_Add(&merged, array->name, array->unit, array->type, array->components, from->count, from->data);
        else
            is_good = couState_Add(&merged, array->name, array->unit, array->type, array->components,
                                   is_particles ? ids->count : array->count, is_particles ? NULL : array->data);
    }
    couState_Clear(fresh);
    *fresh = merged;
    return is_good;
}

static bool carry_over(couLive *live, couScene *scene, couFaults *faults)
{
    couState old = {0}, fresh = {0};
    couWorld *world = couScene_World(scene);
    bool is_good = couWorld_Prepare(world, faults) && couWorld_SaveState(live->world, &old) &&
                   couWorld_SaveState(world, &fresh) && merge_states(&old, &fresh) && couWorld_LoadState(world, &fresh, faults);
    couState_Clear(&old);
    couState_Clear(&fresh);
    return is_good;
}

bool couLive_SwitchMethod(couLive *live, couByteReader *reader, char *text, size_t size)
{
    char method[COU_NAME_SIZE];
    couByteReader_Text(reader, method, sizeof method);
    if (!couByteReader_IsDone(reader)) return false;
    if (!couFindMethodTraits(method)) {
        snprintf(text, size, "there is no method of this name");
        return false;
    }
    couFaults faults = {0};
    couLive_DropSolid(live); // its push is none of the solid's own
    couScene *scene = load(live, live->name, method, &faults);
    bool is_adopted = scene && carry_over(live, scene, &faults) && couLive_Adopt(live, scene, &faults);
    if (scene && live->scene != scene) couCloseScene(scene);
    if (is_adopted) {
        snprintf(live->method, sizeof live->method, "%s", method);
        if (live->range.coloring == cou_colorPressure && !couWorld_Particles(live->world).pressure)
            live->range = (couShownRange){.coloring = cou_colorSpeed};
        couLive_Announce(live, 0);
    } else if (faults.count == 0) {
        couFaults_Add(&faults, NULL, NULL, "the particles cannot be carried over");
    }
    return say_faults(&faults, text, size) && is_adopted;
}
