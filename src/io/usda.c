// A run as USD text. Values that change are time samples, and USD wants those of one attribute together: each attribute is one
// pass over the files of the run, so that only one frame is in memory. A first pass finds the frames that can be read, how much
// there is in them and where, for the estimate and the extents. [OpenUSD: UsdGeomPoints, UsdGeomMesh, UsdGeomBasisCurves,
// UsdGeomXformable, UsdPreviewSurface]
#include "io/usda.h"

#include "base/base.h"
#include "coulis/frames.h"
#include "coulis/surface_file.h"
#include "files/file.h"
#include "files/text.h"
#include "io/body_files.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum {
    path_size = 1200,
    particle_bytes = 84, // of text: position, velocity, id
    color_bytes = 16,
    vertex_bytes = 150, // position, normal, velocity, colour, id
    element_bytes = 27,
    row_bytes = 120, // a body at a frame
};

// One frame of a series, as the first pass found it.
typedef struct Sample {
    const char *path;
    int number;
    couBounds bounds; // [m]
} Sample;

typedef struct Series {
    couFrameFiles files;
    Sample *samples;
    int count;
    double bytes;           // of text that it will be
    bool has_material[256]; // that a particle or vertex is of
    int dimension;          // of surfaces
} Series;

typedef struct Writer {
    const couUsdaDef *def;
    couFile file;
    couBodyTable bodies;
    bool has_bodies;
    Series particles, surfaces;
    couUsdaSolids solids;
    int done, total; // reads
    couFaults *faults;
} Writer;

static void show(Writer *writer)
{
    if (writer->def->progress) writer->def->progress(writer->def->context, ++writer->done, writer->total);
}

// --- The first pass ----------------------------------------------------------------------------------------------------------

static void include(couBounds *b, couVec3 p)
{
    if (!couIsFinite3(p)) return;
    b->lower = (couVec3){fminf(b->lower.x, p.x), fminf(b->lower.y, p.y), fminf(b->lower.z, p.z)};
    b->upper = (couVec3){fmaxf(b->upper.x, p.x), fmaxf(b->upper.y, p.y), fmaxf(b->upper.z, p.z)};
}

static couBounds bounds_of(const couVec3 *points, size_t count)
{
    couBounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < count; ++i) include(&bounds, points[i]);
    return count > 0 && bounds.lower.x <= bounds.upper.x ? bounds : (couBounds){0};
}

// Notes what a file holds; false when it cannot be read.
static bool survey_particles(Series *series, Sample *sample, couFaults *faults)
{
    couFrame frame;
    if (!couReadFrame(sample->path, &frame, faults)) return false;
    for (size_t i = 0; i < frame.count; ++i) series->has_material[frame.material[i]] = true;
    sample->bounds = bounds_of(frame.position, frame.count);
    series->bytes += (double)frame.count * particle_bytes;
    couFreeFrame(&frame);
    return true;
}

static bool survey_surface(Series *series, Sample *sample, couFaults *faults)
{
    couSurface surface;
    if (!couReadSurface(sample->path, &surface, NULL, faults)) return false;
    if (series->dimension == 0 || surface.element_count > 0) series->dimension = surface.dimension;
    for (size_t i = 0; surface.materials && i < surface.vertex_count; ++i) series->has_material[surface.materials[i]] = true;
    sample->bounds = bounds_of(surface.vertices, surface.vertex_count);
    series->bytes += (double)surface.vertex_count * vertex_bytes + (double)surface.element_count * element_bytes;
    couSurface_Clear(&surface);
    return true;
}

static bool survey(Writer *writer, Series *series, bool (*look)(Series *series, Sample *sample, couFaults *faults))
{
    series->samples = calloc((size_t)series->files.count + 1, sizeof *series->samples);
    if (!series->samples) {
        couFaults_Add(writer->faults, writer->def->folder, NULL, "no memory for the list of frames");
        return false;
    }
    for (int i = 0; i < series->files.count; ++i) {
        couFaults faults = {0};
        Sample *sample = &series->samples[series->count];
        *sample = (Sample){.path = series->files.items[i].path, .number = series->files.items[i].number};
        if (sample->number == 0 && series->files.count > 1) continue; // the start, which the film does not show
        if (look(series, sample, &faults))
            ++series->count;
        else
            couLog(cou_logWarning, "%s %s: the frame is left out", sample->path,
                   faults.count > 0 ? faults.items[0].message : "cannot be read");
        couFaults_Clear(&faults);
        show(writer);
    }
    return true;
}

