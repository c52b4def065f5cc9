// Messages to the page. A frame is 8 bytes a particle, ready for the graphics card: place in 16 bits an axis within the bounds of
// the frame (a metre in steps of 15 um), material, value of the colour. 100 000 particles are 0.8 MB and take 1 ms to write.
#include "serve/tell.h"

#include "base/base.h"

#include <stdio.h>

void couTell_Begin(couBytes *message, couTell type, unsigned number)
{
    couBytes_U8(message, type);
    couBytes_U8(message, 0);
    couBytes_U16(message, number);
}

couBytes couTell_Answer(unsigned number, bool is_good, const char *text)
{
    couBytes message = {0};
    couTell_Begin(&message, cou_tellAnswer, number);
    couBytes_U8(&message, is_good);
    couBytes_Add(&message, text, strlen(text));
    return message;
}

// --- The scene in words ------------------------------------------------------------------------------------------------------

static void add_vector(couBytes *m, const char *key, couVec3 v)
{
    couBytes_Format(m, "\"%s\":[", key);
    couBytes_JsonNumber(m, (double)v.x), couBytes_U8(m, ',');
    couBytes_JsonNumber(m, (double)v.y), couBytes_U8(m, ',');
    couBytes_JsonNumber(m, (double)v.z), couBytes_U8(m, ']');
}

static void add_text(couBytes *m, const char *key, const char *text)
{
    couBytes_Format(m, "\"%s\":", key);
    couBytes_JsonText(m, text);
}

static void add_param(couBytes *m, const couParam *param, const void *def, const void *start)
{
    static const char *const types[] = {"float", "float", "int", "bool", "vec3", "choice", "name"};
    char value[160], first[160];
    couParam_FormatValue(param, def, value, sizeof value);
    couParam_FormatValue(param, start, first, sizeof first);
    couBytes_U8(m, '{');
    add_text(m, "name", param->name), couBytes_U8(m, ',');
    add_text(m, "unit", param->unit ? param->unit : ""), couBytes_U8(m, ',');
    add_text(m, "help", param->help ? param->help : ""), couBytes_U8(m, ',');
    add_text(m, "type", types[param->type]), couBytes_U8(m, ',');
    add_text(m, "value", value), couBytes_U8(m, ',');
    add_text(m, "start", first);
    couBytes_Format(m, ",\"auto\":%s,\"open\":%s,\"min\":", param->is_auto ? "true" : "false",
                    param->is_min_open ? "true" : "false");
    couBytes_JsonNumber(m, param->min);
    couBytes_Format(m, ",\"max\":");
    couBytes_JsonNumber(m, param->max);
    if (param->choices) {
        couBytes_Format(m, ",\"choices\":[");
        for (int i = 0; param->choices[i]; ++i) {
            if (i > 0) couBytes_U8(m, ',');
            couBytes_JsonText(m, param->choices[i]);
        }
        couBytes_U8(m, ']');
    }
    couBytes_U8(m, '}');
}

static void add_group(couBytes *m, unsigned group, const char *name, const couParamTable *table, const void *def,
                      const void *start)
{
    couBytes_Format(m, "{\"group\":%u,", group);
    add_text(m, "name", name);
    couBytes_Format(m, ",\"params\":[");
    bool is_first = true;
    for (int i = 0; i < table->count; ++i) {
        bool is_shown = table->params[i].type != cou_paramName && (group != 1 || strcmp(table->params[i].name, "gravity") == 0);
        if (!is_shown) continue;
        if (!is_first) couBytes_U8(m, ',');
        is_first = false;
        add_param(m, &table->params[i], def, start);
    }
    couBytes_Format(m, "]}");
}

static void add_groups(couBytes *m, const couSceneCard *card)
{
    couWorld *world = couScene_World(card->scene);
    couWorldDef now = *couWorld_Def(world);
    now.gravity = couWorld_Gravity(world);
    const void *params = couWorld_MethodParams(world);
    couBytes_Format(m, "\"groups\":[");
    add_group(m, 0, now.method, couMethodParams(now.method), params, card->params ? card->params : params);
    couBytes_U8(m, ',');
    add_group(m, 1, "world", couWorldParams(), &now, couWorld_Def(world));
    for (int i = 0; i < couWorld_MaterialCount(world); ++i) {
        const couMaterialDef *def = couWorld_Material(world, couWorld_MaterialAt(world, i));
        couBytes_U8(m, ',');
        add_group(m, 2 + (unsigned)i, def->name, couMaterialParams(), def, card->materials ? &card->materials[i] : def);
    }
    couBytes_U8(m, ']');
}

