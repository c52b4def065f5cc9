// Frame files: what is written comes back, and no file of any content crashes the reader or makes it take memory.
// Debian's VTK and assimp read them in extra.cmake.
#include "io_test.h"
#include "sample_frame.h"

#include "coulis/frames.h"

static const char *const extensions[] = {"vtp", "ply"};

static const char *frame_path(const char *extension)
{
    char name[32];
    snprintf(name, sizeof name, "frame.%s", extension);
    return scratch(name);
}

static bool write_frame(const char *path, const couFrame *frame, couFaults *faults)
{
    return strstr(path, ".vtp") ? couWriteVtp(path, frame, faults) : couWritePly(path, frame, faults);
}

static void expect_equal_frames(const couFrame *a, const couFrame *b)
{
    assert_true(a->time == b->time);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->position, b->position, a->count * sizeof *a->position);
    assert_memory_equal(a->velocity, b->velocity, a->count * sizeof *a->velocity);
    assert_memory_equal(a->id, b->id, a->count * sizeof *a->id);
    assert_memory_equal(a->density, b->density, a->count * sizeof *a->density);
    assert_memory_equal(a->material, b->material, a->count * sizeof *a->material);
}

// What the file's head no longer names has the values of resting matter.
static void expect_equal_but_missing(const couFrame *good, couFrame *frame)
{
    frame->time = good->time;
    for (size_t i = 0; i < frame->count; ++i) {
        couVec3 zero = {0};
        if (frame->missing & cou_frameVelocity) assert_memory_equal(&frame->velocity[i], &zero, sizeof zero);
        if (frame->missing & cou_frameVelocity) frame->velocity[i] = good->velocity[i];
        if (frame->missing & cou_frameId) assert_int_equal(frame->id[i], i);
        if (frame->missing & cou_frameId) frame->id[i] = good->id[i];
        if (frame->missing & cou_frameDensity) assert_true(frame->density[i] == 1.0f);
        if (frame->missing & cou_frameDensity) frame->density[i] = good->density[i];
        if (frame->missing & cou_frameMaterial) assert_int_equal(frame->material[i], 0);
        if (frame->missing & cou_frameMaterial) frame->material[i] = good->material[i];
    }
    expect_equal_frames(good, frame);
}

static void test_round_trip(void **context)
{
    (void)context;
    // 16,384 positions fill one block of the .vtp, so these end before, at and after blocks of each array.
    static const size_t counts[] = {0, 1, 5, 2047, 2048, 2049, 16383, 16384, 16385, 49152, 100003};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        for (int j = 0; j < 2; ++j) {
            couFaults faults = {0};
            couFrame frame, back;
            make_sample_frame(&frame, counts[i]);
            assert_true(write_frame(frame_path(extensions[j]), &frame, &faults));
            assert_true(couReadFrame(frame_path(extensions[j]), &back, &faults));
            expect_no_fault(&faults);
            expect_equal_frames(&frame, &back);
            couFreeFrame(&frame);
            couFreeFrame(&back);
            assert_int_equal(count_scratch(), j + 1 + (i > 0 && j == 0));
        }
    }
}

// Times that no short decimal gives; NaN among the particles is data like any other.
static void test_odd_numbers(void **context)
{
    (void)context;
    static const double times[] = {0.0, 1.0 / 3.0, 1e-300, 123456.789012345678, -1.0 / 7.0};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        for (int j = 0; j < 2; ++j) {
            couFaults faults = {0};
            couFrame frame, back;
            make_sample_frame(&frame, 3);
            frame.time = times[i];
            frame.velocity[1] = (couVec3){NAN, INFINITY, -0.0f};
            assert_true(write_frame(frame_path(extensions[j]), &frame, &faults));
            assert_true(couReadFrame(frame_path(extensions[j]), &back, &faults));
            expect_equal_frames(&frame, &back);
            couFreeFrame(&frame);
            couFreeFrame(&back);
        }
    }
}

static void test_full_disk(void **context)
{
    (void)context;
    for (int j = 0; j < 2; ++j) {
        couFaults faults = {0};
        couFrame frame, old, back;
        const char *path = frame_path(extensions[j]);
        make_sample_frame(&old, 10);
        make_sample_frame(&frame, 30000);
        assert_true(write_frame(path, &old, &faults));
        static const long rooms[] = {0, 100, 4096, 100000};
        for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; ++i) {
            set_disk_room(rooms[i]);
            bool is_ok = write_frame(path, &frame, &faults);
            set_disk_room(-1);
            assert_false(is_ok);
            expect_fault(&faults, path, "cannot be written: File too large");
        }
        assert_int_equal(count_scratch(), j + 1);
        assert_true(couReadFrame(path, &back, &faults));
        expect_equal_frames(&old, &back);
        couFreeFrame(&frame);
        couFreeFrame(&old);
        couFreeFrame(&back);
        assert_false(write_frame(j == 0 ? "/proc/a.vtp" : "/proc/a.ply", &back, &faults));
        expect_fault(&faults, j == 0 ? "/proc/a.vtp" : "/proc/a.ply", "cannot be written: ");
    }
}