static bool find_series(Writer *writer, const char *stem, Series *series)
{
    static const char *const extensions[] = {"vtp", "ply", "obj"};
    for (int i = 0; i < (strcmp(stem, "surface") == 0 ? 3 : 2); ++i) {
        if (!couListSeries(writer->def->folder, stem, extensions[i], &series->files, writer->faults)) return false;
        if (series->files.count > 0) return true;
        couFrameFiles_Clear(&series->files);
    }
    return true;
}

// --- Text --------------------------------------------------------------------------------------------------------------------

// Numbers go through a buffer of their own: a call of stdio for each would be most of the time.
typedef struct Text {
    couFile *file;
    char *at;
    char buffer[1 << 16];
} Text;

static void flush(Text *text)
{
    couFile_Write(text->file, text->buffer, (size_t)(text->at - text->buffer));
    text->at = text->buffer;
}

static char *room(Text *text)
{
    if (text->at > text->buffer + sizeof text->buffer - 128) flush(text);
    return text->at;
}

static void put(Text *text, const char *word)
{
    for (; *word != '\0'; ++word) {
        room(text);
        *text->at++ = *word;
    }
}

// NaN and infinity have names in USD that not every reader knows; such particles are put aside, far below.
static void put_float(Text *text, float value)
{
    room(text);
    text->at += couFormatFloat(text->at, isfinite(value) ? value : -1e6f);
}

static void put_vector(Text *text, couVec3 v)
{
    put(text, "(");
    put_float(text, v.x);
    put(text, ", ");
    put_float(text, v.y);
    put(text, ", ");
    put_float(text, v.z);
    put(text, ")");
}

static void put_vectors(Text *text, const couVec3 *vectors, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) put(text, ", ");
        put_vector(text, vectors[i]);
    }
}

static void put_number(Text *text, uint64_t number)
{
    char digits[24], *at = digits + sizeof digits - 1;
    *at = '\0';
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    put(text, at);
}

static void begin_sample(Text *text, int indent, int frame)
{
    for (int i = 0; i < indent; ++i) put(text, "    ");
    put_number(text, (uint64_t)frame);
    put(text, ": ");
}

// A letter or _ first, then digits too; unlike all names before.
static void make_identifier(const char *name, char identifier[48], char (*taken)[48], int taken_count)
{
    char plain[40];
    int length = 0;
    if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z'))) plain[length++] = '_';
    for (; *name != '\0' && length < 38; ++name) {
        bool is_plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
        plain[length++] = is_plain ? *name : '_';
    }
    plain[length] = '\0';
    snprintf(identifier, 48, "%s", plain);
    for (int number = 2, i = 0; i < taken_count; ++i)
        if (strcmp(taken[i], identifier) == 0) {
            snprintf(identifier, 48, "%s_%d", plain, number++);
            i = -1;
        }
}

// --- Materials ---------------------------------------------------------------------------------------------------------------

static void print_material(FILE *stream, const char *name, const couLook *given, couMatter matter)
{
    couLook look = couLook_Resolve(*given, matter);
    fprintf(stream,
            "        def Material \"%s\"\n        {\n"
            "            token outputs:surface.connect = </coulis/materials/%s/surface.outputs:surface>\n"
            "            def Shader \"surface\"\n            {\n"
            "                uniform token info:id = \"UsdPreviewSurface\"\n"
            "                color3f inputs:diffuseColor = (%.6g, %.6g, %.6g)\n"
            "                float inputs:ior = %.6g\n"
            "                float inputs:metallic = %.6g\n"
            "                float inputs:opacity = %.6g\n"
            "                float inputs:roughness = %.6g\n"
            "                token outputs:surface\n            }\n        }\n",
            name, name, (double)look.color.x, (double)look.color.y, (double)look.color.z, (double)look.refraction,
            (double)look.metalness, (double)look.opacity, (double)look.roughness);
}