static void add_materials(couBytes *m, const couWorld *world)
{
    couBytes_Format(m, "\"materials\":[");
    for (int i = 0; i < couWorld_MaterialCount(world); ++i) {
        const couMaterialDef *def = couWorld_Material(world, couWorld_MaterialAt(world, i));
        couLook look = couLook_Resolve(def->look, cou_matterFluid);
        couBytes_Format(m, "%s{", i > 0 ? "," : "");
        add_text(m, "name", def->name), couBytes_U8(m, ',');
        add_vector(m, "color", look.color), couBytes_U8(m, ',');
        add_vector(m, "absorption", look.absorption);
        couBytes_Format(m, ",\"opacity\":%.6g,\"refraction\":%.6g,\"density\":%.9g}", (double)look.opacity,
                        (double)look.refraction, (double)def->density);
    }
    couBytes_U8(m, ']');
}

// "key":["a","b"]
static void add_names(couBytes *m, const char *key, const char *const *names)
{
    couBytes_Format(m, "\"%s\":[", key);
    for (int i = 0; names && names[i]; ++i) {
        if (i > 0) couBytes_U8(m, ',');
        couBytes_JsonText(m, names[i]);
    }
    couBytes_U8(m, ']');
}

static void add_camera(couBytes *m, couCamera camera)
{
    couBytes_Format(m, "\"camera\":{\"set\":%s,\"fov\":%.6g,", camera.is_set ? "true" : "false", (double)camera.fov);
    add_vector(m, "from", camera.from), couBytes_U8(m, ',');
    add_vector(m, "to", camera.to), couBytes_U8(m, '}');
}

couBytes couTell_Scene(const couSceneCard *card)
{
    static const char *const sources[] = {"live", "run", "files"};
    couBytes message = {0}, *m = &message;
    const couWorld *world = couScene_World(card->scene);
    const couWorldDef *def = couWorld_Def(world);
    const char *phases[cou_phaseCount + 1] = {0};
    for (int i = 0; i < cou_phaseCount; ++i) phases[i] = couPhaseName((couPhase)i);
    char **scenes = card->source == cou_sourceLive ? couListScenes() : NULL;
    couTell_Begin(m, cou_tellScene, 0);
    couBytes_Format(m, "{\"protocol\":%d,\"serial\":%u,", cou_protocolVersion, card->serial & 0xffff);
    add_text(m, "version", couVersion()), couBytes_U8(m, ',');
    add_text(m, "scene", card->name), couBytes_U8(m, ',');
    add_text(m, "title", couScene_Title(card->scene)), couBytes_U8(m, ',');
    add_text(m, "note", couScene_Note(card->scene)), couBytes_U8(m, ',');
    add_text(m, "source", sources[card->source]), couBytes_U8(m, ',');
    add_text(m, "method", def->method), couBytes_U8(m, ',');
    couBytes_Format(m, "\"dimension\":%d,\"spacing\":%.9g,\"support\":%.9g,\"fps\":%.9g,\"duration\":%.9g,\"frames\":%d,",
                    def->dimension, (double)def->spacing, (double)couWorld_SupportRadius(world), couScene_Fps(card->scene),
                    couScene_Duration(card->scene), card->frame_count);
    couBytes_Format(m, "\"pressure\":%s,\"springs\":%s,\"record\":%s,\"thumbnails\":%s,",
                    couFindMethodTraits(def->method)->has_pressure ? "true" : "false",
                    couFindMethodTraits(def->method)->has_springs ? "true" : "false", card->can_record ? "true" : "false",
                    card->has_thumbnails ? "true" : "false");
    add_vector(m, "lower", card->bounds.lower), couBytes_U8(m, ',');
    add_vector(m, "upper", card->bounds.upper), couBytes_U8(m, ',');
    couCamera camera = couScene_Camera(card->scene);
    add_camera(m, camera.is_set ? couCamera_At(&camera, couWorld_Time(world)) : camera), couBytes_U8(m, ',');
    add_names(m, "methods", couMethodNames()), couBytes_U8(m, ',');
    add_names(m, "phases", phases), couBytes_U8(m, ',');
    add_names(m, "scenes", (const char *const *)scenes), couBytes_U8(m, ',');
    add_materials(m, world), couBytes_U8(m, ',');
    add_groups(m, card);
    couBytes_U8(m, '}');
    couFreeNames(scenes);
    return message;
}

