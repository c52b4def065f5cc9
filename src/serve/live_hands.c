// What a viewer does by hand: pour, grab, drag, drop, cut, tilt. The hand's jet is an emitter and its grip a field, as a scene
// has them; what is dragged gets an impulse before each tick, as of a damped spring between the point that was grabbed and the
// cursor.
#include "serve/live_parts.h"

#include "base/base.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

static bool say_faults(couFaults *faults, char *text, size_t size)
{
    bool is_good = faults->count == 0;
    for (int i = 0; i < faults->count && i < 4; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s%s%s", i > 0 ? "\n" : "", faults->items[i].key,
                 faults->items[i].key[0] ? ": " : "", faults->items[i].message);
    }
    couFaults_Clear(faults);
    return is_good;
}

static bool is_2d(const couLive *live) { return couWorld_Def(live->world)->dimension == 2; }

// Hands of 2D scenes stay in their plane.
static couVec3 flatten(const couLive *live, couVec3 v)
{
    if (is_2d(live)) v.z = 0.0f;
    return v;
}

static bool has_room(const couLive *live, char *text, size_t size)
{
    if (couWorld_Particles(live->world).count < cou_maxLiveParticles) return true;
    snprintf(text, size, "the viewer adds nothing beyond %d particles", cou_maxLiveParticles);
    return false;
}

// --- Pouring -----------------------------------------------------------------------------------------------------------------

// The turn that sends +y in a direction.
static couQuat turn_from_y(couVec3 direction)
{
    couVec3 d = couNormalize(direction);
    if (d.y < -0.999999f || !(couLength(d) > 0.0f)) return (couQuat){0, 0, 1, 0}; // about z, which 2D has
    couVec3 axis = couCross((couVec3){0, 1, 0}, d);
    couQuat q = {axis.x, axis.y, axis.z, 1.0f + d.y};
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (couQuat){q.x / length, q.y / length, q.z / length, q.w / length};
}

static void stop_pouring(couLive *live)
{
    if (live->hands.emitter.index1 && couWorld_HasEmitter(live->world, live->hands.emitter))
        couWorld_SetEmitterOn(live->world, live->hands.emitter, false);
}

static bool place_emitter(couLive *live, couEmitterDef *def, couFaults *faults)
{
    couHands *hands = &live->hands;
    bool is_there = hands->emitter.index1 && couWorld_HasEmitter(live->world, hands->emitter);
    if (is_there && !couWorld_SetEmitter(live->world, hands->emitter, def, faults)) return false;
    if (!is_there) hands->emitter = couWorld_AddEmitter(live->world, def, faults);
    if (!hands->emitter.index1) return false;
    couWorld_SetEmitterOn(live->world, hands->emitter, true);
    return true;
}

bool couLive_Pour(couLive *live, couByteReader *reader, char *text, size_t size)
{
    unsigned is_on = couByteReader_U8(reader), material = couByteReader_U8(reader);
    couVec3 place = couByteReader_Vec3(reader), direction = couByteReader_Vec3(reader);
    float speed = couByteReader_F32(reader), radius = couByteReader_F32(reader);
    if (!couByteReader_IsDone(reader)) return false;
    if (!is_on) {
        stop_pouring(live);
        return true;
    }
    if (!has_room(live, text, size)) {
        stop_pouring(live);
        return false;
    }
    couWorld *world = live->world;
    couMaterialId id = couWorld_MaterialAt(world, (int)material);
    if (!id.index1) {
        snprintf(text, size, "this scene has no material of that number");
        return false;
    }
    bool is_pouring = live->hands.emitter.index1 && couWorld_HasEmitter(world, live->hands.emitter) &&
                      couIsEmitting(&world->emitters.items[live->hands.emitter.index1 - 1], couWorld_Time(world));
    if (!is_pouring) couLive_RememberState(live);
    couFaults faults = {0};
    float spacing = couWorld_Def(world)->spacing;
    couShapeDef disk = {.kind = cou_shapeDisk, .radius = COU_CLAMP(radius, 1.5f * spacing, 50.0f * spacing)};
    couShape *shape = couCreateShape(&disk, &faults);
    couEmitterDef def = couDefaultEmitterDef();
    snprintf(def.name, sizeof def.name, "hand");
    def.material = id;
    def.shape = shape;
    def.pose = (couPose){flatten(live, place), turn_from_y(flatten(live, direction))};
    def.speed = COU_CLAMP(speed, 0.01f, 50.0f);
    if (shape) place_emitter(live, &def, &faults);
    couShape_Release(shape);
    return say_faults(&faults, text, size);
}

