// Mesh files through assimp.
//
// assimp reads everything and trusts much of it: some damaged files crash it, others make it ask for gigabytes. So it runs in a
// process of its own (apart.h); whatever happens to it, the caller gets a mesh or a fault. What can be told cheaply is checked
// before, for a better message: that the content fits the name, and that the counts in the heads of .stl and .ply fit into the
// file.
//
// Files that a mesh file names (materials, buffers of glTF) are opened by a function of ours, which refuses all that does not
// lie in the folder of the mesh file or below, links followed.
#include "coulis/mesh_file.h"

#include "base/base.h"
#include "files/file.h"
#include "io/apart.h"
#include "shape/mesh_inspect.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_BYTES ((uint64_t)2 << 30)
#define MAX_TRIANGLES ((size_t)100 << 20)

typedef enum Format { format_obj, format_ply, format_stl, format_gltf, format_glb, format_3ds, format_count } Format;

static const char *const endings[format_count] = {".obj", ".ply", ".stl", ".gltf", ".glb", ".3ds"};

static bool find_format(const char *path, Format *format)
{
    const char *dot = strrchr(path, '.');
    for (int f = 0; dot && f < format_count; ++f) {
        size_t k = 0;
        while (dot[k] && tolower((unsigned char)dot[k]) == endings[f][k]) ++k;
        if (dot[k] || endings[f][k]) continue;
        *format = (Format)f;
        return true;
    }
    return false;
}

// --- Looking before reading --------------------------------------------------------------------------------------------------

enum { peek_bytes = 1 << 16 };

typedef struct Peek {
    char path[PATH_MAX];
    Format format;
    uint64_t file_bytes;
    size_t count;              // bytes of text
    char text[peek_bytes + 1]; // the beginning of the file, with a zero after it
} Peek;

static bool refuse(couFaults *faults, const Peek *peek, const char *reason)
{
    couFaults_Add(faults, peek->path, NULL, "is not a whole %s file: %s", endings[peek->format], reason);
    return false;
}

static bool refuse_claim(couFaults *faults, const Peek *peek, uint64_t claimed, const char *things, double needed)
{
    couFaults_Add(faults, peek->path, NULL,
                  "is not a whole %s file: its head claims %llu %s, which need at least %.6g bytes; it has %llu",
                  endings[peek->format], (unsigned long long)claimed, things, needed, (unsigned long long)peek->file_bytes);
    return false;
}

static bool has_zeros(const Peek *peek) { return memchr(peek->text, 0, peek->count) != NULL; }

static uint32_t load_u32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// Binary files have an 80-byte comment, a count and 50 bytes for each triangle; text begins with "solid", but so may a comment.
static bool check_stl(const Peek *peek, couFaults *faults)
{
    size_t blank = strspn(peek->text, " \t\r\n");
    if (strncasecmp(peek->text + blank, "solid", 5) == 0 && !has_zeros(peek)) return true;
    if (peek->file_bytes < 84)
        return refuse(faults, peek, "it is neither text that begins with 'solid' nor long enough for the binary kind");
    uint64_t count = load_u32(peek->text + 80);
    if (84 + 50 * count > peek->file_bytes) return refuse_claim(faults, peek, count, "triangles", 84 + 50.0 * (double)count);
    if (84 + 50 * count < peek->file_bytes)
        return refuse(faults, peek, "its size does not fit the number of triangles in its head");
    return true;
}

// Bytes that a value takes at least: text needs a digit and a blank, a list its count.
static size_t value_bytes(const char *type, bool is_text)
{
    if (is_text) return 2;
    if (strstr(type, "64") || strstr(type, "double")) return 8;
    if (strstr(type, "32") || strstr(type, "float") || strcmp(type, "int") == 0 || strcmp(type, "uint") == 0) return 4;
    return strstr(type, "16") || strstr(type, "short") ? 2 : 1;
}

static bool check_ply(const Peek *peek, couFaults *faults)
{
    const char *end = strstr(peek->text, "end_header");
    if (strncmp(peek->text, "ply", 3) != 0 || !end)
        return refuse(faults, peek, "its head does not begin with 'ply' or does not end");
    bool is_text = strstr(peek->text, "format ascii") && strstr(peek->text, "format ascii") < end;
    double needed = 0;
    uint64_t count = 0;
    char name[32] = "";
    for (const char *line = peek->text; line && line < end; line = strpbrk(line, "\r\n")) {
        line += strspn(line, "\r\n");
        char words[3][32] = {""};
        int found = sscanf(line, "%31s %31s %31s", words[0], words[1], words[2]);
        if (found == 3 && strcmp(words[0], "element") == 0) {
            errno = 0;
            count = words[2][0] == '-' ? UINT64_MAX : strtoull(words[2], NULL, 10);
            snprintf(name, sizeof name, "%.31s", words[1]);
        } else if (found == 3 && strcmp(words[0], "property") == 0) {
            bool is_list = strcmp(words[1], "list") == 0;
            needed += (double)count * (double)value_bytes(is_list ? words[2] : words[1], is_text);
            if (needed > (double)peek->file_bytes + 1) return refuse_claim(faults, peek, count, name, needed);
        }
    }
    return true;
}

