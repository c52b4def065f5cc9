// From records to a world: materials, bodies, joints, emitters, sinks, fields, blowers, events, and the fluid last, whatever
// their order in the file.
//
// Checks that need the whole scene are here: how many particles a fluid would be, whether it or an emitter is inside a body.
// They look at points of a grid in the shape's bounds (at most some ten thousand), before anything is filled: a scene of 10^12
// particles costs milliseconds. When a scene has any fault, fluids are checked but not filled.
#include "scene/internal.h"

#include "base/base.h"
#include "coulis/frames.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES_PER_PARTICLE 400.0 // the most that a particle costs without springs
#define MAX_LATTICE 1e9          // lattice points in a shape's bounds that can be looked at in bearable time
#define MAX_SAMPLES 40           // per axis

void couAdoptFaults(const couRecord *record, couFaults *from, const char *key, couFaults *faults)
{
    for (int i = 0; i < from->count; ++i) {
        const couFault *fault = &from->items[i];
        couFaults_Add(faults, record->where, fault->key[0] ? fault->key : key, "%s", fault->message);
    }
    couFaults_Clear(from);
}

// --- What a place is inside of -----------------------------------------------------------------------------------------------

// The body that holds a point, NULL for none, and how deep it is in there [m].
static const couBodyDef *body_around(const couWorld *world, couVec3 point, float *depth)
{
    int dimension = couWorld_Def(world)->dimension;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        if (!id.index1) continue;
        const couBodyDef *body = couWorld_Body(world, id);
        *depth = -couShape_Distance(body->shape, dimension, couToLocal(couWorld_BodyPose(world, id), point));
        if (*depth > 0) return body;
    }
    return NULL;
}

typedef struct couSampling {
    double lattice;           // particles at the spacing that the bounds would hold
    int64_t total;            // points looked at
    int64_t inside;           // of those, in the shape
    int64_t free;             // of those, in no body
    bool is_hidden;           // surely no part of it is free
    char body[COU_NAME_SIZE]; // that holds one of the points
} couSampling;

// Points per axis, so that all fluids of a scene together cost about the same however many there are.
static int samples_per_axis(const couScene *scene)
{
    double fluids = 1 + (double)scene->fluid_count, bodies = 1 + couWorld_BodyCount(scene->world);
    return (int)COU_CLAMP(cbrt(2e7 / (fluids * bodies)), 4.0, (double)MAX_SAMPLES);
}

static couSampling sample_shape(const couScene *scene, const couShape *shape, couPose pose, couBounds bounds)
{
    const couWorldDef *def = couWorld_Def(scene->world);
    float extent[3] = {bounds.upper.x - bounds.lower.x, bounds.upper.y - bounds.lower.y, bounds.upper.z - bounds.lower.z};
    int count[3] = {1, 1, 1};
    couSampling s = {.lattice = 1.0};
    int most = samples_per_axis(scene);
    float reach = 0.0f, shallowest = INFINITY; // squared half diagonal of a sample's cell; smallest depth in a body
    bool is_fine = true;
    for (int i = 0; i < def->dimension; ++i) {
        double per_axis = ceil((double)extent[i] / def->spacing);
        s.lattice *= (double)extent[i] / def->spacing;
        count[i] = (int)COU_CLAMP(per_axis, 1.0, (double)most);
        is_fine = is_fine && count[i] == (int)COU_MIN(per_axis, 1e6);
        reach += 0.25f * extent[i] * extent[i] / (float)(count[i] * count[i]);
    }
    for (int64_t k = 0; k < (int64_t)count[0] * count[1] * count[2]; ++k) {
        int64_t place[3] = {k % count[0], k / count[0] % count[1], k / count[0] / count[1]};
        couVec3 p = {bounds.lower.x + extent[0] * ((float)place[0] + 0.5f) / (float)count[0],
                     bounds.lower.y + extent[1] * ((float)place[1] + 0.5f) / (float)count[1],
                     def->dimension == 2 ? 0.0f : bounds.lower.z + extent[2] * ((float)place[2] + 0.5f) / (float)count[2]};
        ++s.total;
        if (!(couShape_Distance(shape, def->dimension, p) < 0)) continue;
        ++s.inside;
        float depth;
        const couBodyDef *body = body_around(scene->world, couToWorld(pose, p), &depth);
        if (!body) {
            ++s.free;
            continue;
        }
        memcpy(s.body, body->name, sizeof s.body);
        shallowest = COU_MIN(shallowest, depth);
    }
    // Samples as fine as the particles are as good as the particles; coarser ones must lie deep enough.
    s.is_hidden = s.inside > 0 && s.free == 0 && (is_fine || shallowest > sqrtf(reach));
    return s;
}

