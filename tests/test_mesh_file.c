// Mesh files: a box of 1 x 2 x 3 m in each format, read whole, placed, damaged in every way we can think of, and at random. The
// 3D models of glmark2 come last. COULIS_TEST_MUTATIONS sets how many damaged copies of each file are tried.
#include "io_test.h"

#include "base/base.h"
#include "base/random.h"
#include "coulis/mesh_file.h"

#include <limits.h>

// --- A box in each format ----------------------------------------------------------------------------------------------------

typedef struct Bytes {
    unsigned char data[1 << 14];
    size_t count;
} Bytes;

static Bytes bytes;

static void put(const void *data, size_t count)
{
    assert_true(bytes.count + count <= sizeof bytes.data);
    memcpy(bytes.data + bytes.count, data, count);
    bytes.count += count;
}

__attribute__((format(printf, 1, 2))) static void put_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bytes.count += (size_t)vsnprintf((char *)bytes.data + bytes.count, sizeof bytes.data - bytes.count, format, arguments);
    va_end(arguments);
    assert_true(bytes.count < sizeof bytes.data);
}

static void put_u8(unsigned value) { put(&(uint8_t){(uint8_t)value}, 1); }
static void put_u16(unsigned value) { put(&(uint16_t){(uint16_t)value}, 2); }
static void put_u32(uint32_t value) { put(&value, 4); }
static void put_float(float value) { put(&value, 4); }

// Quads, outward; corner k has x by bit 0, y by bit 1, z by bit 2.
static const unsigned quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static couVec3 corner(unsigned k) { return (couVec3){k & 1 ? 1.0f : 0.0f, k & 2 ? 2.0f : 0.0f, k & 4 ? 3.0f : 0.0f}; }

static void triangle(int t, unsigned corners[3])
{
    const unsigned *quad = quads[t / 2];
    corners[0] = quad[0], corners[1] = quad[t % 2 + 1], corners[2] = quad[t % 2 + 2];
}

static void put_corner(unsigned k)
{
    couVec3 p = corner(k);
    put_float(p.x), put_float(p.y), put_float(p.z);
}

static const char *store(const char *name)
{
    const char *path = scratch(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.count, file), bytes.count);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *store_text(const char *name, const char *text)
{
    bytes.count = 0;
    put(text, strlen(text));
    return store(name);
}

// Quads, a line and a point, which do not count, and an unused vertex far away.
static void make_obj(void)
{
    bytes.count = 0;
    put_text("# a box\nmtllib none.mtl\no box\n");
    for (unsigned k = 0; k < 8; ++k) put_text("v %g %g %g\n", corner(k).x, corner(k).y, corner(k).z);
    put_text("v 100 100 100\nl 1 9\np 9\n");
    for (int q = 0; q < 6; ++q) put_text("f %u %u %u %u\n", quads[q][0] + 1, quads[q][1] + 1, quads[q][2] + 1, quads[q][3] + 1);
}

static void put_ply_head(const char *format)
{
    bytes.count = 0;
    put_text("ply\nformat %s 1.0\ncomment a box\nelement vertex 8\n", format);
    put_text("property float x\nproperty float y\nproperty float z\nelement face 6\nproperty list uchar int vertex_indices\n"
             "end_header\n");
}

static void make_ply_text(void)
{
    put_ply_head("ascii");
    for (unsigned k = 0; k < 8; ++k) put_text("%g %g %g\n", corner(k).x, corner(k).y, corner(k).z);
    for (int q = 0; q < 6; ++q) put_text("4 %u %u %u %u\n", quads[q][0], quads[q][1], quads[q][2], quads[q][3]);
}

static void make_ply(void)
{
    put_ply_head("binary_little_endian");
    for (unsigned k = 0; k < 8; ++k) put_corner(k);
    for (int q = 0; q < 6; ++q) {
        put_u8(4);
        for (int k = 0; k < 4; ++k) put_u32(quads[q][k]);
    }
}

static void make_stl_text(void)
{
    bytes.count = 0;
    put_text("solid box\n");
    for (int t = 0; t < 12; ++t) {
        unsigned c[3];
        triangle(t, c);
        put_text(" facet normal 0 0 0\n  outer loop\n");
        for (int k = 0; k < 3; ++k) put_text("   vertex %g %g %g\n", corner(c[k]).x, corner(c[k]).y, corner(c[k]).z);
        put_text("  endloop\n endfacet\n");
    }
    put_text("endsolid box\n");
}