const couParam *couFindKnob(couWorld *world, unsigned group, const char *name, const void **def)
{
    if (group == 0) {
        *def = couWorld_MethodParams(world);
        return couParams_Find(couMethodParams(couWorld_Def(world)->method), name);
    }
    if (group == 1) {
        *def = couWorld_Def(world);
        return strcmp(name, "gravity") == 0 ? couParams_Find(couWorldParams(), name) : NULL;
    }
    if (group - 2 >= (unsigned)couWorld_MaterialCount(world)) return NULL;
    *def = couWorld_Material(world, couWorld_MaterialAt(world, (int)group - 2));
    const couParam *param = couParams_Find(couMaterialParams(), name);
    return param && param->type != cou_paramName ? param : NULL;
}

// --- What there is to see ----------------------------------------------------------------------------------------------------

// By comparisons: fminf() is a call, and there are eight for each particle of each frame.
static void include(couBounds *bounds, couVec3 p)
{
    couVec3 low = bounds->lower, high = bounds->upper;
    if (!couIsFinite3(p)) return;
    bounds->lower = (couVec3){COU_MIN(low.x, p.x), COU_MIN(low.y, p.y), COU_MIN(low.z, p.z)};
    bounds->upper = (couVec3){COU_MAX(high.x, p.x), COU_MAX(high.y, p.y), COU_MAX(high.z, p.z)};
}

static void include_shape(couBounds *bounds, const couShape *shape, couPose pose, int dimension)
{
    couBounds box;
    if (!couShape_Bounds(shape, dimension, &box)) return;
    if (dimension == 2) box.lower.z = box.upper.z = 0.0f;
    for (int i = 0; i < 8; ++i)
        include(bounds, couToWorld(pose, (couVec3){i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                                                   i & 4 ? box.upper.z : box.lower.z}));
}

couBounds couWorldBounds(const couWorld *world)
{
    int dimension = couWorld_Def(world)->dimension;
    couBounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    couParticleView particles = couWorld_Particles(world);
    for (size_t i = 0; i < particles.count; ++i) include(&bounds, couXyz(particles.position[i]));
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        const couBodyDef *body = id.index1 ? couWorld_Body(world, id) : NULL;
        if (body && body->look.opacity > 0.0f) include_shape(&bounds, body->shape, couWorld_BodyPose(world, id), dimension);
    }
    for (int i = 0; i < couWorld_EmitterCount(world); ++i) {
        const couEmitterDef *emitter = couWorld_Emitter(world, couWorld_EmitterAt(world, i));
        if (emitter && !emitter->motion) include_shape(&bounds, emitter->shape, emitter->pose, dimension);
    }
    for (int i = 0; i < couWorld_SolidCount(world); ++i) {
        couSolidView solid = couWorld_SolidView(world, couWorld_SolidAt(world, i));
        for (size_t k = 0; k < solid.count; ++k) {
            const double *p = solid.position + 3 * k;
            include(&bounds, (couVec3){(float)p[0], (float)p[1], (float)p[2]});
        }
    }
    if (!(bounds.lower.x <= bounds.upper.x)) bounds = (couBounds){{-1, -1, -1}, {1, 1, 1}};
    return bounds;
}

// --- Bodies ------------------------------------------------------------------------------------------------------------------