// --- Hostile files -----------------------------------------------------------------------------------------------------------

static size_t largest_allocation;

static void *watching_alloc(size_t bytes, size_t align)
{
    if (bytes > largest_allocation) largest_allocation = bytes;
    return bytes < (size_t)1 << 28 ? aligned_alloc(align, bytes) : NULL;
}

// Must give a fault and take no more memory than the text head and the file need.
static void refuse_bytes(const char *path, const char *data, size_t size, const char *reason)
{
    couFaults faults = {0};
    couFrame frame;
    write_bytes(path, data, size);
    largest_allocation = 0;
    couSetAllocator(watching_alloc, free);
    bool is_ok = couReadFrame(path, &frame, &faults);
    couSetAllocator(NULL, NULL);
    if (is_ok) fail_msg("%s with %zu bytes was read; expected '%s'", path, size, reason);
    assert_null(frame.position);
    if (largest_allocation > (1 << 20)) fail_msg("%s made us take %zu bytes", path, largest_allocation);
    expect_fault(&faults, path, reason);
}

static void refuse_edit(const char *path, const char *data, size_t size, const char *from, const char *to, const char *reason)
{
    const char *at = memmem(data, size, from, strlen(from));
    if (!at) fail_msg("'%s' is not in %s", from, path);
    size_t before = (size_t)(at - data), after = size - before - strlen(from);
    char *edited = malloc(before + strlen(to) + after + 1);
    memcpy(edited, data, before);
    memcpy(edited + before, to, strlen(to));
    memcpy(edited + before + strlen(to), at + strlen(from), after);
    refuse_bytes(path, edited, before + strlen(to) + after, reason);
    free(edited);
}

static char *write_sample(const char *path, size_t count, size_t *size)
{
    couFaults faults = {0};
    couFrame frame;
    make_sample_frame(&frame, count);
    assert_true(write_frame(path, &frame, &faults));
    couFreeFrame(&frame);
    return read_bytes(path, size);
}

static void test_every_truncation(void **context)
{
    (void)context;
    for (int j = 0; j < 2; ++j) {
        const char *path = frame_path(extensions[j]);
        size_t size;
        char *data = write_sample(path, 40, &size);
        // The .vtp is whole once its last particle array is; the cells behind it are for other programs.
        char *cells = j == 0 ? strstr(data, "connectivity") : NULL;
        size_t needed = size;
        if (cells) {
            char *start = memmem(data, size, "\n_", 2);
            needed = (size_t)(start + 2 - data) + strtoul(strstr(cells, "offset=\"") + 8, NULL, 10);
        }
        for (size_t length = 0; length < needed; ++length) refuse_bytes(path, data, length, "");
        free(data);
    }
}

// Any flipped byte: a fault or a frame, never a crash or a huge allocation. Arrays of the .vtp are checksummed: a frame that is
// accepted has the right particles.
static void test_every_flip(void **context)
{
    (void)context;
    couFrame good;
    make_sample_frame(&good, 40);
    for (int j = 0; j < 2; ++j) {
        const char *path = frame_path(extensions[j]);
        size_t size;
        char *data = write_sample(path, 40, &size);
        couSetAllocator(watching_alloc, free);
        for (size_t i = 0; i < size; ++i) {
            static const unsigned char masks[] = {1, 0x80, 0xff};
            for (int k = 0; k < 3; ++k) {
                couFaults faults = {0};
                couFrame frame;
                data[i] ^= (char)masks[k];
                write_bytes(path, data, size);
                largest_allocation = 0;
                bool is_ok = couReadFrame(path, &frame, &faults);
                assert_true(is_ok == (faults.count == 0));
                assert_true(largest_allocation <= 1 << 20);
                if (is_ok && j == 0) expect_equal_but_missing(&good, &frame);
                couFreeFrame(&frame);
                couFaults_Clear(&faults);
                data[i] ^= (char)masks[k];
            }
        }
        couSetAllocator(NULL, NULL);
        free(data);
    }
    couFreeFrame(&good);
}