// True when the content fits the name; else a fault.
static bool check_content(const Peek *peek, couFaults *faults)
{
    switch (peek->format) {
    case format_obj: return has_zeros(peek) ? refuse(faults, peek, "it is not text") : true;
    case format_ply: return check_ply(peek, faults);
    case format_stl: return check_stl(peek, faults);
    case format_gltf:
        if (peek->text[strspn(peek->text, "\xef\xbb\xbf \t\r\n")] != '{')
            return refuse(faults, peek, "it does not begin with '{'");
        return true;
    case format_glb:
        if (strncmp(peek->text, "glTF", 4) != 0 || peek->count < 20) return refuse(faults, peek, "it does not begin with 'glTF'");
        if (load_u32(peek->text + 8) > peek->file_bytes)
            return refuse_claim(faults, peek, load_u32(peek->text + 8), "bytes", load_u32(peek->text + 8));
        return true;
    default:
        if (strncmp(peek->text, "MM", 2) != 0 || peek->count < 6) return refuse(faults, peek, "it does not begin with 'MM'");
        if (load_u32(peek->text + 2) > peek->file_bytes)
            return refuse_claim(faults, peek, load_u32(peek->text + 2), "bytes", load_u32(peek->text + 2));
        return true;
    }
}

static bool peek_into(const char *path, Peek *peek, couFaults *faults)
{
    snprintf(peek->path, sizeof peek->path, "%s", path);
    if (!find_format(path, &peek->format)) {
        couFaults_Add(faults, path, NULL, "is of no known kind of mesh: .obj, .ply, .stl, .gltf, .glb or .3ds");
        return false;
    }
    // Without O_NONBLOCK a pipe of that name would wait for a writer.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    const char *reason = NULL;
    if (file < 0 || fstat(file, &status) != 0)
        reason = strerror(errno);
    else if (S_ISDIR(status.st_mode))
        reason = "it is a folder";
    else if (!S_ISREG(status.st_mode))
        reason = "it is not a regular file";
    else if (status.st_size == 0)
        reason = "it is empty";
    else if ((uint64_t)status.st_size > MAX_FILE_BYTES)
        reason = "it is larger than 2 GiB";
    if (!reason) {
        peek->file_bytes = (uint64_t)status.st_size;
        for (ssize_t got = 1; got > 0 && peek->count<peek_bytes; peek->count += got> 0 ? (size_t)got : 0) {
            got = read(file, peek->text + peek->count, peek_bytes - peek->count);
            if (got < 0) reason = strerror(errno);
        }
        peek->text[peek->count] = '\0';
    }
    if (file >= 0) close(file);
    if (reason) couFaults_Add(faults, path, NULL, "cannot be read: %s", reason);
    return !reason;
}

// --- In the child: files -----------------------------------------------------------------------------------------------------

// What the child says before it sends the vertices and triangles.
typedef struct Answer {
    uint64_t vertex_count, triangle_count;
    char message[256]; // what is wrong; "" when all is well
} Answer;

typedef struct Folder {
    char path[PATH_MAX]; // real, with a slash at its end
    Answer *answer;
} Folder;

static size_t read_part(struct aiFile *file, char *bytes, size_t size, size_t count)
{
    return fread(bytes, size, count, (FILE *)(void *)file->UserData);
}

static size_t write_part(struct aiFile *file, const char *bytes, size_t size, size_t count)
{
    (void)file, (void)bytes, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file) { return (size_t)ftello((FILE *)(void *)file->UserData); }

static size_t tell_size(struct aiFile *file)
{
    struct stat status;
    return fstat(fileno((FILE *)(void *)file->UserData), &status) == 0 ? (size_t)status.st_size : 0;
}

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    int whence = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
    return fseeko((FILE *)(void *)file->UserData, (off_t)offset, whence) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static void flush(struct aiFile *file) { (void)file; }