// The part of a plane that is shown, in the frame of the body: as large as the scene and once more on each side.
static couBounds local_clip(couBounds clip, couPose pose)
{
    couVec3 size = couSub(clip.upper, clip.lower);
    float reach = fmaxf(fmaxf(size.x, size.y), fmaxf(size.z, 1e-6f));
    couVec3 middle = couToLocal(pose, couScale(0.5f, couAdd(clip.lower, clip.upper)));
    couVec3 half = {1.5f * reach, 1.5f * reach, 1.5f * reach};
    return (couBounds){couSub(middle, half), couAdd(middle, half)};
}

bool couTell_Mesh(couBytes *m, couBodyId id, const couBodyDef *body, couPose pose, int dimension, couBounds clip)
{
    couFaults faults = {0};
    couSurface surface = {0};
    bool is_good = body->look.opacity > 0.0f &&
                   couShape_BuildSurface(body->shape, dimension, 0.0f, local_clip(clip, pose), &surface, &faults);
    couFaults_Clear(&faults);
    if (!is_good) return false;
    couBounds bounds;
    couLook look = couLook_Resolve(body->look, cou_matterBody);
    bool has_end = couShape_Bounds(body->shape, dimension, &bounds);
    couTell_Begin(m, cou_tellMesh, 0);
    couBytes_U16(m, id.index1);
    couBytes_U16(m, id.generation);
    couBytes_U8(m, (unsigned)dimension);
    couBytes_U8(m, (body->is_dynamic ? 1u : 0u) | (has_end ? 0u : 2u));
    couBytes_U16(m, 0);
    couBytes_Vec3(m, look.color);
    couBytes_F32(m, look.opacity);
    couBytes_U32(m, (uint32_t)surface.vertex_count);
    couBytes_U32(m, (uint32_t)surface.element_count);
    for (size_t i = 0; i < surface.vertex_count; ++i) couBytes_Vec3(m, surface.vertices[i]);
    for (size_t i = 0; i < surface.element_count * (size_t)dimension; ++i) couBytes_U32(m, surface.indices[i]);
    couBytes_Add(m, body->name, strlen(body->name));
    couSurface_Clear(&surface);
    return !m->is_short;
}

int couShowBodies(const couWorld *world, couShownBody *bodies, int capacity)
{
    int count = 0;
    for (int i = 0; i < couWorld_BodyCount(world) && count < capacity; ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        if (id.index1 && couWorld_Body(world, id)->look.opacity > 0.0f)
            bodies[count++] = (couShownBody){id, couWorld_BodyPose(world, id)};
    }
    return count;
}

// --- Frames ------------------------------------------------------------------------------------------------------------------

couShownParticles couShowWorld(const couWorld *world)
{
    couParticleView view = couWorld_Particles(world);
    return (couShownParticles){.count = view.count,
                               .position = (const float *)view.position,
                               .velocity = (const float *)view.velocity,
                               .stride = 4,
                               .material = view.material,
                               .density = view.density,
                               .pressure = view.pressure};
}

couShownParticles couShowFrame(const couFrame *frame)
{
    return (couShownParticles){.count = frame->count,
                               .position = (const float *)frame->position,
                               .velocity = (const float *)frame->velocity,
                               .stride = 3,
                               .material = frame->material,
                               .density = frame->density};
}

static float value_of(const couShownParticles *particles, size_t i, couColoring coloring)
{
    const float *v = particles->velocity + i * particles->stride;
    switch (coloring) {
    case cou_colorSpeed: return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    case cou_colorDensity: return particles->density ? particles->density[i] : 1.0f;
    case cou_colorPressure: return particles->pressure ? particles->pressure[i] : 0.0f;
    default: return 0.0f;
    }
}

static couBounds survey(const couShownParticles *particles, couShownRange *range)
{
    couBounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    float lower = INFINITY, upper = -INFINITY;
    for (size_t i = 0; i < particles->count; ++i) {
        const float *p = particles->position + i * particles->stride;
        float value = value_of(particles, i, range->coloring);
        include(&bounds, (couVec3){p[0], p[1], p[2]});
        if (!isfinite(value)) continue;
        lower = COU_MIN(lower, value);
        upper = COU_MAX(upper, value);
    }
    if (!(bounds.lower.x <= bounds.upper.x)) bounds = (couBounds){{0, 0, 0}, {0, 0, 0}};
    if (!(lower <= upper)) lower = upper = 0.0f;
    if (range->coloring == cou_colorSpeed) lower = 0.0f;
    bool is_new = !range->is_set;
    range->lower = is_new || lower < range->lower ? lower : range->lower + 0.02f * (lower - range->lower);
    range->upper = is_new || upper > range->upper ? upper : range->upper + 0.02f * (upper - range->upper);
    range->is_set = particles->count > 0;
    return bounds;
}