// Identifiers of all materials, then of all bodies and solids; they are the names of their looks.
static char (*name_looks(const couStageFile *stage))[48]
{
    int bodies = stage->material_count, solids = bodies + stage->body_count, count = solids + stage->solid_count;
    char(*names)[48] = calloc((size_t)count + 1, sizeof *names);
    for (int i = 0; names && i < count; ++i) {
        const char *name = i >= solids   ? stage->solids[i - solids].name
                           : i >= bodies ? stage->bodies[i - bodies].name
                                         : stage->materials[i].name;
        make_identifier(name, names[i], names, i);
    }
    return names;
}

static void print_materials(FILE *stream, const couStageFile *stage, char (*names)[48])
{
    fputs("    def Scope \"materials\"\n    {\n", stream);
    for (int i = 0; i < stage->material_count; ++i) print_material(stream, names[i], &stage->materials[i].look, cou_matterFluid);
    for (int i = 0; i < stage->body_count; ++i)
        print_material(stream, names[stage->material_count + i], &stage->bodies[i].look, cou_matterBody);
    for (int i = 0; i < stage->solid_count; ++i)
        print_material(stream, names[stage->material_count + stage->body_count + i], &stage->solids[i].look, cou_matterBody);
    fputs("    }\n", stream);
}

static couVec3 material_color(const Writer *writer, int material)
{
    const couStageFile *stage = &writer->bodies.stage;
    return material < stage->material_count ? stage->materials[material].look.color : (couVec3){0.5f, 0.5f, 0.5f};
}

// The only material of a series, -1 when there are more.
static int only_material(const Series *series)
{
    int only = -1;
    for (int i = 0; i < 256; ++i) {
        if (!series->has_material[i]) continue;
        if (only >= 0) return -1;
        only = i;
    }
    return only < 0 ? 0 : only;
}

void couUsda_OpenPrim(FILE *stream, const char *indent, const char *type, const char *name, const char *look)
{
    if (look)
        fprintf(stream,
                "%sdef %s \"%s\" (\n%s    prepend apiSchemas = [\"MaterialBindingAPI\"]\n%s)\n"
                "%s{\n%s    rel material:binding = </coulis/materials/%s>\n",
                indent, type, name, indent, indent, indent, indent, look);
    else
        fprintf(stream, "%sdef %s \"%s\"\n%s{\n", indent, type, name, indent);
}

// --- Particles and surfaces --------------------------------------------------------------------------------------------------

static void write_extents(Writer *writer, const Series *series, float margin)
{
    FILE *stream = writer->file.stream;
    fputs("        float3[] extent.timeSamples = {\n", stream);
    for (int i = 0; i < series->count; ++i) {
        couBounds b = series->samples[i].bounds;
        fprintf(stream, "            %d: [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)],\n", series->samples[i].number,
                (double)(b.lower.x - margin), (double)(b.lower.y - margin), (double)(b.lower.z - margin),
                (double)(b.upper.x + margin), (double)(b.upper.y + margin), (double)(b.upper.z + margin));
    }
    fputs("        }\n", stream);
}

typedef enum Attribute {
    attribute_ids,
    attribute_points,
    attribute_velocities,
    attribute_particle_colors,
    attribute_particle_count,
    attribute_counts = attribute_particle_count,
    attribute_indices,
    attribute_surface_points,
    attribute_normals,
    attribute_surface_velocities,
    attribute_colors,
    attribute_nearest,
    attribute_end
} Attribute;

static const struct {
    const char *declaration, *metadata;
} attributes[attribute_end] = {
    [attribute_ids] = {"int64[] ids", ""},
    [attribute_points] = {"point3f[] points", ""},
    [attribute_velocities] = {"vector3f[] velocities", ""},
    [attribute_particle_colors] = {"color3f[] primvars:displayColor", " (\n            interpolation = \"vertex\"\n        )"},
    [attribute_counts] = {"int[] faceVertexCounts", ""},
    [attribute_indices] = {"int[] faceVertexIndices", ""},
    [attribute_surface_points] = {"point3f[] points", ""},
    [attribute_normals] = {"normal3f[] normals", " (\n            interpolation = \"vertex\"\n        )"},
    [attribute_surface_velocities] = {"vector3f[] velocities", ""},
    [attribute_colors] = {"color3f[] primvars:displayColor", " (\n            interpolation = \"vertex\"\n        )"},
    [attribute_nearest] = {"int[] primvars:nearestId", " (\n            interpolation = \"vertex\"\n        )"},
};