// Only regular files in the folder or below; NULL for all else.
static struct aiFile *open_inside(struct aiFileIO *io, const char *path, const char *mode)
{
    Folder *folder = (Folder *)(void *)io->UserData;
    char real[PATH_MAX];
    struct stat status;
    if (mode[0] != 'r' || strchr(mode, '+') || !realpath(path, real)) return NULL;
    if (strncmp(real, folder->path, strlen(folder->path)) != 0) {
        snprintf(folder->answer->message, sizeof folder->answer->message, "it refers to '%.150s', which is outside its folder",
                 path);
        return NULL;
    }
    if (stat(real, &status) != 0 || !S_ISREG(status.st_mode) || (uint64_t)status.st_size > MAX_FILE_BYTES) return NULL;
    FILE *stream = fopen(real, "rbe");
    struct aiFile *file = stream ? calloc(1, sizeof *file) : NULL;
    if (!file) {
        if (stream) fclose(stream);
        return NULL;
    }
    *file = (struct aiFile){.ReadProc = read_part,
                            .WriteProc = write_part,
                            .TellProc = tell,
                            .FileSizeProc = tell_size,
                            .SeekProc = seek,
                            .FlushProc = flush,
                            .UserData = (aiUserData)(void *)stream};
    return file;
}

static void close_inside(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    if (!file) return;
    fclose((FILE *)(void *)file->UserData);
    free(file);
}

// --- Both sides --------------------------------------------------------------------------------------------------------------

typedef struct Arrays {
    couVec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count;
} Arrays;

// One reading, as the child and the parent see it.
typedef struct Reading {
    const Peek *peek;
    Answer answer;
    Arrays *arrays;
} Reading;

// --- In the child: triangles -------------------------------------------------------------------------------------------------

typedef struct Soup {
    const struct aiScene *scene;
    couVec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, triangle_count, vertex_capacity, triangle_capacity;
    Answer *answer;
} Soup;

static bool add_faces(Soup *soup, const struct aiMesh *mesh)
{
    for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices != 3) continue; // lines and points
        uint32_t *triangle = &soup->triangles[3 * soup->triangle_count++];
        for (int k = 0; k < 3; ++k) {
            if (face->mIndices[k] >= mesh->mNumVertices) {
                snprintf(soup->answer->message, sizeof soup->answer->message, "a face uses vertex %u; there are %u",
                         face->mIndices[k], mesh->mNumVertices);
                return false;
            }
            triangle[k] = (uint32_t)soup->vertex_count + face->mIndices[k];
        }
    }
    return true;
}

static bool add_mesh(Soup *soup, const struct aiMesh *mesh, const struct aiMatrix4x4 *m)
{
    size_t vertex_count = soup->vertex_count + mesh->mNumVertices, triangle_count = soup->triangle_count + mesh->mNumFaces;
    if (triangle_count > MAX_TRIANGLES || vertex_count > 3 * MAX_TRIANGLES) {
        snprintf(soup->answer->message, sizeof soup->answer->message, "it has more than 100 million triangles");
        return false;
    }
    if (!COU_GROW(NULL, soup->vertices, soup->vertex_capacity, vertex_count) ||
        !COU_GROW(NULL, soup->triangles, soup->triangle_capacity, 3 * triangle_count)) {
        snprintf(soup->answer->message, sizeof soup->answer->message, "no memory for %zu triangles", triangle_count);
        return false;
    }
    if (!add_faces(soup, mesh)) return false;
    for (unsigned v = 0; v < mesh->mNumVertices; ++v) {
        struct aiVector3D p = mesh->mVertices[v];
        soup->vertices[soup->vertex_count++] = (couVec3){m->a1 * p.x + m->a2 * p.y + m->a3 * p.z + m->a4,
                                                         m->b1 * p.x + m->b2 * p.y + m->b3 * p.z + m->b4,
                                                         m->c1 * p.x + m->c2 * p.y + m->c3 * p.z + m->c4};
    }
    return true;
}

static bool add_node(Soup *soup, const struct aiNode *node, struct aiMatrix4x4 outer)
{
    aiMultiplyMatrix4(&outer, &node->mTransformation);
    for (unsigned k = 0; k < node->mNumMeshes; ++k) {
        if (node->mMeshes[k] >= soup->scene->mNumMeshes) continue;
        const struct aiMesh *mesh = soup->scene->mMeshes[node->mMeshes[k]];
        if (mesh->mVertices && mesh->mFaces && !add_mesh(soup, mesh, &outer)) return false;
    }
    for (unsigned k = 0; k < node->mNumChildren; ++k)
        if (!add_node(soup, node->mChildren[k], outer)) return false;
    return true;
}