// --- Grabbing the fluid ------------------------------------------------------------------------------------------------------

static void open_grip(couLive *live)
{
    if (live->hands.has_field && couWorld_HasField(live->world, live->hands.field))
        couWorld_RemoveField(live->world, live->hands.field);
    live->hands.has_field = false;
}

bool couLive_Grab(couLive *live, couByteReader *reader, char *text, size_t size)
{
    unsigned is_on = couByteReader_U8(reader);
    couVec3 place = couByteReader_Vec3(reader);
    float radius = couByteReader_F32(reader), strength = couByteReader_F32(reader);
    if (!couByteReader_IsDone(reader)) return false;
    if (!is_on) {
        open_grip(live);
        return true;
    }
    couFaults faults = {0};
    couHands *hands = &live->hands;
    float spacing = couWorld_Def(live->world)->spacing;
    couShapeDef ball = {.kind = cou_shapeSphere, .radius = COU_CLAMP(radius, 2.0f * spacing, 200.0f * spacing)};
    couFieldDef def = couDefaultFieldDef();
    def.kind = cou_fieldPull;
    def.center = flatten(live, place);
    def.radius = ball.radius;
    def.strength = COU_CLAMP(strength, -1000.0f, 1000.0f);
    def.region = couCreateShape(&ball, &faults);
    def.region_pose = (couPose){def.center, {0, 0, 0, 1}};
    bool is_there = hands->has_field && couWorld_HasField(live->world, hands->field);
    if (!is_there) couLive_RememberState(live);
    if (def.region && is_there) couWorld_SetField(live->world, hands->field, &def, &faults);
    if (def.region && !is_there) {
        hands->field = couWorld_AddField(live->world, &def, &faults);
        hands->has_field = hands->field.index1 > 0;
    }
    couShape_Release(def.region);
    return say_faults(&faults, text, size);
}

// --- Dragging bodies ---------------------------------------------------------------------------------------------------------

bool couLive_Drag(couLive *live, couByteReader *reader, char *text, size_t size)
{
    unsigned is_on = couByteReader_U8(reader), index = couByteReader_U16(reader), generation = couByteReader_U16(reader);
    couVec3 point = couByteReader_Vec3(reader), target = couByteReader_Vec3(reader);
    if (!couByteReader_IsDone(reader)) return false;
    couBodyId id = {(uint16_t)index, (uint16_t)generation};
    bool was_dragging = live->hands.is_dragging;
    live->hands.is_dragging = false;
    if (!is_on) return true;
    if (!index || !couWorld_HasBody(live->world, id)) {
        snprintf(text, size, "there is no such body");
        return false;
    }
    if (!isfinite(couWorld_BodyMass(live->world, id))) {
        snprintf(text, size, "'%s' is fixed: world:set_free(\"%s\", true) in the console lets it go",
                 couWorld_Body(live->world, id)->name, couWorld_Body(live->world, id)->name);
        return false;
    }
    if (!was_dragging) couLive_RememberState(live);
    live->hands.is_dragging = true;
    live->hands.body = id;
    live->hands.point = flatten(live, point);
    live->hands.target = flatten(live, target);
    return true;
}

void couLive_PullBody(couLive *live, double seconds)
{
    couHands *hands = &live->hands;
    couWorld *world = live->world;
    if (!hands->is_dragging) return;
    if (!couWorld_HasBody(world, hands->body) || !isfinite(couWorld_BodyMass(world, hands->body))) {
        hands->is_dragging = false;
        return;
    }
    // A third of the mass, since a point off the centre is lighter than the whole: then the spring is calm wherever it pulls.
    float dt = (float)seconds, mass = couWorld_BodyMass(world, hands->body), omega = COU_MIN(12.0f, 0.4f / dt);
    couVec3 place = couToWorld(couWorld_BodyPose(world, hands->body), hands->point);
    couVec3 arm = couSub(place, couWorld_BodyCenter(world, hands->body)), spin = couWorld_BodySpin(world, hands->body);
    couVec3 velocity = couAdd(couWorld_BodyVelocity(world, hands->body), couCross(spin, arm));
    couVec3 pull = couScale(omega * omega, couSub(hands->target, place));
    couVec3 acceleration = couSub(pull, couScale(2.0f * omega, velocity));
    float most = 500.0f, length = couLength(acceleration); // [m/s^2]
    if (length > most) acceleration = couScale(most / length, acceleration);
    couVec3 impulse = couScale(0.33f * mass * dt, acceleration);
    couWorld_PushBody(world, hands->body, flatten(live, impulse), place);
    // The hand bears its weight.
    couVec3 weight = couScale(-mass * dt, couWorld_Gravity(world));
    couWorld_PushBody(world, hands->body, flatten(live, weight), couWorld_BodyCenter(world, hands->body));
}