static void put_u16(uint8_t *place, float value)
{
    unsigned whole = value > 0.0f ? value < 65535.0f ? (unsigned)(value + 0.5f) : 65535u : 0u; // NaN is 0
    place[0] = (uint8_t)whole, place[1] = (uint8_t)(whole >> 8);
}

static void add_particles(couBytes *m, const couShownParticles *particles, const couShownRange *range, couBounds bounds)
{
    uint8_t *place = couBytes_Extend(m, 8 * particles->count);
    couVec3 size = couSub(bounds.upper, bounds.lower);
    const float low[3] = {bounds.lower.x, bounds.lower.y, bounds.lower.z};
    const float scale[3] = {size.x > 0 ? 65535.0f / size.x : 0, size.y > 0 ? 65535.0f / size.y : 0,
                            size.z > 0 ? 65535.0f / size.z : 0};
    float width = range->upper - range->lower, inverse = width > 0.0f ? 255.0f / width : 0.0f;
    for (size_t i = 0; place && i < particles->count; ++i, place += 8) {
        const float *p = particles->position + i * particles->stride;
        for (int a = 0; a < 3; ++a) put_u16(place + 2 * a, (p[a] - low[a]) * scale[a]);
        float value = (value_of(particles, i, range->coloring) - range->lower) * inverse;
        place[6] = particles->material[i];
        place[7] = (uint8_t)(value > 0.0f ? value < 255.0f ? value + 0.5f : 255.0f : 0.0f);
    }
}

couBytes couTell_Frame(uint32_t sequence, const couTick *tick, const couShownParticles *particles, couShownRange *range,
                       const couShownBody *bodies, int body_count)
{
    couBytes message = {0}, *m = &message;
    const couStepReport *report = &tick->report;
    couBounds bounds = survey(particles, range);
    couVec3 size = couSub(bounds.upper, bounds.lower);
    couTell_Begin(m, cou_tellFrame, tick->serial & 0xffff);
    couBytes_U32(m, sequence);
    couBytes_F64(m, tick->time);
    couBytes_U64(m, tick->steps);
    couBytes_U32(m, tick->frame);
    couBytes_U32(m, (tick->is_playing ? 1u : 0u) | (tick->is_broken ? 2u : 0u));
    couBytes_U32(m, (uint32_t)particles->count);
    couBytes_U16(m, (unsigned)body_count);
    couBytes_U8(m, range->coloring);
    couBytes_U8(m, cou_phaseCount);
    couBytes_F32(m, report->dt);
    couBytes_U32(m, (uint32_t)report->substeps);
    couBytes_U32(m, (uint32_t)report->iterations);
    couBytes_F32(m, (float)report->density_error_mean);
    couBytes_F32(m, (float)report->density_error_max);
    couBytes_F32(m, report->max_speed);
    couBytes_F32(m, (float)tick->seconds);
    couBytes_F32(m, (float)tick->kinetic_energy);
    couBytes_F32(m, (float)tick->potential_energy);
    couBytes_F32(m, range->lower);
    couBytes_F32(m, range->upper);
    couBytes_Vec3(m, bounds.lower);
    couBytes_Vec3(m, size);
    for (int i = 0; i < cou_phaseCount; ++i) couBytes_F32(m, (float)report->phase_seconds[i]);
    for (int i = 0; i < body_count; ++i) {
        const couPose *pose = &bodies[i].pose;
        couBytes_U16(m, bodies[i].id.index1);
        couBytes_U16(m, bodies[i].id.generation);
        couBytes_Vec3(m, pose->position);
        couBytes_F32(m, pose->rotation.x), couBytes_F32(m, pose->rotation.y);
        couBytes_F32(m, pose->rotation.z), couBytes_F32(m, pose->rotation.w);
    }
    add_particles(m, particles, range, bounds);
    return message;
}
