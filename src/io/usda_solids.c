// Deformable solids of a run as USD meshes whose points move: triangles from the mesh that was written at the start, points and
// velocities from the frames of all solids, of which each has its own part.
#include "io/usda.h"

#include "base/base.h"
#include "coulis/surface_file.h"
#include "files/text.h"

enum { point_bytes = 70, path_size = 1200 }; // of text: place and velocity

static bool is_first(const couFrameFiles *files, int i) { return files->items[i].number == 0 && files->count > 1; }

bool couUsdaSolids_Find(couUsdaSolids *solids, const char *folder, const couStageFile *stage, couFaults *faults)
{
    *solids = (couUsdaSolids){.folder = folder, .stage = stage};
    if (stage->solid_count == 0) return true;
    if (!couListSeries(folder, "solids", "vtu", &solids->files, faults)) return false;
    for (int i = 0; i < solids->files.count; ++i) {
        if (is_first(&solids->files, i)) continue; // the start, which the film does not show
        solids->first = solids->count++ == 0 ? solids->files.items[i].number : solids->first;
        solids->last = solids->files.items[i].number;
    }
    for (int k = 0; k < stage->solid_count; ++k)
        solids->bytes += (double)solids->count * point_bytes * (double)stage->solids[k].point_count;
    return true;
}

void couUsdaSolids_Clear(couUsdaSolids *solids)
{
    couFrameFiles_Clear(&solids->files);
    *solids = (couUsdaSolids){0};
}

static void print_vector(FILE *stream, couVec3 v)
{
    const float parts[3] = {v.x, v.y, v.z};
    for (int a = 0; a < 3; ++a) {
        fputs(a == 0 ? "(" : ", ", stream);
        couPrintFloat(stream, isfinite(parts[a]) ? parts[a] : -1e6f); // as of particles
    }
    fputc(')', stream);
}

static void print_vectors(FILE *stream, const couVec3 *vectors, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) fputs(", ", stream);
        print_vector(stream, vectors[i]);
    }
}

static void print_extent(FILE *stream, const couVec3 *points, size_t count)
{
    couVec3 ends[2] = {points[0], points[0]};
    for (size_t i = 1; i < count; ++i) {
        couVec3 p = points[i];
        ends[0] = (couVec3){fminf(ends[0].x, p.x), fminf(ends[0].y, p.y), fminf(ends[0].z, p.z)};
        ends[1] = (couVec3){fmaxf(ends[1].x, p.x), fmaxf(ends[1].y, p.y), fmaxf(ends[1].z, p.z)};
    }
    print_vectors(stream, ends, 2);
}

typedef enum Column { column_extent, column_points, column_velocities, column_count } Column;

// One attribute of one solid over all frames; a frame that cannot be read is left out with a warning.
static void write_column(const couUsdaSolids *solids, const couStageFileSolid *solid, Column column, FILE *stream)
{
    static const char *const names[] = {"float3[] extent", "point3f[] points", "vector3f[] velocities"};
    fprintf(stream, "            %s.timeSamples = {\n", names[column]);
    for (int i = 0; i < solids->files.count; ++i) {
        couFrame frame;
        couFaults faults = {0};
        const char *path = solids->files.items[i].path;
        size_t first = (size_t)solid->first_point, count = (size_t)solid->point_count;
        if (is_first(&solids->files, i)) continue;
        bool is_good = couReadFrame(path, &frame, &faults);
        if (is_good && first + count <= frame.count) {
            fprintf(stream, "                %d: [", solids->files.items[i].number);
            if (column == column_extent) print_extent(stream, frame.position + first, count);
            if (column == column_points) print_vectors(stream, frame.position + first, count);
            if (column == column_velocities) print_vectors(stream, frame.velocity + first, count);
            fputs("],\n", stream);
        } else if (column == column_extent) {
            couLog(cou_logWarning, "%s %s: the frame is left out", path,
                   faults.count > 0 ? faults.items[0].message : "has too few points");
        }
        if (is_good) couFreeFrame(&frame);
        couFaults_Clear(&faults);
    }
    fputs("            }\n", stream);
}

static bool write_solid(const couUsdaSolids *solids, const couStageFileSolid *solid, const char *name, FILE *stream,
                        couFaults *faults)
{
    char path[path_size];
    couSurface surface;
    snprintf(path, sizeof path, "%s/%s", solids->folder, solid->mesh);
    if (!couReadSurface(path, &surface, NULL, faults)) return false;
    couUsda_OpenPrim(stream, "        ", "Mesh", name, name);
    fputs("            custom string coulis:name = ", stream);
    couPrintJsonText(stream, solid->name);
    fputs("\n            uniform token subdivisionScheme = \"none\"\n            int[] faceVertexCounts = [", stream);
    for (size_t k = 0; k < surface.element_count; ++k) fputs(k > 0 ? ", 3" : "3", stream);
    fputs("]\n            int[] faceVertexIndices = [", stream);
    for (size_t k = 0; k < 3 * surface.element_count; ++k) fprintf(stream, k > 0 ? ", %u" : "%u", surface.indices[k]);
    fputs("]\n", stream);
    for (Column column = 0; column < column_count; ++column) write_column(solids, solid, column, stream);
    couVec3 color = solid->look.color;
    fprintf(stream,
            "            color3f[] primvars:displayColor = [(%.6g, %.6g, %.6g)]\n"
            "            float[] primvars:displayOpacity = [%.6g]\n        }\n",
            (double)color.x, (double)color.y, (double)color.z, (double)solid->look.opacity);
    couSurface_Clear(&surface);
    return true;
}

bool couUsdaSolids_Write(const couUsdaSolids *solids, char (*names)[48], FILE *stream, couFaults *faults)
{
    bool is_good = true;
    if (solids->count == 0) return true;
    fputs("    def Scope \"solids\"\n    {\n", stream);
    for (int k = 0; is_good && k < solids->stage->solid_count; ++k)
        if (solids->stage->solids[k].mesh[0] != '\0')
            is_good = write_solid(solids, &solids->stage->solids[k], names[k], stream, faults);
    fputs("    }\n", stream);
    return is_good;
}