static void put_frame(Text *text, const Writer *writer, const couFrame *frame, Attribute attribute)
{
    put(text, "[");
    if (attribute == attribute_points) put_vectors(text, frame->position, frame->count);
    if (attribute == attribute_velocities) put_vectors(text, frame->velocity, frame->count);
    for (size_t i = 0; attribute == attribute_ids && i < frame->count; ++i) {
        if (i > 0) put(text, ", ");
        put_number(text, frame->id[i]);
    }
    for (size_t i = 0; attribute == attribute_particle_colors && i < frame->count; ++i) {
        if (i > 0) put(text, ", ");
        put_vector(text, material_color(writer, frame->material[i]));
    }
    put(text, "],\n");
}

// In 2D each segment is a curve of two points, which are written for each segment anew.
static void put_surface_vectors(Text *text, const couSurface *s, const couVec3 *vectors, couVec3 otherwise)
{
    size_t count = s->dimension == 3 ? s->vertex_count : 2 * s->element_count;
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) put(text, ", ");
        put_vector(text, vectors ? vectors[s->dimension == 3 ? i : s->indices[i]] : otherwise);
    }
}

static void put_surface(Text *text, const Writer *writer, const couSurface *s, Attribute attribute)
{
    bool is_flat = s->dimension == 2;
    size_t corner_count = s->element_count * (size_t)s->dimension, vertex_count = is_flat ? corner_count : s->vertex_count;
    put(text, "[");
    for (size_t i = 0; attribute == attribute_counts && i < s->element_count; ++i)
        put(text, i > 0 ? (is_flat ? ", 2" : ", 3") : is_flat ? "2" : "3");
    for (size_t i = 0; attribute == attribute_indices && i < corner_count; ++i) {
        if (i > 0) put(text, ", ");
        put_number(text, s->indices[i]);
    }
    if (attribute == attribute_surface_points) put_surface_vectors(text, s, s->vertices, (couVec3){0});
    if (attribute == attribute_normals) put_surface_vectors(text, s, s->normals, (couVec3){0, 1, 0});
    if (attribute == attribute_surface_velocities) put_surface_vectors(text, s, s->velocities, (couVec3){0});
    if (attribute == attribute_colors) put_surface_vectors(text, s, s->colors, material_color(writer, 0));
    for (size_t i = 0; attribute == attribute_nearest && i < vertex_count; ++i) {
        char number[16];
        if (i > 0) put(text, ", ");
        // USD's int is signed; the bits stay.
        sprintf(number, "%d", s->nearest_ids ? (int)(int32_t)s->nearest_ids[is_flat ? s->indices[i] : i] : 0);
        put(text, number);
    }
    put(text, "],\n");
}

// One attribute over all frames.
static bool write_attribute(Writer *writer, const Series *series, Attribute attribute, const char *declaration)
{
    Text *text = malloc(sizeof *text);
    if (!text) {
        couFaults_Add(writer->faults, writer->def->path, NULL, "no memory to write it");
        return false;
    }
    text->file = &writer->file;
    text->at = text->buffer;
    put(text, "        ");
    put(text, declaration ? declaration : attributes[attribute].declaration);
    put(text, ".timeSamples = {\n");
    bool is_good = true;
    for (int i = 0; is_good && i < series->count && writer->file.error == 0; ++i) {
        const Sample *sample = &series->samples[i];
        begin_sample(text, 3, sample->number);
        if (attribute < attribute_particle_count) {
            couFrame frame;
            is_good = couReadFrame(sample->path, &frame, writer->faults);
            if (is_good) put_frame(text, writer, &frame, attribute);
            couFreeFrame(&frame);
        } else {
            couSurface surface;
            is_good = couReadSurface(sample->path, &surface, NULL, writer->faults);
            if (is_good) put_surface(text, writer, &surface, attribute);
            couSurface_Clear(&surface);
        }
        show(writer);
    }
    put(text, "        }");
    put(text, attributes[attribute].metadata);
    put(text, "\n");
    flush(text);
    free(text);
    return is_good;
}