static void read_in_child(void *context, int pipe)
{
    const Peek *peek = ((const Reading *)context)->peek;
    Answer answer = {0};
    Folder folder = {.answer = &answer};
    Soup soup = {.answer = &answer};
    char real[PATH_MAX];
    struct aiFileIO io = {.OpenProc = open_inside, .CloseProc = close_inside, .UserData = (aiUserData)(void *)&folder};
    char *slash = realpath(peek->path, real) ? strrchr(real, '/') : NULL;
    if (slash) snprintf(folder.path, sizeof folder.path, "%.*s", (int)(slash - real + 1), real);
    if (slash) soup.scene = aiImportFileEx(real, aiProcess_Triangulate, &io);
    bool is_good = soup.scene && soup.scene->mRootNode;
    if (is_good) {
        struct aiMatrix4x4 identity;
        aiIdentityMatrix4(&identity);
        answer.message[0] = '\0'; // a material outside the folder is no loss
        is_good = add_node(&soup, soup.scene->mRootNode, identity);
    } else if (!answer.message[0]) {
        snprintf(answer.message, sizeof answer.message, "%s",
                 slash && aiGetErrorString()[0] ? aiGetErrorString() : "it holds no scene");
    }
    if (is_good && soup.triangle_count == 0) snprintf(answer.message, sizeof answer.message, "it holds no triangles");
    answer.vertex_count = soup.vertex_count;
    answer.triangle_count = soup.triangle_count;
    couApart_Send(pipe, &answer, sizeof answer);
    if (!answer.message[0]) {
        couApart_Send(pipe, soup.vertices, soup.vertex_count * sizeof *soup.vertices);
        couApart_Send(pipe, soup.triangles, 3 * soup.triangle_count * sizeof *soup.triangles);
    }
}

// --- In the parent -----------------------------------------------------------------------------------------------------------

// False when the answer is not whole.
static bool receive(void *context, int pipe)
{
    Reading *reading = context;
    Answer *answer = &reading->answer;
    Arrays *arrays = reading->arrays;
    if (!couApart_Receive(pipe, answer, sizeof *answer)) return false;
    answer->message[sizeof answer->message - 1] = '\0';
    if (answer->message[0]) return true;
    if (answer->triangle_count > MAX_TRIANGLES || answer->vertex_count > 3 * MAX_TRIANGLES) return false;
    arrays->vertex_count = (size_t)answer->vertex_count;
    arrays->triangle_count = (size_t)answer->triangle_count;
    arrays->vertices = couAlloc(NULL, arrays->vertex_count * sizeof *arrays->vertices);
    arrays->triangles = couAlloc(NULL, 3 * arrays->triangle_count * sizeof *arrays->triangles);
    if (!arrays->vertices || !arrays->triangles) {
        snprintf(answer->message, sizeof answer->message, "no memory for %zu triangles", arrays->triangle_count);
        return true;
    }
    return couApart_Receive(pipe, arrays->vertices, arrays->vertex_count * sizeof *arrays->vertices) &&
           couApart_Receive(pipe, arrays->triangles, 3 * arrays->triangle_count * sizeof *arrays->triangles);
}

static bool read_apart(const Peek *peek, Arrays *arrays, couFaults *faults)
{
    Reading reading = {.peek = peek, .arrays = arrays};
    Answer *answer = &reading.answer;
    couRunApart(peek->file_bytes, read_in_child, receive, &reading, answer->message, sizeof answer->message);
    if (!answer->message[0]) return true;
    answer->message[strcspn(answer->message, "\r\n")] = '\0';
    couFaults_Add(faults, peek->path, NULL, "cannot be read: %s", answer->message);
    return false;
}

// Joins vertices at the same place and drops those that no triangle uses. False without memory.
static bool join_vertices(Arrays *arrays)
{
    uint32_t *first = couAlloc(NULL, arrays->vertex_count * sizeof *first);
    uint32_t *number = couAlloc(NULL, arrays->vertex_count * sizeof *number); // plus one; 0: not used yet
    bool is_good = first && number && couWeldVertices(arrays->vertices, arrays->vertex_count, first);
    for (size_t k = 0; is_good && k < 3 * arrays->triangle_count; ++k) number[first[arrays->triangles[k]]] = 1;
    uint32_t count = 0;
    for (size_t v = 0; is_good && v < arrays->vertex_count; ++v) {
        if (!number[v]) continue;
        arrays->vertices[count] = arrays->vertices[v];
        number[v] = ++count;
    }
    for (size_t k = 0; is_good && k < 3 * arrays->triangle_count; ++k)
        arrays->triangles[k] = number[first[arrays->triangles[k]]] - 1;
    arrays->vertex_count = count;
    couFree(NULL, first);
    couFree(NULL, number);
    return is_good;
}