// --- Volumes -----------------------------------------------------------------------------------------------------------------

static bool check_extent(const couRecord *record, couBounds bounds, const couWorldDef *def, const char *key, couFaults *faults)
{
    float extent[3] = {bounds.upper.x - bounds.lower.x, bounds.upper.y - bounds.lower.y, bounds.upper.z - bounds.lower.z};
    for (int i = 0; i < def->dimension; ++i) {
        if (extent[i] >= 0.999f * def->spacing) continue;
        couFaults_Add(faults, record->where, key, "the shape is %g m thin along %c, less than one particle of spacing %g m",
                      extent[i], 'x' + i, def->spacing);
        return false;
    }
    return true;
}

// Particles that fit: not more than max_particles, not more than the machine holds.
static bool check_count(const couRecord *record, const couWorldDef *def, double estimate, double present, const char *key,
                        couFaults *faults)
{
    double bytes = estimate * BYTES_PER_PARTICLE;
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    if (estimate + present > def->max_particles) {
        couFaults_Add(faults, record->where, key,
                      "about %.3g particles at spacing %g m (%.3g GB of memory)%s; max_particles is %d", estimate, def->spacing,
                      bytes * 1e-9, present > 0 ? ", with what is there already" : "", def->max_particles);
        return false;
    }
    if (bytes > machine) {
        couFaults_Add(faults, record->where, key,
                      "about %.3g particles at spacing %g m need %.3g GB of memory; this machine has %.3g GB", estimate,
                      def->spacing, bytes * 1e-9, machine * 1e-9);
        return false;
    }
    return true;
}

// A volume to be filled. Adds its estimated particles to *count. Samples are off by the shape's curvature only, so the share of
// 10 % that is allowed on top keeps scenes right at the limit running.
static bool check_volume(const couScene *scene, const couRecord *record, couPose pose, const char *call, double *count,
                         couFaults *faults)
{
    const couWorldDef *def = couWorld_Def(scene->world);
    char key[64];
    snprintf(key, sizeof key, "%s.shape", call);
    couBounds bounds;
    if (!couShape_Bounds(record->shape.shape, def->dimension, &bounds)) {
        couFaults_Add(faults, record->where, key, "the shape has no bounds, so it cannot be filled");
        return false;
    }
    if (!check_extent(record, bounds, def, key, faults)) return false;
    couSampling s = sample_shape(scene, record->shape.shape, pose, bounds);
    if (s.is_hidden) {
        snprintf(key, sizeof key, "%s.at", call);
        couFaults_Add(faults, record->where, key, "it is wholly inside the body '%s'", s.body);
        return false;
    }
    double share = (double)COU_MAX(s.free, 1) / (double)s.total;
    double estimate = s.lattice * share;
    if (!check_count(record, def, estimate / 1.1, *count, key, faults)) return false;
    if (s.lattice > MAX_LATTICE) {
        couFaults_Add(faults, record->where, key, "its bounds hold %.3g places at spacing %g m: too many to be filled", s.lattice,
                      def->spacing);
        return false;
    }
    *count += estimate / 1.1;
    return true;
}

static couPose record_pose(const couRecord *record) { return couComposePoses(record->pose, record->shape.pose); }

static bool check_spin(const couScene *scene, const couRecord *record, couFaults *faults)
{
    bool is_flat = couWorld_Def(scene->world)->dimension == 2;
    couVec3 spin = record->def.fluid.spin;
    if (is_flat ? spin.x == 0.0f && spin.y == 0.0f : !record->has_flat_spin) return true;
    couFaults_Add(faults, record->where, "fluid.spin",
                  is_flat ? "2D only turns about z: expected one number" : "expected three numbers {x, y, z}: one is for 2D");
    return false;
}