bool couLive_Remove(couLive *live, couByteReader *reader, char *text, size_t size)
{
    unsigned index = couByteReader_U16(reader), generation = couByteReader_U16(reader);
    if (!couByteReader_IsDone(reader)) return false;
    couBodyId id = {(uint16_t)index, (uint16_t)generation};
    if (!index || !couWorld_HasBody(live->world, id)) {
        snprintf(text, size, "there is no such body");
        return false;
    }
    couLive_RememberState(live);
    couWorld_RemoveBody(live->world, id);
    live->has_news = true;
    return true;
}

// --- Dropping shapes ---------------------------------------------------------------------------------------------------------

typedef struct Drop {
    unsigned kind, matter; // matter 0: a body, otherwise the number of a material and 1
    couVec3 place;
    float size, density;
    couVec3 points[64];
    unsigned point_count;
} Drop;

static couShape *make_shape(const couLive *live, const Drop *drop, couFaults *faults)
{
    float size = drop->size;
    couShapeDef def = {.kind = cou_shapeSphere, .radius = 0.5f * size};
    if (drop->kind == cou_dropBox) def = (couShapeDef){.kind = cou_shapeBox, .size = {size, size, size}};
    if (drop->kind == cou_dropPolygon)
        def = (couShapeDef){.kind = cou_shapePolygon,
                            .points = drop->points,
                            .point_count = (int)drop->point_count,
                            .height = is_2d(live) ? 1 : size};
    return couCreateShape(&def, faults);
}

static bool is_free_place(const couWorld *world, couVec3 x, float reach)
{
    int dimension = couWorld_Def(world)->dimension;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        if (!id.index1) continue;
        couVec3 local = couToLocal(couWorld_BodyPose(world, id), x);
        if (couShape_Distance(couWorld_Body(world, id)->shape, dimension, local) < 0.5f * reach) return false;
    }
    couParticleView particles = couWorld_Particles(world);
    for (size_t i = 0; i < particles.count; ++i) {
        couVec3 away = couSub(couXyz(particles.position[i]), x);
        if (couDot(away, away) < 0.81f * reach * reach) return false;
    }
    return true;
}

// A lattice within the shape, where there is room. Every place is compared with every particle: a lump of some thousand, once.
static bool drop_fluid(couLive *live, const Drop *drop, const couShape *shape, couFaults *faults)
{
    couWorld *world = live->world;
    couMaterialId material = couWorld_MaterialAt(world, (int)drop->matter - 1);
    float d = couWorld_Def(world)->spacing;
    int dimension = couWorld_Def(world)->dimension;
    couBounds b;
    if (!couShape_Bounds(shape, dimension, &b)) return false;
    if (dimension == 2) b.lower.z = b.upper.z = 0.0f;
    couVec3 size = couSub(b.upper, b.lower);
    double cells = ((double)size.x / d + 1) * ((double)size.y / d + 1) * ((double)size.z / d + 1);
    if (cells > 20000) {
        couFaults_Add(faults, NULL, NULL, "a lump of some %.0f particles is too much at once; at most 20000", cells);
        return false;
    }
    couVec3 *places = calloc((size_t)cells + 1, sizeof *places);
    size_t count = 0;
    for (float z = b.lower.z; places && z <= b.upper.z; z += d)
        for (float y = b.lower.y; y <= b.upper.y; y += d)
            for (float x = b.lower.x; x <= b.upper.x && count < (size_t)cells; x += d) {
                couVec3 local = {x, y, z}, place = couAdd(drop->place, local);
                if (couShape_Distance(shape, dimension, local) > -0.4f * d || !is_free_place(world, place, d)) continue;
                places[count++] = place;
            }
    if (places && count > 0) couWorld_AddParticles(world, material, places, NULL, count, faults);
    free(places);
    if (count == 0) couFaults_Add(faults, NULL, NULL, "there is no room for it here");
    return count > 0;
}