static void test_hostile_vtp(void **context)
{
    (void)context;
    size_t size;
    const char *path = scratch("frame.vtp");
    char *data = write_sample(path, 40, &size);
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"NumberOfPoints=\"40\"", "NumberOfPoints=\"41\"", "does not match NumberOfPoints"},
        {"NumberOfPoints=\"40\"", "NumberOfPoints=\"800000000\"", "does not match NumberOfPoints"}, // 10 GB
        {"NumberOfPoints=\"40\"", "NumberOfPoints=\"18446744073709551615\"", "NumberOfPoints is beyond"},
        {"NumberOfPoints=\"40\"", "NumberOfPoints=\"99999999999999999999999\"", "missing or no number"},
        {"NumberOfPoints=\"40\"", "NumberOfPoints=\"-40\"", "missing or no number"},
        {"NumberOfPoints=\"40\"", "NumberOfPoints=\"nan\"", "missing or no number"},
        {"NumberOfPoints=\"40\"", "NumberOfPoints=\"\"", "missing or no number"},
        {"NumberOfPoints=\"40\"", "NumberOfPoints=\"40", "missing or no number"},
        {"NumberOfPoints=\"40\"", "", "missing or no number"},
        {"\"PolyData\"", "\"ImageData\"", "no VTK PolyData"},
        {"LittleEndian", "BigEndian", "block sizes cannot be"},
        {"LittleEndian", "MiddleEndian", "byte_order"},
        {"\"UInt64\"", "\"UInt32\"", "block sizes cannot be"},
        {"\"UInt64\"", "\"UInt16\"", "header_type"},
        {"vtkZLibDataCompressor", "vtkLZ4DataCompressor", "compressor"},
        {" compressor=\"vtkZLibDataCompressor\"", "", "does not match NumberOfPoints"},
        {"encoding=\"raw\"", "encoding=\"base64\"", "beyond the end of the file"},
        {"encoding=\"raw\"", "encoding=\"hex\"", "neither raw nor base64"},
        {"\n_", "\nA", "does not begin"},
        {">1.25<", ">nan<", "TimeValue is no finite number"},
        {">1.25<", "><", "fewer or more numbers"},
        {">1.25<", ">1 2<", "fewer or more numbers"},
        {"Name=\"Points\" NumberOfComponents=\"3\"", "Name=\"Points\" NumberOfComponents=\"2\"", "cannot be"},
        {"<Points>", "<Punkte>", "it is missing"},
        {"\"Float32\" Name=\"density\"", "\"Float64\" Name=\"density\"", "does not match NumberOfPoints"},
        {"\"Float32\" Name=\"density\"", "\"Float16\" Name=\"density\"", "type is unknown"},
        {"Name=\"velocity\" NumberOfComponents=\"3\"", "Name=\"velocity\" NumberOfComponents=\"1\"",
         "does not match NumberOfPoints"},
        {"offset=\"00000000000000000000\"", "offset=\"99999999999999999999\"", "its offset is no number"},
        {"offset=\"00000000000000000000\"", "offset=\"18446744073709551615\"", "beyond the end of the file"},
        {"offset=\"00000000000000000000\"", "offset=\"-1\"", "its offset is no number"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; ++i)
        refuse_edit(path, data, size, edits[i].from, edits[i].to, edits[i].reason);

    // The block table of the first array: blocks, block size, last size, packed size.
    size_t table = (size_t)((char *)memmem(data, size, "\n_", 2) + 2 - data);
    static const struct {
        int index;
        uint64_t value;
        const char *reason;
    } numbers[] = {
        {0, 0, "does not match NumberOfPoints"},
        {0, UINT64_MAX, "block sizes cannot be"},
        {0, 1 << 20, "block sizes cannot be"},
        {0, 2, "does not match NumberOfPoints"},
        {1, 0, "block sizes cannot be"},
        {1, UINT64_MAX, "block sizes cannot be"},
        {2, UINT64_MAX, "block sizes cannot be"},
        {2, 481, "does not match NumberOfPoints"},
        {3, UINT64_MAX, "ends within its data"},
        {3, 1 << 20, "ends within its data"},
        {3, 5, "cannot be unpacked"},
        {3, 0, "cannot be unpacked"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        char *edited = malloc(size);
        memcpy(edited, data, size);
        memcpy(edited + table + 8 * numbers[i].index, &numbers[i].value, 8);
        refuse_bytes(path, edited, size, numbers[i].reason);
        free(edited);
    }
    free(data);
}