static bool check_fluid(const couScene *scene, const couRecord *record, double *count, couFaults *faults)
{
    bool is_good = check_spin(scene, record, faults);
    return check_volume(scene, record, record_pose(record), "fluid", count, faults) && is_good;
}

bool couScene_AddFluid(couScene *scene, couRecord *record, couFaults *faults)
{
    double count = (double)couWorld_Particles(scene->world).count;
    if (!check_fluid(scene, record, &count, faults)) return false;
    couFluidDef def = record->def.fluid;
    if (record->function != LUA_NOREF) def.velocity_function = couScene_Velocity, def.velocity_context = record;
    def.material = scene->materials[record->material].id;
    def.shape = record->shape.shape;
    def.pose = record_pose(record);
    couFaults own = {0};
    int64_t added = couWorld_AddFluid(scene->world, &def, &own);
    couAdoptFaults(record, &own, "fluid", faults);
    record->added = added;
    if (record->is_bad) return false; // its function failed, which is reported
    if (added == 0) couFaults_Add(faults, record->where, "fluid.shape", "no particle fits into it outside of the bodies");
    return added > 0;
}

bool couScene_FluidVolume(const couScene *scene, int index, const char **where, double *asked, double *filled)
{
    const couWorldDef *def = couWorld_Def(scene->world);
    for (size_t i = 0; i < scene->record_count; ++i) {
        const couRecord *record = scene->records[i];
        if (record->kind != cou_recordFluid || index-- > 0) continue;
        *where = record->where;
        *asked = couWorld_FreeVolume(scene->world, record->shape.shape, record_pose(record));
        *filled = (double)record->added * pow(def->spacing, def->dimension);
        return true;
    }
    return false;
}

// --- Emitters ----------------------------------------------------------------------------------------------------------------

// Points of the face that a jet leaves from: rings of a disk, a grid of a polygon.
static int sample_face(const couShape *shape, int dimension, couBounds bounds, couVec3 points[128])
{
    int count = 0;
    float width = bounds.upper.x - bounds.lower.x, height = bounds.upper.y - bounds.lower.y;
    if (couShape_Kind(shape) == cou_shapeDisk) {
        points[count++] = (couVec3){0, 0, 0};
        for (int ring = 1; ring <= 4; ++ring) {
            float radius = 0.5f * width * ((float)ring - 0.5f) / 4.0f;
            int number = dimension == 2 ? 2 : 6 * ring;
            for (int k = 0; k < number; ++k) {
                double angle = 2.0 * COU_PI * k / number;
                points[count++] = (couVec3){radius * (float)cos(angle), 0, dimension == 2 ? 0 : radius * (float)sin(angle)};
            }
        }
        return count;
    }
    for (int k = 0; k < 121; ++k) {
        couVec3 p = {bounds.lower.x + width * ((float)(k % 11) + 0.5f) / 11.0f,
                     bounds.lower.y + height * ((float)(k / 11) + 0.5f) / 11.0f, 0};
        if (couShape_Distance(shape, 2, p) < 0) points[count++] = p;
    }
    return count;
}

static bool check_jet(const couScene *scene, const couRecord *record, couPose pose, couFaults *faults)
{
    const couWorldDef *def = couWorld_Def(scene->world);
    const couShape *shape = record->shape.shape;
    int dimension = def->dimension;
    couBounds bounds;
    if (dimension == 2 && couShape_Kind(shape) == cou_shapePolygon) {
        couFaults_Add(faults, record->where, "emitter.shape",
                      "a polygon has no direction in 2D: use a disk, or fluid{} to fill it");
        return false;
    }
    if (!couShape_Bounds(shape, dimension, &bounds)) return false;
    float area = couShape_FaceArea(shape, dimension),
          least = dimension == 2 ? def->spacing : 0.785f * def->spacing * def->spacing;
    if (area < 0.999f * least) {
        couFaults_Add(faults, record->where, "emitter.shape", "its face of %g %s is smaller than one particle of spacing %g m",
                      area, dimension == 2 ? "m" : "m^2", def->spacing);
        return false;
    }
    couVec3 points[128];
    int count = sample_face(shape, dimension, bounds, points), hidden = 0;
    bool is_center_hidden = false;
    const couBodyDef *around = NULL;
    for (int i = 0; i < count; ++i) {
        float depth;
        const couBodyDef *body = body_around(scene->world, couToWorld(pose, points[i]), &depth);
        if (!body) continue;
        around = body;
        ++hidden;
        if (i == 0 && couShape_Kind(shape) == cou_shapeDisk) is_center_hidden = true;
    }
    if (!is_center_hidden && 2 * hidden <= count) return true;
    couFaults_Add(faults, record->where, "emitter.at", "the emitter is inside the body '%s'", around ? around->name : "");
    return false;
}