static bool drop_body(couLive *live, const Drop *drop, couShape *shape, couFaults *faults)
{
    couBodyDef def = couDefaultBodyDef();
    def.shape = shape;
    def.pose = (couPose){drop->place, {0, 0, 0, 1}};
    def.is_dynamic = true;
    def.density = COU_CLAMP(drop->density, 1.0f, 20000.0f);
    float light = COU_CLAMP(1.0f - 0.12f * log2f(def.density / 100.0f), 0.15f, 1.0f); // the heavier, the darker
    def.look.color = (couVec3){0.75f * light, 0.45f * light, 0.2f * light};
    couBodyId id = couWorld_AddBody(live->world, &def, faults);
    if (id.index1) couLive_TellBody(live, 0, id);
    return id.index1 > 0;
}

bool couLive_Drop(couLive *live, couByteReader *reader, char *text, size_t size)
{
    Drop drop = {.kind = couByteReader_U8(reader), .matter = couByteReader_U8(reader)};
    drop.place = couByteReader_Vec3(reader);
    drop.size = couByteReader_F32(reader);
    drop.density = couByteReader_F32(reader);
    drop.point_count = couByteReader_U8(reader);
    for (unsigned i = 0; i < drop.point_count && i < 64; ++i) {
        drop.points[i].x = couByteReader_F32(reader);
        drop.points[i].y = couByteReader_F32(reader);
    }
    if (!couByteReader_IsDone(reader)) return false;
    float spacing = couWorld_Def(live->world)->spacing;
    drop.place = flatten(live, drop.place);
    bool is_known = drop.kind < cou_dropCount && drop.point_count <= 64 &&
                    (int)drop.matter <= couWorld_MaterialCount(live->world) && drop.size >= spacing &&
                    drop.size <= 1000 * spacing;
    if (!is_known || !has_room(live, text, size)) {
        if (!is_known)
            snprintf(text, size, "a shape is 1 to 1000 spacings (%g m) large and of a material of the scene", (double)spacing);
        return false;
    }
    couFaults faults = {0};
    couShape *shape = make_shape(live, &drop, &faults);
    if (shape) {
        couLive_RememberState(live);
        if (drop.matter > 0)
            drop_fluid(live, &drop, shape, &faults);
        else
            drop_body(live, &drop, shape, &faults);
    }
    couShape_Release(shape);
    live->has_news = true;
    return say_faults(&faults, text, size);
}

// --- Cutting, tilting, springs -----------------------------------------------------------------------------------------------

bool couLive_Cut(couLive *live, couByteReader *reader, char *text, size_t size)
{
    couVec3 lower = couByteReader_Vec3(reader), upper = couByteReader_Vec3(reader);
    if (!couByteReader_IsDone(reader)) return false;
    couFaults faults = {0};
    couVec3 edges = couSub(upper, lower), middle = couScale(0.5f, couAdd(lower, upper));
    if (is_2d(live)) edges.z = 1.0f, middle.z = 0.0f;
    couShape *shape = couCreateShape(&(couShapeDef){.kind = cou_shapeBox, .size = edges}, &faults);
    if (shape) {
        couLive_RememberState(live);
        int64_t count = couRemoveInside(live->world, shape, (couPose){middle, {0, 0, 0, 1}}, 0.0f, false);
        snprintf(text, size, "%lld particles cut away", (long long)count);
    }
    couShape_Release(shape);
    live->has_news = true;
    return say_faults(&faults, text, size);
}

bool couLive_Gravity(couLive *live, couByteReader *reader, char *text, size_t size)
{
    couVec3 gravity = couByteReader_Vec3(reader);
    if (!couByteReader_IsDone(reader)) return false;
    couFaults faults = {0};
    couWorld_SetGravity(live->world, gravity, (couGravityOn)couWorld_Def(live->world)->gravity_on, &faults);
    return say_faults(&faults, text, size);
}

bool couLive_Springs(couLive *live, couByteReader *reader, char *text, size_t size)
{
    unsigned is_added = couByteReader_U8(reader), material = couByteReader_U8(reader);
    if (!couByteReader_IsDone(reader)) return false;
    couMaterialId id = couWorld_MaterialAt(live->world, (int)material);
    if (!id.index1 || !couFindMethodTraits(couWorld_Def(live->world)->method)->has_springs) {
        snprintf(text, size, id.index1 ? "%s has no springs" : "this scene has no material of that number%.0s",
                 couWorld_Def(live->world)->method);
        return false;
    }
    couLive_RememberState(live);
    if (is_added)
        couWorld_AddSprings(live->world, id);
    else
        couWorld_DeleteSprings(live->world, id);
    live->has_news = true;
    return true;
}

void couLive_LetGo(couLive *live)
{
    stop_pouring(live);
    open_grip(live);
    couLive_DropSolid(live);
    live->hands.is_dragging = false;
}