// A file whose head and tables agree on a billion particles, but which holds no data: ratio and size give it away.
static void test_vtp_bomb(void **context)
{
    (void)context;
    size_t size, blocks = 64;
    const char *path = scratch("frame.vtp");
    char *data = write_sample(path, 0, &size);
    char *start = (char *)memmem(data, size, "\n_", 2) + 2;
    uint64_t count = blocks * (1 << 24) / 12 / 4 * 4, bytes = count * 12;
    uint64_t table[3 + 64] = {bytes / (1 << 24) + 1, 1 << 24, bytes % (1 << 24)};
    for (size_t i = 0; i < blocks; ++i) table[3 + i] = 1;
    char head[4096], number[64];
    *start = '\0';
    snprintf(number, sizeof number, "NumberOfPoints=\"%llu\"", (unsigned long long)count);
    char *at = strstr(data, "NumberOfPoints=\"0\"");
    int length = snprintf(head, sizeof head, "%.*s%s%s", (int)(at - data), data, number, at + strlen("NumberOfPoints=\"0\""));
    char *bomb = calloc(1, (size_t)length + sizeof table + 4096);
    memcpy(bomb, head, (size_t)length);
    bomb[length - 1] = '_';
    memcpy(bomb + length, table, sizeof table);
    refuse_bytes(path, bomb, (size_t)length + sizeof table + 4096, "too small for NumberOfPoints");
    free(bomb);
    free(data);
}

static void test_hostile_ply(void **context)
{
    (void)context;
    size_t size;
    const char *path = scratch("frame.ply");
    char *data = write_sample(path, 40, &size);
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"vertex 40", "vertex 41", "need"},
        {"vertex 40", "vertex 39", "need"},
        {"vertex 40", "vertex 320000000", "need"}, // 10 GB
        {"vertex 40", "vertex 18446744073709551615", "allowed: 0 to 2147483647"},
        {"vertex 40", "vertex 99999999999999999999999", "allowed: 0 to 2147483647"},
        {"vertex 40", "vertex nan", "allowed: 0 to 2147483647"},
        {"vertex 40", "vertex -1", "allowed: 0 to 2147483647"},
        {"vertex 40", "vertex", "allowed: 0 to 2147483647"},
        {"element vertex 40", "element face 40", "must be vertex"},
        {"element vertex 40\n", "", "before its element"},
        {"binary_little_endian", "binary_middle_endian", "allowed formats"},
        {"binary_little_endian", "ascii", "no numbers"},
        {"format binary_little_endian 1.0\n", "", "lacks format"},
        {"property float x\n", "", "lack x, y or z"},
        {"property float x\n", "property list uchar int x\n", "plain number types"},
        {"property float x\n", "property quad x\n", "plain number types"},
        {"property float x\n", "property double x\n", "need"},
        {"end_header\n", "", ""},
        {"ply\n", "plx\n", "is not a PLY file"},
        {"comment", "remark", "unknown word"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; ++i)
        refuse_edit(path, data, size, edits[i].from, edits[i].to, edits[i].reason);
    free(data);

    // Heads that never end, or hold too much.
    char *endless = malloc(1 << 20);
    memset(endless, 'a', 1 << 20);
    memcpy(endless, "ply\n", 4);
    refuse_bytes(path, endless, 1 << 20, "does not end");
    for (size_t i = 4; i + 4 < 1 << 20; i += 4) memcpy(endless + i, "  \n\n", 4);
    refuse_bytes(path, endless, 1 << 20, "does not end");
    size_t length = (size_t)sprintf(endless, "ply\nformat binary_little_endian 1.0\nelement vertex 1\n");
    for (int i = 0; i < 100; ++i) length += (size_t)sprintf(endless + length, "property double p%d\n", i);
    refuse_bytes(path, endless, length, "up to 64 properties");
    free(endless);
}

// What other programs write: other order and types, more properties, faces behind.
static void test_foreign_ply(void **context)
{
    (void)context;
    static const char head[] =
        "ply\r\nformat binary_little_endian 1.0\r\nobj_info made elsewhere\r\nelement vertex 2\r\nproperty uchar red\r\n"
        "property double z\r\nproperty int32 y\r\nproperty short x\r\nproperty int8 material\r\nelement face 1\r\n"
        "property list uchar int vertex_indices\r\nend_header\r\n";
    struct __attribute__((packed)) {
        uint8_t red;
        double z;
        int32_t y;
        int16_t x;
        int8_t material;
    } rows[2] = {{255, 0.5, -3, 7, 2}, {0, 1e30, 100000, -7, -2}};
    char data[sizeof head + sizeof rows + 13];
    memset(data, 0, sizeof data);
    memcpy(data, head, sizeof head - 1);
    memcpy(data + sizeof head - 1, rows, sizeof rows);
    const char *path = scratch("frame.ply");
    write_bytes(path, data, sizeof data);
    couFaults faults = {0};
    couFrame frame;
    assert_true(couReadFrame(path, &frame, &faults));
    expect_no_fault(&faults);
    assert_int_equal(frame.count, 2);
    assert_true(frame.position[0].x == 7.0f && frame.position[0].y == -3.0f && frame.position[0].z == 0.5f);
    assert_true(frame.position[1].x == -7.0f && frame.position[1].y == 100000.0f && frame.position[1].z == 1e30f);
    assert_true(frame.velocity[1].x == 0.0f && frame.density[1] == 1.0f && frame.time == 0.0);
    assert_int_equal(frame.id[1], 1);
    assert_int_equal(frame.material[0], 2);
    assert_int_equal(frame.material[1], 0); // negative: into the range
    couFreeFrame(&frame);
}