static bool is_jet(const couRecord *record)
{
    couShapeKind kind = couShape_Kind(record->shape.shape);
    return kind == cou_shapeDisk || kind == cou_shapePolygon;
}

static void build_emitter(couScene *scene, couRecord *record, double *count, couFaults *faults)
{
    couEmitterDef def = record->def.emitter;
    def.material = scene->materials[record->material].id;
    def.shape = record->shape.shape;
    def.pose = record_pose(record);
    memcpy(def.name, record->name, sizeof def.name);
    if (record->is_driven) {
        def.motion = couScene_Motion;
        def.motion_context = record;
        if (!couRecord_ReadMotion(record, 0.0, &def.pose)) return;
    }
    for (int i = 0; record->name[0] && i < couWorld_EmitterCount(scene->world); ++i) {
        const couEmitterDef *other = couWorld_Emitter(scene->world, couWorld_EmitterAt(scene->world, i));
        if (!other || strcmp(other->name, record->name) != 0) continue;
        couFaults_Add(faults, record->where, "emitter.name", "there is an emitter '%s' already", record->name);
        return;
    }
    bool is_good = is_jet(record) ? check_jet(scene, record, def.pose, faults)
                                  : check_volume(scene, record, def.pose, "emitter", count, faults);
    if (!is_good) return;
    couFaults own = {0};
    couWorld_AddEmitter(scene->world, &def, &own);
    couAdoptFaults(record, &own, "emitter", faults);
}

// --- The others --------------------------------------------------------------------------------------------------------------

// The points of a file, in the frame of the shape as the scene has it; to be freed. False with a fault.
static bool read_samples(couScene *scene, const couRecord *record, couFrame *points, couFaults *faults)
{
    static const char key[] = "body.samples";
    char *path = couResolveInside(scene->folder, record->samples);
    if (!path) {
        couFaults_Add(faults, record->where, key, "'%.120s' is not a file in the scene's folder", record->samples);
        return false;
    }
    couFaults own = {0};
    bool is_good = couReadFrame(path, points, &own);
    for (int i = 0; i < own.count; ++i)
        couFaults_Add(faults, record->where, key, "'%.120s' %s", record->samples, own.items[i].message);
    couFaults_Clear(&own);
    if (is_good && !couScene_AddFile(scene, record->samples, path)) {
        couFaults_Add(faults, record->where, key, "out of memory");
        couFreeFrame(points);
        is_good = false;
    }
    free(path);
    if (!is_good) return false;
    couScene_AddToHash(scene, points->position, points->count * sizeof *points->position); // another file is another scene
    for (size_t k = 0; k < points->count; ++k) points->position[k] = couToLocal(record->shape.pose, points->position[k]);
    return true;
}

static void build_body(couScene *scene, couRecord *record, couFaults *faults)
{
    couBodyDef def = record->def.body;
    couFrame points = {0};
    def.shape = record->shape.shape;
    def.pose = record_pose(record);
    memcpy(def.name, record->name, sizeof def.name);
    if (record->is_driven) {
        def.motion = couScene_Motion;
        def.motion_context = record;
        if (!couRecord_ReadMotion(record, 0.0, &def.pose)) return;
    }
    if (record->samples[0] && !read_samples(scene, record, &points, faults)) return;
    static const couVec3 nowhere;
    def.samples = record->samples[0] && !points.count ? &nowhere : points.position; // an empty file is a fault, not nothing
    def.sample_count = points.count;
    couFaults own = {0};
    record->body = couWorld_AddBody(scene->world, &def, &own);
    couAdoptFaults(record, &own, "body", faults);
    couFreeFrame(&points);
}