static bool are_in_range(const Arrays *arrays)
{
    for (size_t k = 0; k < 3 * arrays->triangle_count; ++k)
        if (arrays->triangles[k] >= arrays->vertex_count) return false;
    return true;
}

static couMesh *make_mesh(Arrays *arrays, const couMeshPlacement *placement, const char *path, couFaults *faults)
{
    couFaults own = {0};
    couMesh *mesh = NULL;
    // Not a number is never at the same place, so such vertices stay for couCreateMesh() to name.
    if (!are_in_range(arrays) || !join_vertices(arrays)) {
        couFaults_Add(faults, path, NULL, "cannot be read: it is damaged, or there is no memory");
    } else {
        couPlaceVertices(arrays->vertices, arrays->vertex_count, placement);
        mesh = couCreateMesh(arrays->vertices, arrays->vertex_count, arrays->triangles, arrays->triangle_count, &own);
        if (!mesh)
            couFaults_Add(faults, path, NULL, "cannot be used: %.280s", own.count > 0 ? own.items[0].message : "no memory");
    }
    couFaults_Clear(&own);
    return mesh;
}

couMesh *couReadMesh(const char *path, const couMeshPlacement *placement, couFaults *faults)
{
    couMeshPlacement usual = couDefaultMeshPlacement();
    Peek *peek = couAlloc(NULL, sizeof *peek);
    Arrays arrays = {0};
    couMesh *mesh = NULL;
    if (!peek)
        couFaults_Add(faults, path, NULL, "cannot be read: no memory");
    else if (peek_into(path, peek, faults) && check_content(peek, faults) && read_apart(peek, &arrays, faults))
        mesh = make_mesh(&arrays, placement ? placement : &usual, path, faults);
    couFree(NULL, arrays.vertices);
    couFree(NULL, arrays.triangles);
    couFree(NULL, peek);
    return mesh;
}

bool couIsMeshFile(const char *path)
{
    Format format;
    if (!find_format(path, &format)) return false;
    if (format != format_ply) return true;
    char head[4096];
    FILE *stream = couOpenFile(path, NULL);
    size_t count = stream ? fread(head, 1, sizeof head - 1, stream) : 0;
    if (stream) fclose(stream);
    head[count] = '\0';
    const char *faces = strstr(head, "element face "), *end = strstr(head, "end_header");
    bool has_any = faces && strtoul(faces + strlen("element face "), NULL, 10) > 0; // some programs say that there are none
    return has_any && (!end || faces < end);
}

// --- Placement ---------------------------------------------------------------------------------------------------------------

couMeshPlacement couDefaultMeshPlacement(void) { return (couMeshPlacement){.scale = 1.0f, .turn = {0, 0, 0, 1}}; }

static couBounds bounds_of(const couVec3 *vertices, size_t count)
{
    couBounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t v = 0; v < count; ++v) {
        couVec3 p = vertices[v];
        b.lower = (couVec3){fminf(b.lower.x, p.x), fminf(b.lower.y, p.y), fminf(b.lower.z, p.z)};
        b.upper = (couVec3){fmaxf(b.upper.x, p.x), fmaxf(b.upper.y, p.y), fmaxf(b.upper.z, p.z)};
    }
    return b;
}

void couPlaceVertices(couVec3 *vertices, size_t count, const couMeshPlacement *placement)
{
    float scale = placement->scale;
    if (placement->size > 0.0f) {
        couBounds b = bounds_of(vertices, count);
        couVec3 size = couSub(b.upper, b.lower);
        float largest = fmaxf(size.x, fmaxf(size.y, size.z));
        scale = largest > 0.0f ? placement->size / largest : 1.0f;
    }
    couQuat q = placement->turn;
    bool is_turned = q.x != 0.0f || q.y != 0.0f || q.z != 0.0f;
    for (size_t v = 0; v < count; ++v) {
        vertices[v] = couScale(scale, vertices[v]);
        if (is_turned) vertices[v] = couRotate(q, vertices[v]);
    }
    if (placement->center == cou_centerNone) return;
    couBounds b = bounds_of(vertices, count);
    couVec3 middle = couScale(0.5f, couAdd(b.lower, b.upper));
    if (placement->center == cou_centerGround) middle.y = b.lower.y;
    for (size_t v = 0; v < count; ++v) vertices[v] = couSub(vertices[v], middle);
}