// --- Frames by other programs: VTK's own are in foreign_frames.py -------------------------------------------------------------

// Three particles in all the ways of writing them; the same numbers must come out.
static void expect_three(const char *name, const void *data, size_t size, unsigned missing)
{
    couFaults faults = {0};
    couFrame frame;
    write_bytes(scratch(name), data, size);
    bool is_ok = couReadFrame(scratch(name), &frame, &faults);
    if (!is_ok) fail_msg("%s: %s", name, faults.items[0].message);
    assert_int_equal(frame.count, 3);
    assert_int_equal(frame.missing, missing);
    for (int i = 0; i < 3; ++i) {
        float x = (float)i;
        assert_true(frame.position[i].x == x + 0.5f && frame.position[i].y == -x && frame.position[i].z == 1024.0f * x);
        couVec3 v = frame.velocity[i];
        if (!(missing & cou_frameVelocity)) assert_true(v.x == 0.25f * x && v.y == 1.0f && v.z == -x);
        if (!(missing & cou_frameId)) assert_int_equal(frame.id[i], 70000 + i);
        if (missing & cou_frameId) assert_int_equal(frame.id[i], i);
    }
    couFreeFrame(&frame);
}

static void swap_bytes(void *data, size_t size, size_t count)
{
    unsigned char *bytes = data;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < size / 2; ++k) {
            unsigned char byte = bytes[i * size + k];
            bytes[i * size + k] = bytes[i * size + size - 1 - k];
            bytes[i * size + size - 1 - k] = byte;
        }
}

#define NO_MATTER (cou_frameDensity | cou_frameMaterial)