// True when a body{} of this name had a fault of its own: what asks for it is not at fault.
static bool is_bad_body(const couScene *scene, const char *name)
{
    for (size_t i = 0; i < scene->record_count; ++i) {
        const couRecord *record = scene->records[i];
        if (record->kind == cou_recordBody && strcmp(record->name, name) == 0 && !record->body.index1) return true;
    }
    return false;
}

// A body by name; "" is the world. False, with a fault where it is the joint's, when there is none.
static bool find_end(const couScene *scene, const couRecord *record, int end, couBodyId *body, couFaults *faults)
{
    const char *name = record->ends[end];
    *body = (couBodyId){0, 0};
    if (!name[0]) return true;
    *body = couWorld_FindBody(scene->world, name);
    if (body->index1) return true;
    if (is_bad_body(scene, name)) return false;
    const char *names[1000];
    int count = 0;
    for (int i = 0; i < couWorld_BodyCount(scene->world) && count < COU_COUNT(names); ++i) {
        couBodyId other = couWorld_BodyAt(scene->world, i);
        if (other.index1) names[count++] = couWorld_Body(scene->world, other)->name;
    }
    const char *nearest = couSuggest(names, count, name);
    couFaults_Add(faults, record->where, end == 0 ? "joint.a" : "joint.b", "there is no body '%s'%s%s%s", name,
                  nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

static void build_joint(couScene *scene, couRecord *record, couFaults *faults)
{
    couJointDef def = record->def.joint;
    memcpy(def.name, record->name, sizeof def.name);
    bool has_a = find_end(scene, record, 0, &def.a, faults), has_b = find_end(scene, record, 1, &def.b, faults);
    if (!has_a || !has_b) return;
    couFaults own = {0};
    couWorld_AddJoint(scene->world, &def, &own);
    couAdoptFaults(record, &own, "joint", faults);
}

static void build_sink(couScene *scene, couRecord *record, couFaults *faults)
{
    couSinkDef def = record->def.sink;
    def.shape = record->shape.shape;
    def.pose = record_pose(record);
    couFaults own = {0};
    couWorld_AddSink(scene->world, &def, &own);
    couAdoptFaults(record, &own, "sink", faults);
}

static void build_field(couScene *scene, couRecord *record, couFaults *faults)
{
    couFieldDef def = record->def.field;
    def.region = record->shape.shape;
    def.region_pose = record->shape.pose;
    if (record->function != LUA_NOREF) {
        def.function = couScene_Field;
        def.function_context = record;
    }
    couFaults own = {0};
    couWorld_AddField(scene->world, &def, &own);
    couAdoptFaults(record, &own, "field", faults);
}

static void build_event(couScene *scene, couRecord *record, couFaults *faults)
{
    couFaults own = {0};
    couWorld_AddEvent(scene->world, record->time, record->period, couScene_Event, record, &own);
    couAdoptFaults(record, &own, record->period > 0 ? "every" : "at", faults);
}

static void build_solid(couScene *scene, couRecord *record, void (*build)(couScene *, couRecord *, couFaults *),
                        couFaults *faults)
{
    couFaults own = {0};
    build(scene, record, &own);
    couAdoptFaults(record, &own, "solid", faults);
}

static bool is_flat_turn(couQuat q) { return fabsf(q.x) < 1e-4f && fabsf(q.y) < 1e-4f; }

// In 2D only turns about z make sense.
static bool check_flat(const couRecord *record, couFaults *faults)
{
    static const char *const keys[] = {"body.turn",   "joint", "fluid.turn", "emitter.turn", "sink.turn", "field.region",
                                       "blower.turn", "at",    "solid.turn", "solid.fixed",  "gauge.turn"};
    if (couWorld_Def(record->scene->world)->dimension == 3) return true;
    char key[64];
    const char *thing = record->kind == cou_recordBlower ? "blower" : "emitter";
    if (record->has_direction)
        snprintf(key, sizeof key, "%s.direction", thing);
    else
        snprintf(key, sizeof key, "%s", keys[record->kind]);
    bool is_flat = is_flat_turn(record_pose(record).rotation);
    for (int i = 0; i < record->keyframe_count && is_flat; ++i) {
        is_flat = is_flat_turn(couComposePoses(record->keyframes[i].pose, record->shape.pose).rotation);
        snprintf(key, sizeof key, "%s.motion[%d]", record->kind == cou_recordBody ? "body" : "emitter", i + 1);
    }
    if (is_flat) return true;
    couFaults_Add(faults, record->where, key, "a turn out of the plane: in 2D only turns about z = {0, 0, 1} are possible");
    return false;
}

static void build_records(couScene *scene, couRecordKind kind, double *count, couFaults *faults)
{
    for (size_t i = 0; i < scene->record_count; ++i) {
        couRecord *record = scene->records[i];
        if (record->kind != kind || record->is_bad || !check_flat(record, faults)) continue;
        switch (kind) {
        case cou_recordBody: build_body(scene, record, faults); break;
        case cou_recordJoint: build_joint(scene, record, faults); break;
        case cou_recordEmitter: build_emitter(scene, record, count, faults); break;
        case cou_recordSink: build_sink(scene, record, faults); break;
        case cou_recordField: build_field(scene, record, faults); break;
        case cou_recordBlower: couScene_BuildBlower(scene, record, faults); break;
        case cou_recordGauge: couScene_BuildGauge(scene, record, faults); break;
        case cou_recordEvent: build_event(scene, record, faults); break;
        case cou_recordFluid: check_fluid(scene, record, count, faults); break;
        case cou_recordSolid: build_solid(scene, record, couScene_BuildSolid, faults); break;
        case cou_recordHold: build_solid(scene, record, couScene_BuildHold, faults); break;
        }
    }
}

// --- The world ---------------------------------------------------------------------------------------------------------------

// What was given for the method's family first, then what was given for the method itself.
static void copy_settings_of(couScene *scene, const char *name)
{
    const couParamTable *params = couMethodParams(name);
    uint8_t *block = couWorld_MethodParams(scene->world);
    for (size_t i = 0; i < scene->setting_count; ++i) {
        const couMethodSettings *settings = &scene->settings[i];
        if (strcmp(settings->method, name) != 0) continue;
        for (int k = 0; k < params->count; ++k) {
            const couParam *param = &params->params[k];
            if (settings->is_given[k]) memcpy(block + param->offset, settings->block + param->offset, couParam_Size(param));
        }
    }
}

static void copy_settings(couScene *scene)
{
    const char *method = scene->world_def.method, *family = couMethodParams(method)->name;
    copy_settings_of(scene, family);
    if (strcmp(family, method) != 0) copy_settings_of(scene, method);
}

static void build_materials(couScene *scene, couFaults *faults)
{
    for (size_t i = 0; i < scene->material_count; ++i) {
        couSceneMaterial *material = &scene->materials[i];
        couFaults own = {0};
        material->id = couWorld_AddMaterial(scene->world, &material->def, &own);
        couRecord place = {0};
        memcpy(place.where, material->where, sizeof place.where);
        couAdoptFaults(&place, &own, "material", faults);
    }
}

bool couScene_Build(couScene *scene, couFaults *faults)
{
    couFaults own = {0};
    couRecord place = {0};
    memcpy(place.where, scene->scene_where, sizeof place.where);
    scene->world = couCreateWorld(&scene->world_def, &own);
    couAdoptFaults(&place, &own, "scene", faults);
    if (!scene->world) return false;
    copy_settings(scene);
    build_materials(scene, faults);
    if (scene->material_count > 0 && !scene->materials[scene->material_count - 1].id.index1) return false;

    double count = 0;
    build_records(scene, cou_recordBody, &count, faults);
    build_records(scene, cou_recordJoint, &count, faults);
    build_records(scene, cou_recordSolid, &count, faults);
    build_records(scene, cou_recordHold, &count, faults);
    build_records(scene, cou_recordEmitter, &count, faults);
    build_records(scene, cou_recordSink, &count, faults);
    build_records(scene, cou_recordField, &count, faults);
    build_records(scene, cou_recordBlower, &count, faults);
    build_records(scene, cou_recordGauge, &count, faults);
    build_records(scene, cou_recordEvent, &count, faults);
    build_records(scene, cou_recordFluid, &count, faults);
    for (size_t i = 0; i < scene->record_count && faults->count == 0; ++i) {
        if (scene->records[i]->kind == cou_recordFluid) couScene_AddFluid(scene, scene->records[i], faults);
    }
    return faults->count == 0;
}