static bool write_particles(Writer *writer, char (*looks)[48])
{
    FILE *stream = writer->file.stream;
    const Series *series = &writer->particles;
    int only = only_material(series);
    bool has_look = only >= 0 && only < writer->bodies.stage.material_count;
    couUsda_OpenPrim(stream, "    ", "Points", "particles", has_look ? looks[only] : NULL);
    write_extents(writer, series, 0.5f * writer->bodies.stage.spacing);
    bool is_good = write_attribute(writer, series, attribute_ids, NULL) &&
                   write_attribute(writer, series, attribute_points, NULL) &&
                   write_attribute(writer, series, attribute_velocities, NULL);
    couVec3 color = material_color(writer, COU_MAX(only, 0));
    if (is_good && only < 0)
        is_good = write_attribute(writer, series, attribute_particle_colors, NULL);
    else
        fprintf(stream, "        color3f[] primvars:displayColor = [(%.6g, %.6g, %.6g)]\n", (double)color.x, (double)color.y,
                (double)color.z);
    fprintf(stream, "        float[] widths = [%.6g] (\n            interpolation = \"constant\"\n        )\n    }\n",
            (double)writer->bodies.stage.spacing);
    return is_good;
}

static bool write_surfaces(Writer *writer, char (*looks)[48])
{
    FILE *stream = writer->file.stream;
    const Series *series = &writer->surfaces;
    int only = only_material(series);
    bool has_look = only >= 0 && only < writer->bodies.stage.material_count, is_flat = series->dimension == 2;
    couUsda_OpenPrim(stream, "    ", is_flat ? "BasisCurves" : "Mesh", "surface", has_look ? looks[only] : NULL);
    if (is_flat)
        fprintf(stream,
                "        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\"\n"
                "        float[] widths = [%.6g] (\n            interpolation = \"constant\"\n        )\n",
                (double)(0.25f * writer->bodies.stage.spacing));
    else
        fputs("        uniform token orientation = \"rightHanded\"\n        uniform token subdivisionScheme = \"none\"\n",
              stream);
    write_extents(writer, series, 0.0f);
    bool is_good = write_attribute(writer, series, attribute_counts, is_flat ? "int[] curveVertexCounts" : NULL) &&
                   (is_flat || write_attribute(writer, series, attribute_indices, NULL)) &&
                   write_attribute(writer, series, attribute_surface_points, NULL) &&
                   (is_flat || write_attribute(writer, series, attribute_normals, NULL)) &&
                   write_attribute(writer, series, attribute_surface_velocities, NULL) &&
                   write_attribute(writer, series, attribute_colors, NULL) &&
                   write_attribute(writer, series, attribute_nearest, NULL);
    fputs("    }\n", stream);
    return is_good;
}

// --- Bodies ------------------------------------------------------------------------------------------------------------------

static bool write_body_mesh(Writer *writer, const couStageFileBody *body, const char *look)
{
    char path[path_size];
    couSurface s;
    FILE *stream = writer->file.stream;
    snprintf(path, sizeof path, "%s/%s", writer->def->folder, body->mesh);
    if (!couReadSurface(path, &s, NULL, writer->faults)) return false;
    couBounds b = bounds_of(s.vertices, s.vertex_count);
    bool is_flat = s.dimension == 2;
    couUsda_OpenPrim(stream, "            ", is_flat ? "BasisCurves" : "Mesh", "mesh", look);
    fprintf(stream, "                float3[] extent = [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)]\n", (double)b.lower.x,
            (double)b.lower.y, (double)b.lower.z, (double)b.upper.x, (double)b.upper.y, (double)b.upper.z);
    fputs(is_flat ? "                uniform token type = \"linear\"\n                uniform token wrap = \"nonperiodic\"\n"
                  : "                uniform token subdivisionScheme = \"none\"\n",
          stream);
    static const struct {
        const char *mesh, *curves;
        Attribute attribute;
    } parts[] = {{"int[] faceVertexCounts", "int[] curveVertexCounts", attribute_counts},
                 {"int[] faceVertexIndices", NULL, attribute_indices},
                 {"point3f[] points", "point3f[] points", attribute_surface_points}};
    Text *text = malloc(sizeof *text);
    for (int i = 0; text && i < COU_COUNT(parts); ++i) {
        const char *declaration = is_flat ? parts[i].curves : parts[i].mesh;
        if (!declaration) continue;
        text->file = &writer->file;
        text->at = text->buffer;
        put(text, "                ");
        put(text, declaration);
        put(text, " = ");
        put_surface(text, writer, &s, parts[i].attribute);
        text->at -= 2; // the comma and the line's end: this is no sample
        put(text, "\n");
        flush(text);
    }
    if (!text) couFaults_Add(writer->faults, writer->def->path, NULL, "no memory to write it");
    fprintf(stream,
            "                color3f[] primvars:displayColor = [(%.6g, %.6g, %.6g)]\n"
            "                float[] primvars:displayOpacity = [%.6g]\n            }\n",
            (double)body->look.color.x, (double)body->look.color.y, (double)body->look.color.z, (double)body->look.opacity);
    bool is_good = text != NULL;
    free(text);
    couSurface_Clear(&s);
    return is_good;
}