static void make_stl(void)
{
    bytes.count = 80;
    memset(bytes.data, ' ', 80);
    put_u32(12);
    for (int t = 0; t < 12; ++t) {
        unsigned c[3];
        triangle(t, c);
        for (int k = 0; k < 3; ++k) put_float(0);
        for (int k = 0; k < 3; ++k) put_corner(c[k]);
        put_u16(0);
    }
}

enum { gltf_index_bytes = 72, gltf_bytes = 72 + 96 };

static void put_gltf_buffer(void)
{
    for (int t = 0; t < 12; ++t) {
        unsigned c[3];
        triangle(t, c);
        for (int k = 0; k < 3; ++k) put_u16(c[k]);
    }
    for (unsigned k = 0; k < 8; ++k) put_corner(k);
}

// The node that holds the mesh is moved to x = 10, and one around it is twice as large: 20 to 22, 0 to 4, 0 to 6.
static int print_gltf(char *text, size_t size, const char *uri, unsigned length, unsigned count)
{
    return snprintf(
        text, size,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"scale\":[2,2,2],\"children\":[1]},{\"mesh\":0,\"translation\":[10,0,0]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":1},\"indices\":0}]}],"
        "\"buffers\":[{%s\"byteLength\":%u}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":72},{\"buffer\":0,\"byteOffset\":72,\"byteLength\":%u}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5123,\"count\":36,\"type\":\"SCALAR\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,2,3]}]}",
        uri, length, length - gltf_index_bytes, count);
}

static void make_glb(void)
{
    char json[2048];
    int length = print_gltf(json, sizeof json, "", gltf_bytes, 8);
    while (length % 4 != 0) json[length++] = ' ';
    bytes.count = 0;
    put("glTF", 4), put_u32(2), put_u32((uint32_t)(12 + 8 + length + 8 + gltf_bytes));
    put_u32((uint32_t)length), put("JSON", 4), put(json, (size_t)length);
    put_u32(gltf_bytes), put("BIN\0", 4), put_gltf_buffer();
}

static void make_gltf_with(const char *uri, unsigned length, unsigned count)
{
    char json[2048], quoted[300];
    snprintf(quoted, sizeof quoted, "\"uri\":\"%.250s\",", uri);
    bytes.count = 0;
    put(json, (size_t)print_gltf(json, sizeof json, quoted, length, count));
}

static void make_gltf(void) { make_gltf_with("box.bin", gltf_bytes, 8); }

// Nested chunks of an identifier, a size with its own six bytes, and content.
static size_t open_chunk(unsigned id)
{
    put_u16(id), put_u32(0);
    return bytes.count - 6;
}

static void close_chunk(size_t begin)
{
    uint32_t size = (uint32_t)(bytes.count - begin);
    memcpy(bytes.data + begin + 2, &size, 4);
}

static void make_3ds(void)
{
    bytes.count = 0;
    size_t all = open_chunk(0x4d4d), editor = open_chunk(0x3d3d), object = open_chunk(0x4000);
    put("box", 4);
    size_t mesh = open_chunk(0x4100), vertices = open_chunk(0x4110);
    put_u16(8);
    for (unsigned k = 0; k < 8; ++k) put_corner(k);
    close_chunk(vertices);
    size_t faces = open_chunk(0x4120);
    put_u16(12);
    for (int t = 0; t < 12; ++t) {
        unsigned c[3];
        triangle(t, c);
        for (int k = 0; k < 3; ++k) put_u16(c[k]);
        put_u16(7);
    }
    close_chunk(faces), close_chunk(mesh), close_chunk(object), close_chunk(editor), close_chunk(all);
}

static const struct {
    const char *name;
    void (*make)(void);
} formats[] = {{"box.obj", make_obj}, {"text.ply", make_ply_text}, {"box.PLY", make_ply},   {"text.stl", make_stl_text},
               {"box.stl", make_stl}, {"box.glb", make_glb},       {"box.gltf", make_gltf}, {"box.3ds", make_3ds}};