static void test_ply_forms(void **context)
{
    (void)context;
    static const char ascii[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty double z\n"
                                "property float vx\nproperty float vy\nproperty float vz\nproperty int id\nend_header\n"
                                "0.5 0 0 0 1 0 70000\n1.5 -1 1024 0.25 1 -1 70001\n2.5 -2 2.048e3 0.5 1 -2 70002\n";
    expect_three("a.ply", ascii, sizeof ascii - 1, NO_MATTER);
    static const char head[] = "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                               "property float z\nend_header\n";
    char data[sizeof head - 1 + 36];
    float numbers[9] = {0.5f, 0.0f, 0.0f, 1.5f, -1.0f, 1024.0f, 2.5f, -2.0f, 2048.0f};
    swap_bytes(numbers, 4, 9);
    memcpy(data, head, sizeof head - 1);
    memcpy(data + sizeof head - 1, numbers, 36);
    expect_three("b.ply", data, sizeof data, NO_MATTER | cou_frameVelocity | cou_frameId);
    for (size_t length = 0; length < sizeof ascii - 8; ++length) refuse_bytes(scratch("c.ply"), ascii, length, "");
    for (size_t length = 0; length < sizeof data; ++length) refuse_bytes(scratch("c.ply"), data, length, "");
}

static const char legacy_ascii[] =
    "# vtk DataFile Version 3.0\nthree particles\nASCII\nDATASET POLYDATA\nFIELD FieldData 1\nTIME 1 1 double\n2.5\n"
    "POINTS 3 float\n0.5 0 0 1.5 -1 1024\n2.5 -2 2048\nVERTICES 3 6\n1 0\n1 1\n1 2\nPOINT_DATA 3\n"
    "SCALARS pressure float\nLOOKUP_TABLE default\n1 2 3\nVECTORS Vel float\n0 1 0 0.25 1 -1 0.5 1 -2\n"
    "FIELD FieldData 2\nIdp 1 3 unsigned_int\n70000 70001 70002\nMETADATA\nINFORMATION 0\n\nstress 2 3 float\n1 2 3 4 5 6\n";

static void test_legacy_forms(void **context)
{
    (void)context;
    expect_three("a.vtk", legacy_ascii, sizeof legacy_ascii - 1, NO_MATTER);
    couFaults faults = {0};
    couFrame frame;
    assert_true(couReadFrame(scratch("a.vtk"), &frame, &faults));
    assert_true(frame.time == 2.5);
    couFreeFrame(&frame);

    // Binary, with cells as of version 5.1 and doubles.
    char data[2048];
    size_t size = (size_t)sprintf(data, "# vtk DataFile Version 5.1\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 double\n");
    double points[9] = {0.5, 0, 0, 1.5, -1, 1024, 2.5, -2, 2048};
    swap_bytes(points, 8, 9);
    memcpy(data + size, points, 72);
    size += 72;
    int64_t offsets[4] = {0, 1, 2, 3};
    size += (size_t)sprintf(data + size, "\nCELLS 4 3\nOFFSETS vtktypeint64\n");
    memcpy(data + size, offsets, 32);
    size += 32;
    size += (size_t)sprintf(data + size, "\nCONNECTIVITY vtktypeint64\n");
    memcpy(data + size, offsets, 24);
    size += 24;
    size += (size_t)sprintf(data + size, "\nCELL_TYPES 3\n");
    memset(data + size, 1, 12);
    size += 12;
    int64_t ids[3] = {70000, 70001, 70002};
    swap_bytes(ids, 8, 3);
    size += (size_t)sprintf(data + size, "\nPOINT_DATA 3\nGLOBAL_IDS ids vtktypeint64\n");
    memcpy(data + size, ids, 24);
    size += 24;
    float velocities[9] = {0, 1, 0, 0.25f, 1, -1, 0.5f, 1, -2};
    swap_bytes(velocities, 4, 9);
    size += (size_t)sprintf(data + size, "\nVECTORS velocity float\n");
    memcpy(data + size, velocities, 36);
    size += 36;
    expect_three("b.vtk", data, size, NO_MATTER);

    // Cut anywhere: a fault, or a whole frame that lacks the arrays that are cut off with their names.
    for (size_t length = 0; length < size; ++length) {
        write_bytes(scratch("c.vtk"), data, length);
        bool is_ok = couReadFrame(scratch("c.vtk"), &frame, &faults);
        assert_int_equal(faults.count, is_ok ? 0 : 1);
        if (is_ok) assert_true(frame.count == 3 && frame.position[2].z == 2048.0f && (frame.missing & cou_frameVelocity));
        couFreeFrame(&frame);
        couFaults_Clear(&faults);
    }
}

static void test_hostile_legacy(void **context)
{
    (void)context;
    const char *path = scratch("frame.vtk");
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"# vtk", "# vtx", "is not a legacy VTK file"},
        {"ASCII", "GZIP", "neither ASCII nor BINARY"},
        {"DATASET POLYDATA", "DATASET STRUCTURED_POINTS", "allowed DATASET"},
        {"DATASET POLYDATA", "", "DATASET is missing"},
        {"POINTS 3 float", "POINTS 4 float", "other text there"},
        {"POINTS 3 float", "POINTS 800000000 float", "ends within its numbers"},
        {"POINTS 3 float", "POINTS 99999999999999999999 float", "bad number"},
        {"POINTS 3 float", "POINTS -3 float", "bad number"},
        {"POINTS 3 float", "POINTS 3 complex", "unknown type"},
        {"POINTS 3 float\n0.5 0 0 1.5 -1 1024\n2.5 -2 2048\n", "", "no POINTS"},
        {"VERTICES 3 6", "VERTICES 3 999999999", "ends within its numbers"},
        {"VERTICES 3 6", "VERTICES 3 5", "unknown keyword"},
        {"SCALARS pressure float", "SCALARS pressure float 4000000000", "components"},
        {"VECTORS Vel", "VEKTOREN Vel", "unknown keyword"},
        {"FieldData 2", "FieldData 99999", "bad FIELD"},
        {"Idp 1 3", "Idp 0 3", "bad size"},
        {"Idp 1 3 unsigned_int", "Idp 1 3 unsigned_quark", "unknown type"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; ++i)
        refuse_edit(path, legacy_ascii, sizeof legacy_ascii - 1, edits[i].from, edits[i].to, edits[i].reason);
    for (size_t i = 0; i < sizeof legacy_ascii - 1; ++i) { // any flipped byte: a fault or a frame
        char data[sizeof legacy_ascii];
        memcpy(data, legacy_ascii, sizeof data);
        for (int k = 0; k < 3; ++k) {
            couFaults faults = {0};
            couFrame frame;
            data[i] = (char)(legacy_ascii[i] ^ "\x01\x10\xff"[k]);
            write_bytes(path, data, sizeof data - 1);
            bool is_ok = couReadFrame(path, &frame, &faults);
            assert_int_equal(faults.count, is_ok ? 0 : 1);
            couFreeFrame(&frame);
            couFaults_Clear(&faults);
        }
    }
}