// Where the body is, at the frames that have it; where the next frame lacks it, it vanishes.
static void write_body_motion(Writer *writer, int body)
{
    FILE *stream = writer->file.stream;
    const couBodyTable *table = &writer->bodies;
    fputs("            double3 xformOp:translate.timeSamples = {\n", stream);
    for (size_t i = 0; i < table->count; ++i) {
        const couBodyRow *row = &table->rows[i];
        if (row->body != body) continue;
        fprintf(stream, "                %d: (%.9g, %.9g, %.9g),\n", row->frame, (double)row->pose.position.x,
                (double)row->pose.position.y, (double)row->pose.position.z);
    }
    fputs("            }\n            quatf xformOp:orient.timeSamples = {\n", stream);
    for (size_t i = 0; i < table->count; ++i) {
        const couBodyRow *row = &table->rows[i];
        if (row->body != body) continue;
        fprintf(stream, "                %d: (%.9g, %.9g, %.9g, %.9g),\n", row->frame, (double)row->pose.rotation.w,
                (double)row->pose.rotation.x, (double)row->pose.rotation.y, (double)row->pose.rotation.z);
    }
    fputs("            }\n            uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n"
          "            token visibility.timeSamples = {\n",
          stream);
    int first_frame = table->count > 0 ? table->rows[0].frame : 0,
        last_frame = table->count > 0 ? table->rows[table->count - 1].frame : 0;
    bool was_there = true;
    for (int frame = first_frame; frame <= last_frame; ++frame) {
        size_t count;
        const couBodyRow *rows = couBodyTable_Frame(table, frame, &count);
        bool is_there = false;
        for (size_t i = 0; i < count; ++i) is_there |= rows[i].body == body;
        if (frame == first_frame || is_there != was_there)
            fprintf(stream, "                %d: \"%s\",\n", frame, is_there ? "inherited" : "invisible");
        was_there = is_there;
    }
    fputs("            }\n", stream);
}

static bool write_bodies(Writer *writer, char (*looks)[48])
{
    FILE *stream = writer->file.stream;
    const couStageFile *stage = &writer->bodies.stage;
    bool is_good = true;
    fputs("    def Scope \"bodies\"\n    {\n", stream);
    for (int i = 0; is_good && i < stage->body_count; ++i) {
        if (stage->bodies[i].mesh[0] == '\0') continue;
        const char *name = looks[stage->material_count + i];
        fprintf(stream, "        def Xform \"%s\"\n        {\n            custom string coulis:name = ", name);
        couPrintJsonText(stream, stage->bodies[i].name);
        fputc('\n', stream);
        write_body_motion(writer, i);
        is_good = write_body_mesh(writer, &stage->bodies[i], name);
        fputs("        }\n", stream);
    }
    fputs("    }\n", stream);
    return is_good;
}

// --- The camera --------------------------------------------------------------------------------------------------------------

// [tenths of a metre]
static double focal_length(const couStageFileCamera *camera) { return 0.12 / tan(0.5 * COU_PI / 180.0 * (double)camera->fov); }

static void print_view(FILE *stream, const couStageFileCamera *camera)
{
    couVec3 back = couNormalize(couSub(camera->from, camera->to)), up = {0, 1, 0};
    if (fabsf(back.y) > 0.9999f) up = (couVec3){0, 0, -1};
    couVec3 right = couNormalize(couCross(up, back)), above = couCross(back, right), at = camera->from;
    fprintf(stream, "( (%.9g, %.9g, %.9g, 0), (%.9g, %.9g, %.9g, 0), (%.9g, %.9g, %.9g, 0), (%.9g, %.9g, %.9g, 1) )",
            (double)right.x, (double)right.y, (double)right.z, (double)above.x, (double)above.y, (double)above.z, (double)back.x,
            (double)back.y, (double)back.z, (double)at.x, (double)at.y, (double)at.z);
}