static void store_bin(void)
{
    bytes.count = 0;
    put_gltf_buffer();
    store("box.bin");
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

static couMesh *read_well(const char *path, const couMeshPlacement *placement)
{
    couFaults faults = {0};
    couMesh *mesh = couReadMesh(path, placement, &faults);
    for (int f = 0; f < faults.count; ++f) print_error("%s: %s\n", faults.items[f].where, faults.items[f].message);
    assert_int_equal(faults.count, 0);
    assert_non_null(mesh);
    return mesh;
}

// Exactly one fault, that names the file and holds the text.
static void check_refused(const char *path, const char *text)
{
    couFaults faults = {0};
    double begin = couSeconds();
    couMesh *mesh = couReadMesh(path, NULL, &faults);
    bool is_fine = !mesh && faults.count == 1 && strcmp(faults.items[0].where, path) == 0 &&
                   strstr(faults.items[0].message, text);
    if (!is_fine) print_error("%s: expected one fault with '%s', got %d\n", path, text, faults.count);
    for (int f = 0; !is_fine && f < faults.count; ++f) print_error("  %s: %s\n", faults.items[f].where, faults.items[f].message);
    assert_true(is_fine);
    assert_true(couSeconds() - begin < 5.0);
    couFaults_Clear(&faults);
}

static void test_every_format(void **context)
{
    (void)context;
    store_bin();
    for (int f = 0; f < COU_COUNT(formats); ++f) {
        formats[f].make();
        couMesh *mesh = read_well(store(formats[f].name), NULL);
        bool is_gltf = formats[f].make == make_glb || formats[f].make == make_gltf;
        couBounds b = couMesh_Bounds(mesh);
        couVec3 size = couSub(b.upper, b.lower);
        float scale = is_gltf ? 2.0f : 1.0f;
        char report[300];
        couMeshReport found = couMesh_Inspect(mesh, 1);
        couMeshReport_Format(&found, report, sizeof report);
        // .3ds has z up, which assimp turns to y; all others are as they are.
        bool is_right = couMesh_TriangleCount(mesh) == 12 && couMesh_VertexCount(mesh) == 8 && found.is_oriented && !report[0] &&
                        fabsf(size.x - scale) < 1e-5f && fabsf(size.x * size.y * size.z - 6 * scale * scale * scale) < 1e-3f &&
                        fabsf(b.lower.x - (is_gltf ? 20.0f : 0.0f)) < 1e-5f &&
                        fabs(couMesh_Mass(mesh).volume - 6.0 * scale * scale * scale) < 1e-3;
        if (!is_right)
            print_error("%s: %zu triangles, %zu vertices, size %g %g %g at x %g: %s\n", formats[f].name,
                        couMesh_TriangleCount(mesh), couMesh_VertexCount(mesh), size.x, size.y, size.z, b.lower.x, report);
        assert_true(is_right);
        assert_true(couIsMeshFile(scratch(formats[f].name)));
        couMesh_Release(mesh);
    }
}

static void check_bounds(couMesh *mesh, couVec3 lower, couVec3 upper)
{
    couBounds b = couMesh_Bounds(mesh);
    float off = fmaxf(couLength(couSub(b.lower, lower)), couLength(couSub(b.upper, upper)));
    if (!(off < 1e-5f))
        print_error("expected %g %g %g to %g %g %g, got %g %g %g to %g %g %g\n", lower.x, lower.y, lower.z, upper.x, upper.y,
                    upper.z, b.lower.x, b.lower.y, b.lower.z, b.upper.x, b.upper.y, b.upper.z);
    assert_true(off < 1e-5f);
    couMesh_Release(mesh);
}

static void test_placements(void **context)
{
    (void)context;
    make_obj();
    const char *path = store("box.obj");
    couMeshPlacement placement = couDefaultMeshPlacement();
    check_bounds(read_well(path, &placement), (couVec3){0, 0, 0}, (couVec3){1, 2, 3});
    placement.scale = 0.5f;
    check_bounds(read_well(path, &placement), (couVec3){0, 0, 0}, (couVec3){0.5f, 1, 1.5f});
    placement.size = 6; // wins; the vertex far away that no face uses does not count
    check_bounds(read_well(path, &placement), (couVec3){0, 0, 0}, (couVec3){2, 4, 6});
    placement.center = cou_centerBounds;
    check_bounds(read_well(path, &placement), (couVec3){-1, -2, -3}, (couVec3){1, 2, 3});
    placement.center = cou_centerGround;
    check_bounds(read_well(path, &placement), (couVec3){-1, 0, -3}, (couVec3){1, 4, 3});
    // z up becomes y up: y goes to -z, z to y.
    placement.turn = (couQuat){-sqrtf(0.5f), 0, 0, sqrtf(0.5f)};
    check_bounds(read_well(path, &placement), (couVec3){-1, 0, -2}, (couVec3){1, 6, 2});
    placement.center = cou_centerNone;
    check_bounds(read_well(path, &placement), (couVec3){0, 0, -4}, (couVec3){2, 6, 0});
    // A single place has no size to scale.
    couVec3 point = {1, 2, 3};
    couPlaceVertices(&point, 1, &(couMeshPlacement){.size = 2, .turn = {0, 0, 0, 1}, .center = cou_centerGround});
    assert_true(couLength(point) == 0.0f);
}

// --- Wrong files -------------------------------------------------------------------------------------------------------------

static void test_not_there(void **context)
{
    (void)context;
    check_refused(scratch("missing.obj"), "No such file");
    check_refused(scratch("missing"), "no known kind of mesh");
    check_refused(store_text("model.fbx", "x"), "no known kind of mesh");
    check_refused(store_text("empty.stl", ""), "it is empty");
    assert_int_equal(mkdir(scratch("folder.ply"), 0700), 0);
    check_refused(scratch("folder.ply"), "it is a folder");
    assert_int_equal(mkfifo(scratch("pipe.obj"), 0600), 0);
    check_refused(scratch("pipe.obj"), "not a regular file");
    if (geteuid() != 0) {
        assert_int_equal(chmod(store_text("secret.obj", "v 0 0 0\n"), 0), 0);
        check_refused(scratch("secret.obj"), "Permission denied");
    }
    // A file of 3 GiB with nothing in it.
    const char *large = store_text("large.obj", "v 0 0 0\n");
    assert_int_equal(truncate(large, (off_t)3 << 30), 0);
    check_refused(large, "larger than 2 GiB");
    assert_int_equal(unlink(large), 0);
}

static void test_wrong_kinds(void **context)
{
    (void)context;
    static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0";
    static const char *const names[] = {"png.obj", "png.ply", "png.stl", "png.gltf", "png.glb", "png.3ds"};
    for (int k = 0; k < COU_COUNT(names); ++k) {
        bytes.count = 0;
        put(png, sizeof png - 1);
        for (int i = 0; i < 200; ++i) put_u8((unsigned)couMix32((uint32_t)i) & 255);
        check_refused(store(names[k]), "is not a whole");
    }
    check_refused(store_text("rubbish.stl", "Dear reader, this is no mesh.\n"), "is not a whole .stl file");
    check_refused(store_text("rubbish.obj", "Dear reader, this is no mesh.\n"), "cannot be read");
    check_refused(store_text("solid.stl", "solid as a rock\n"), "cannot be read");
    check_refused(store_text("rubbish.gltf", "{\"asset\": 7"), "cannot be read");
    check_refused(store_text("points.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                                           "property float z\nend_header\n0 0 0\n"),
                  "cannot be read");
    assert_false(couIsMeshFile(scratch("points.ply")));
}

static void test_wrong_numbers(void **context)
{
    (void)context;
    check_refused(store_text("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"), "cannot be read");
    check_refused(store_text("nan.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "must be finite");
    check_refused(store_text("far.obj", "v 1e7 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "within 1e+06 m");
    check_refused(store_text("lines.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n"), "no triangles");
    put_ply_head("ascii");
    for (unsigned k = 0; k < 8; ++k) put_text("%g %g %g\n", corner(k).x, corner(k).y, corner(k).z);
    for (int q = 0; q < 6; ++q) put_text("3 0 1 %d\n", q == 3 ? 77 : 2);
    check_refused(store("range.ply"), "vertex 77; there are 8");
}

// Heads that claim gigabytes are refused at once; the limits of a child that reads a file this small are 600 MB.
static void test_large_claims(void **context)
{
    (void)context;
    make_stl();
    memcpy(bytes.data + 80, &(uint32_t){200000000}, 4);
    check_refused(store("claim.stl"), "claims 200000000 triangles");
    make_stl();
    bytes.count -= 7;
    check_refused(store("short.stl"), "claims 12 triangles");
    check_refused(store_text("claim.ply",
                             "ply\nformat ascii 1.0\nelement vertex 1000000000\nproperty float x\nproperty float y\n"
                             "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n"),
                  "claims 1000000000 vertex");
    check_refused(store_text("faces.ply",
                             "ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\nelement face "
                             "1000000000\nproperty list uchar int vertex_indices\nend_header\n"),
                  "claims 1000000000 face");
    check_refused(store_text("minus.ply", "ply\nformat ascii 1.0\nelement vertex -1\nproperty float x\nend_header\n0\n"),
                  "claims");
    store_bin();
    make_gltf_with("box.bin", 4000000000u, 333333333);
    check_refused(store("claim.gltf"), "cannot be read");
    make_gltf_with("box.bin", gltf_bytes, 333333333);
    check_refused(store("count.gltf"), "cannot be read");
    make_glb();
    memcpy(bytes.data + 8, &(uint32_t){4000000000u}, 4);
    check_refused(store("claim.glb"), "claims 4000000000 bytes");
    make_3ds();
    memcpy(bytes.data + 2, &(uint32_t){4000000000u}, 4);
    check_refused(store("claim.3ds"), "claims 4000000000 bytes");
}

// Buffers outside of the mesh's folder are not opened, by any way there.
static void test_stays_in_its_folder(void **context)
{
    (void)context;
    char outside[PATH_MAX + 16], here[PATH_MAX], uri[256];
    store_bin();
    assert_int_equal(mkdir(scratch("inner"), 0700), 0);
    assert_non_null(realpath(scratch_folder, here));
    snprintf(outside, sizeof outside, "%s/box.bin", here);
    make_gltf_with("../box.bin", gltf_bytes, 8);
    check_refused(store("inner/up.gltf"), "outside its folder");
    assert_int_equal(symlink(outside, scratch("inner/link.bin")), 0);
    make_gltf_with("link.bin", gltf_bytes, 8);
    check_refused(store("inner/link.gltf"), "outside its folder");
    snprintf(uri, sizeof uri, "%.200s", outside);
    make_gltf_with(uri, gltf_bytes, 8);
    check_refused(store("inner/absolute.gltf"), "cannot be read");
    make_gltf_with("missing.bin", gltf_bytes, 8);
    check_refused(store("inner/missing.gltf"), "cannot be read");
    // Below is fine, and a material elsewhere is no reason to refuse a mesh.
    make_gltf_with("inner/deep.bin", gltf_bytes, 8);
    store("deep.gltf");
    bytes.count = 0;
    put_gltf_buffer();
    store("inner/deep.bin");
    couMesh_Release(read_well(scratch("deep.gltf"), NULL));
    make_obj();
    memcpy(bytes.data + 8, "mtllib ../box.bin ", 16);
    couMesh_Release(read_well(store("inner/box.obj"), NULL));
}

// Bytes changed, cut off or doubled: a mesh or one fault with the path, in time; the process lives on.
static void test_damaged_files(void **context)
{
    (void)context;
    const char *text = getenv("COULIS_TEST_MUTATIONS");
    int count = text ? atoi(text) : 25, seed = 1, refused = 0, total = 0;
    couRandom random = {couMix64((uint64_t)seed)};
    store_bin();
    for (int f = 0; f < COU_COUNT(formats); ++f) {
        int deaths = 0;
        for (int k = 0; k < count; ++k) {
            formats[f].make();
            int changes = 1 + (int)(couNextRandom(&random) % 8);
            for (int c = 0; c < changes; ++c)
                bytes.data[couNextRandom(&random) % bytes.count] = (unsigned char)couNextRandom(&random);
            if (k % 3 == 0) bytes.count = 1 + couNextRandom(&random) % bytes.count;
            couFaults faults = {0};
            char name[64];
            snprintf(name, sizeof name, "bad_%s", formats[f].name);
            const char *path = store(name);
            double begin = couSeconds();
            couMesh *mesh = couReadMesh(path, NULL, &faults);
            assert_true(couSeconds() - begin < 20.0);
            assert_int_equal(mesh ? 0 : 1, faults.count);
            ++total, refused += !mesh;
            if (!mesh) assert_string_equal(faults.items[0].where, path);
            if (!mesh && strstr(faults.items[0].message, "it is damaged, or needs")) {
                ++deaths;
                if (text) print_message("%s: %s\n", formats[f].name, faults.items[0].message);
            }
            couFaults_Clear(&faults);
            couMesh_Release(mesh);
        }
        if (deaths > 0) print_message("%s: the reader died %d times of %d, which did no harm\n", formats[f].name, deaths, count);
    }
    assert_true(refused > total / 4); // the damage was real
}

// --- Models ------------------------------------------------------------------------------------------------------------------

static void test_models(void **context)
{
    (void)context;
    couMesh *bunny = read_well("/usr/share/glmark2/models/bunny.obj", NULL);
    assert_int_equal(couMesh_TriangleCount(bunny), 69666);
    assert_int_equal(couMesh_VertexCount(bunny), 34835);
    assert_true(couMesh_Inspect(bunny, 2).is_oriented);
    couMesh_Release(bunny);
    const char *horse_path = "/usr/share/glmark2/models/horse.3ds";
    if (access(horse_path, R_OK) != 0) return;
    couMesh *horse = read_well(horse_path, NULL);
    assert_int_equal(couMesh_TriangleCount(horse), 7172);
    couMesh_Release(horse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format),  cmocka_unit_test(test_placements),          cmocka_unit_test(test_not_there),
        cmocka_unit_test(test_wrong_kinds),   cmocka_unit_test(test_wrong_numbers),       cmocka_unit_test(test_large_claims),
        cmocka_unit_test(test_damaged_files), cmocka_unit_test(test_stays_in_its_folder), cmocka_unit_test(test_models),
    };
    return cmocka_run_group_tests_name("mesh file", tests, make_scratch, remove_scratch);
}