// Two pieces, text and base64, numbers of front and data encoded apart and together.
static void test_xml_forms(void **context)
{
    (void)context;
    static const char pieces[] =
        "<VTKFile type='UnstructuredGrid' version=\"0.1\"><!-- > --><UnstructuredGrid>"
        "<Piece NumberOfPoints=\"2\"><Points>"
        "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0.5 0 0 1.5 -1 1024"
        "</DataArray></Points><PointData><DataArray Name=\"Velocity\" type=\"Float32\" NumberOfComponents=\"3\">0 1 0 0.25 1 -1"
        "</DataArray><DataArray Name='id' type='Int64' format='ascii'>70000 70001</DataArray></PointData></Piece>"
        "<Piece NumberOfPoints=\"1\"><PointData><DataArray Name=\"Velocity\" type=\"Float64\" NumberOfComponents=\"3\">0.5 1 -2"
        "</DataArray><DataArray Name='id' type='UInt8' format='ascii'>70002</DataArray></PointData><Points><DataArray "
        "type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">2.5 -2 2048"
        "</DataArray></Points></Piece></UnstructuredGrid></VTKFile>";
    expect_three("a.vtu", pieces, sizeof pieces - 1, NO_MATTER);
    // 36 bytes of three positions: UInt32 in front, big-endian; first together, then apart.
    static const char together[] =
        "<VTKFile type=\"PolyData\" byte_order=\"BigEndian\"><PolyData><Piece NumberOfPoints=\"3\"><Points>"
        "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">"
        "AAAAJD8AAAAAAAAAAAAAAD/AAAC/gAAARIAAAEAgAADAAAAARQAAAA=="
        "</DataArray></Points></Piece></PolyData></VTKFile>";
    expect_three("b.vtp", together, sizeof together - 1, NO_MATTER | cou_frameVelocity | cou_frameId);
    static const char apart[] =
        "<VTKFile type=\"PolyData\" byte_order=\"BigEndian\"><PolyData><Piece NumberOfPoints=\"3\"><Points>"
        "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">\n"
        " AAAAJA== PwAAAAAAAAAAAAAAP8AAAL+AAABEgAAAQCAAAMAAAABFAAAA\n"
        "</DataArray></Points></Piece></PolyData></VTKFile>";
    expect_three("c.vtp", apart, sizeof apart - 1, NO_MATTER | cou_frameVelocity | cou_frameId);
    size_t needed = (size_t)(strstr(apart, "\n</DataArray>") - apart);
    for (size_t length = 0; length < needed; ++length) refuse_bytes(scratch("d.vtp"), apart, length, "");
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"NumberOfPoints=\"2\"", "NumberOfPoints=\"900000000\"", "too small for NumberOfPoints"},
        {"NumberOfPoints=\"2\"", "NumberOfPoints=\"1\"", "fewer or more numbers"},
        {"70000 70001", "70000", "fewer or more numbers"},
        {"1.5 -1 1024", "1.5 -1 abc", "fewer or more numbers"},
        {"type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\"", "NumberOfComponents=\"3\"", "type is unknown"},
        {"<Points>", "<P>", "it is missing"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; ++i)
        refuse_edit(scratch("e.vtu"), pieces, sizeof pieces - 1, edits[i].from, edits[i].to, edits[i].reason);
}

// --- Lists of frames ---------------------------------------------------------------------------------------------------------

static void expect_list(const char *name, const char *expected)
{
    couFaults faults = {0};
    couFrameFiles files;
    char text[1024] = "";
    if (!couListFrames(&name, 1, &files, &faults)) fail_msg("%s: %s", name, faults.items[0].message);
    for (int i = 0; i < files.count; ++i)
        sprintf(text + strlen(text), "%d:%s ", files.items[i].number, strrchr(files.items[i].path, '/') + 1);
    assert_string_equal(text, expected);
    couFrameFiles_Clear(&files);
}

static void refuse_list(const char *const *names, int count, const char *where, const char *reason)
{
    couFaults faults = {0};
    couFrameFiles files;
    assert_false(couListFrames(names, count, &files, &faults));
    assert_null(files.items);
    expect_fault(&faults, where, reason);
}

static void test_lists(void **context)
{
    (void)context;
    const char *folder = scratch_folder;
    refuse_list(&folder, 1, folder, "holds no frames");
    write_text(scratch("fluid_2.vtk"), "");
    write_text(scratch("fluid_10.vtk"), "");
    write_text(scratch("notes.txt"), "");
    expect_list(folder, "2:fluid_2.vtk 10:fluid_10.vtk ");
    write_text(scratch("wall_2.vtk"), "");
    refuse_list(&folder, 1, folder, "more than one name");
    expect_list(scratch("fluid_*.vtk"), "2:fluid_2.vtk 10:fluid_10.vtk ");
    write_text(scratch("particles_000002.ply"), "");
    expect_list(folder, "2:particles_000002.ply ");
    write_text(scratch("particles_000003.vtp"), "");
    write_text(scratch("particles_000001.vtp"), "");
    write_text(scratch("particles_000001.vtp.77.tmp"), "");
    write_text(scratch("particles_1.vtp"), "");
    expect_list(folder, "1:particles_000001.vtp 3:particles_000003.vtp ");
    write_text(scratch("particles_000000.vtp"), ""); // the start of the run
    expect_list(folder, "1:particles_000001.vtp 3:particles_000003.vtp ");
    unlink(scratch("particles_000000.vtp"));
    expect_list(scratch("notes.txt"), "1:notes.txt "); // its reader will say what is wrong with it
    const char *same[] = {scratch("fluid_2.vtk"), scratch("wall_2.vtk")};
    refuse_list(same, 2, same[1], "is frame 2, as is");
    const char *missing = scratch("gone_*.vtp"), *gone = scratch("gone.vtp");
    refuse_list(&missing, 1, missing, "no file has such a name");
    refuse_list(&gone, 1, gone, "No such file");
}