// A film of 42.7 by 24 mm and the length that gives the vertical field of view, in tenths of the stage's unit as USD wants them.
static void write_camera(Writer *writer)
{
    FILE *stream = writer->file.stream;
    const couStageFile *stage = &writer->bodies.stage;
    if (stage->camera_count == 0) return;
    fputs("    def Camera \"camera\"\n    {\n        float2 clippingRange = (0.001, 10000)\n"
          "        float horizontalAperture = 0.426667\n        float verticalAperture = 0.24\n"
          "        float focalLength.timeSamples = {\n",
          stream);
    for (int i = 0; i < stage->camera_count; ++i)
        fprintf(stream, "            %.9g: %.9g,\n", stage->cameras[i].time * stage->fps, focal_length(&stage->cameras[i]));
    fputs("        }\n        float focusDistance.timeSamples = {\n", stream);
    for (int i = 0; i < stage->camera_count; ++i) {
        const couStageFileCamera *camera = &stage->cameras[i];
        float focus = camera->focus > 0.0f ? camera->focus : couLength(couSub(camera->to, camera->from));
        fprintf(stream, "            %.9g: %.9g,\n", camera->time * stage->fps, (double)focus);
    }
    fputs("        }\n        float fStop.timeSamples = {\n", stream); // 0: all is in focus
    for (int i = 0; i < stage->camera_count; ++i) {
        const couStageFileCamera *camera = &stage->cameras[i];
        double stop = camera->aperture > 0.0f ? 0.1 * focal_length(camera) / (double)camera->aperture : 0.0;
        fprintf(stream, "            %.9g: %.9g,\n", camera->time * stage->fps, stop);
    }
    fputs("        }\n        matrix4d xformOp:transform.timeSamples = {\n", stream);
    for (int i = 0; i < stage->camera_count; ++i) {
        fprintf(stream, "            %.9g: ", stage->cameras[i].time * stage->fps);
        print_view(stream, &stage->cameras[i]);
        fputs(",\n", stream);
    }
    fputs("        }\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }\n", stream);
}

// --- The file ----------------------------------------------------------------------------------------------------------------

static void write_head(Writer *writer)
{
    const Series *series[2] = {&writer->particles, &writer->surfaces};
    const couBodyTable *table = &writer->bodies;
    int first = 1, last = 1;
    bool has_any = false;
    for (int i = 0; i < 2; ++i) {
        if (series[i]->count == 0) continue;
        int from = series[i]->samples[0].number, to = series[i]->samples[series[i]->count - 1].number;
        first = has_any ? COU_MIN(first, from) : from;
        last = has_any ? COU_MAX(last, to) : to;
        has_any = true;
    }
    if (writer->solids.count > 0) {
        first = has_any ? COU_MIN(first, writer->solids.first) : writer->solids.first;
        last = has_any ? COU_MAX(last, writer->solids.last) : writer->solids.last;
        has_any = true;
    }
    if (table->count > 0) {
        first = has_any ? COU_MIN(first, table->rows[0].frame) : table->rows[0].frame;
        last = has_any ? COU_MAX(last, table->rows[table->count - 1].frame) : table->rows[table->count - 1].frame;
    }
    fprintf(writer->file.stream,
            "#usda 1.0\n(\n    defaultPrim = \"coulis\"\n"
            "    doc = \"A run of Coulis: metres, kilograms, seconds; frame k ends at k / %.15g s\"\n"
            "    endTimeCode = %d\n    framesPerSecond = %.15g\n    metersPerUnit = 1\n    startTimeCode = %d\n"
            "    timeCodesPerSecond = %.15g\n    upAxis = \"Y\"\n)\n\ndef Xform \"coulis\"\n{\n",
            writer->bodies.stage.fps, last, writer->bodies.stage.fps, first, writer->bodies.stage.fps);
}

