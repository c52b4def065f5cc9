// Small files that would become huge: sizes are checked against what the header promises, and against a limit.
#include "io_test.h"

#include "base/base.h"
#include "coulis/frames.h"

#include <zlib.h>

enum { BLOCK = 1 << 20 };

// A .vtp whose arrays share one piece of appended data: `blocks` times a megabyte of zeros.
static void write_vtp(const char *path, uint32_t blocks, int arrays, uint64_t points)
{
    unsigned char *zeros = couAlloc(NULL, BLOCK), *packed = couAlloc(NULL, BLOCK);
    assert_true(zeros && packed);
    uLongf size = BLOCK;
    assert_int_equal(compress2(packed, &size, zeros, BLOCK, 9), Z_OK);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file,
            "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt32\" "
            "compressor=\"vtkZLibDataCompressor\">\n<PolyData><Piece NumberOfPoints=\"%llu\">\n",
            (unsigned long long)points);
    static const char *const names[] = {"velocity", "vel", "v", "U"};
    fprintf(file, "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points>\n");
    fprintf(file, "<PointData>\n");
    for (int i = 0; i + 1 < arrays; ++i)
        fprintf(file, "<DataArray type=\"Float32\" Name=\"%s\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>\n",
                names[i]);
    fprintf(file, "</PointData></Piece></PolyData><AppendedData encoding=\"raw\">_");
    uint32_t head[3] = {blocks, BLOCK, 0}, block = (uint32_t)size;
    fwrite(head, sizeof head, 1, file);
    for (uint32_t i = 0; i < blocks; ++i) fwrite(&block, sizeof block, 1, file);
    for (uint32_t i = 0; i < blocks; ++i) fwrite(packed, 1, size, file);
    fprintf(file, "</AppendedData></VTKFile>\n");
    fclose(file);
    couFree(NULL, zeros);
    couFree(NULL, packed);
}

static void test_packed_zeros(void **context)
{
    (void)context;
    couFrame frame;
    couFaults faults = {0};
    // 50 MB in all are fine: particles at rest in one place.
    write_vtp(scratch("small.vtp"), 12, 4, 12ull * BLOCK / 12);
    assert_true(couReadFrame(scratch("small.vtp"), &frame, &faults));
    assert_int_equal(frame.count, BLOCK);
    couFreeFrame(&frame);
    // 740 kB that claim 63 million particles, and would take 3.7 GB.
    write_vtp(scratch("large.vtp"), 720, 5, 720ull * BLOCK / 12);
    assert_false(couReadFrame(scratch("large.vtp"), &frame, &faults));
    expect_fault(&faults, scratch("large.vtp"), "which is too much for a file of");
    // One array alone.
    write_vtp(scratch("large.vtp"), 720, 1, 720ull * BLOCK / 12);
    assert_false(couReadFrame(scratch("large.vtp"), &frame, &faults));
    expect_fault(&faults, scratch("large.vtp"), "which is too much for a file of");
    // The header promises less, or more, than there is.
    for (uint64_t points = 12ull * BLOCK / 12 - 1; points <= 12ull * BLOCK / 12 + 1; points += 2) {
        write_vtp(scratch("other.vtp"), 12, 1, points);
        assert_false(couReadFrame(scratch("other.vtp"), &frame, &faults));
        expect_fault(&faults, scratch("other.vtp"), "its size does not match NumberOfPoints");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_packed_zeros, make_scratch, remove_scratch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