static void test_no_frames(void **context)
{
    (void)context;
    static const char *const contents[] = {"",      "hello\n", "<?xml version=\"1.0\"?>\n<VTKFile></VTKFile>\n",
                                           "ply\n", "ply",     "\n_"};
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; ++i)
        for (int j = 0; j < 2; ++j) refuse_bytes(frame_path(extensions[j]), contents[i], strlen(contents[i]), "");
    couFaults faults = {0};
    couFrame frame;
    static const struct {
        const char *path, *reason;
    } cases[] = {{"missing.vtp", "No such file"},
                 {"missing.ply", "No such file"},
                 {"frame.txt", "allowed: .vtp, .vtu, .vtk, .ply and .csv"},
                 {"frame", "allowed"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_false(couReadFrame(cases[i].path, &frame, &faults));
        expect_fault(&faults, cases[i].path, cases[i].reason);
    }
    assert_int_equal(mkdir(scratch("folder.vtp"), 0777), 0);
    assert_int_equal(mkdir(scratch("folder.ply"), 0777), 0);
    for (int j = 0; j < 2; ++j) {
        const char *path = scratch(j == 0 ? "folder.vtp" : "folder.ply");
        assert_false(couReadFrame(path, &frame, &faults));
        expect_fault(&faults, path, "");
    }
}

// Particles come out in the order of their ids, whatever the world's order is.
static void test_capture(void **context)
{
    (void)context;
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    def.spacing = 0.1f;
    couWorld *world = couCreateWorld(&def, &faults);
    expect_no_fault(&faults);
    couMaterialDef water = couDefaultMaterialDef(), honey = couDefaultMaterialDef();
    strcpy(water.name, "water");
    strcpy(honey.name, "honey");
    couMaterialId materials[2] = {couWorld_AddMaterial(world, &water, &faults), couWorld_AddMaterial(world, &honey, &faults)};
    enum { count = 3000 };
    static couVec3 positions[count], velocities[count];
    for (int i = 0; i < count; ++i) { // far apart and in no order of cells
        positions[i] = (couVec3){(float)(i * 7919 % count), (float)(i % 17), (float)(i % 5)};
        velocities[i] = (couVec3){(float)i, 0.0f, -1.0f};
    }
    assert_true(couWorld_AddParticles(world, materials[0], positions, velocities, count / 2, &faults));
    assert_true(couWorld_AddParticles(world, materials[1], positions + count / 2, velocities + count / 2, count / 2, &faults));
    couWorld_Step(world, 0.001f);

    couFrame frame;
    assert_true(couCaptureFrame(world, &frame));
    couParticleView view = couWorld_Particles(world);
    assert_int_equal(frame.count, count);
    assert_true(frame.time == couWorld_Time(world) && frame.time > 0);
    for (size_t i = 1; i < frame.count; ++i) assert_true(frame.id[i - 1] < frame.id[i]);
    for (size_t j = 0; j < view.count; ++j) {
        size_t i = 0;
        while (frame.id[i] != view.id[j]) ++i;
        assert_memory_equal(&frame.position[i], &view.position[j], sizeof(couVec3));
        assert_memory_equal(&frame.velocity[i], &view.velocity[j], sizeof(couVec3));
        assert_true(frame.density[i] == view.density[j]);
        assert_int_equal(frame.material[i], view.material[j]);
        assert_int_equal(frame.material[i], i >= count / 2);
    }
    couFreeFrame(&frame);
    couDestroyWorld(world);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),  TEST(test_odd_numbers), TEST(test_full_disk),    TEST(test_every_truncation),
        TEST(test_every_flip),  TEST(test_hostile_vtp), TEST(test_vtp_bomb),     TEST(test_hostile_ply),
        TEST(test_foreign_ply), TEST(test_ply_forms),   TEST(test_legacy_forms), TEST(test_hostile_legacy),
        TEST(test_xml_forms),   TEST(test_lists),       TEST(test_no_frames),    TEST(test_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