static bool write_all(Writer *writer)
{
    char(*looks)[48] = name_looks(&writer->bodies.stage);
    if (!looks) {
        couFaults_Add(writer->faults, writer->def->path, NULL, "no memory to write it");
        return false;
    }
    write_head(writer);
    print_materials(writer->file.stream, &writer->bodies.stage, looks);
    bool is_good = (writer->particles.count == 0 || write_particles(writer, looks)) &&
                   (writer->surfaces.count == 0 || write_surfaces(writer, looks)) &&
                   (!writer->has_bodies || write_bodies(writer, looks));
    const couStageFile *stage = &writer->bodies.stage;
    char(*names)[48] = looks + stage->material_count + stage->body_count;
    is_good = is_good && couUsdaSolids_Write(&writer->solids, names, writer->file.stream, writer->faults);
    write_camera(writer);
    fputs("}\n", writer->file.stream);
    free(looks);
    return is_good;
}

// Their meshes are text already, of about the same length.
static double body_bytes(const Writer *writer)
{
    double bytes = (double)writer->bodies.count * row_bytes;
    for (int i = 0; i < writer->bodies.stage.body_count; ++i) {
        char path[path_size];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", writer->def->folder, writer->bodies.stage.bodies[i].mesh);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) bytes += 1.1 * (double)status.st_size;
    }
    return bytes;
}

static bool check_room(Writer *writer)
{
    double bytes = 4096.0 + writer->particles.bytes + writer->surfaces.bytes + writer->solids.bytes + body_bytes(writer);
    const double gib = 1024.0 * 1024.0 * 1024.0;
    struct statvfs disk;
    if (bytes > writer->def->max_gib * gib) {
        couFaults_Add(writer->faults, writer->def->path, NULL,
                      "would take about %.2f GiB as text, more than the %g GiB allowed; raise the limit or take fewer frames",
                      bytes / gib, writer->def->max_gib);
        return false;
    }
    if (statvfs(writer->def->folder, &disk) == 0 && bytes > (double)disk.f_bavail * (double)disk.f_frsize) {
        couFaults_Add(writer->faults, writer->def->path, NULL, "would take about %.2f GiB; the disk has %.2f GiB left",
                      bytes / gib, (double)disk.f_bavail * (double)disk.f_frsize / gib);
        return false;
    }
    return true;
}

static bool survey_all(Writer *writer)
{
    if (!couReadBodies(writer->def->folder, &writer->bodies, writer->faults)) return false;
    writer->has_bodies = writer->bodies.count > 0;
    if (!find_series(writer, "particles", &writer->particles) || !find_series(writer, "surface", &writer->surfaces)) return false;
    if (!couUsdaSolids_Find(&writer->solids, writer->def->folder, &writer->bodies.stage, writer->faults)) return false;
    writer->total = 4 * writer->particles.files.count + 8 * writer->surfaces.files.count;
    if (!survey(writer, &writer->particles, survey_particles) || !survey(writer, &writer->surfaces, survey_surface)) return false;
    // The passes to come, as they are written below.
    bool has_colors = only_material(&writer->particles) < 0;
    writer->total = writer->done + (has_colors ? 4 : 3) * writer->particles.count +
                    (writer->surfaces.dimension == 2 ? 5 : 7) * writer->surfaces.count;
    if (has_colors) writer->particles.bytes *= (double)(particle_bytes + color_bytes) / particle_bytes;
    if (writer->particles.count > 0 || writer->surfaces.count > 0 || writer->solids.count > 0 || writer->has_bodies) return true;
    couFaults_Add(writer->faults, writer->def->folder, NULL, "holds no frames that can be read, and no bodies");
    return false;
}

bool couWriteUsda(const couUsdaDef *def, int *frames, couFaults *faults)
{
    Writer writer = {.def = def, .faults = faults};
    bool is_good = survey_all(&writer) && check_room(&writer) && couFile_Create(&writer.file, def->path, faults);
    if (is_good) {
        is_good = write_all(&writer);
        if (is_good)
            is_good = couFile_Commit(&writer.file, faults);
        else
            couFile_Discard(&writer.file);
    }
    if (frames) *frames = COU_MAX(COU_MAX(writer.particles.count, writer.surfaces.count), writer.solids.count);
    couUsdaSolids_Clear(&writer.solids);
    couBodyTable_Clear(&writer.bodies);
    couFrameFiles_Clear(&writer.particles.files);
    couFrameFiles_Clear(&writer.surfaces.files);
    free(writer.particles.samples);
    free(writer.surfaces.samples);
    return is_good;
}
