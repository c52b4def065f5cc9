// Words as shapes: areas and places of letters, with holes and without, against those of a second way through FreeType's own
// rasters' rules (counting inside tests), and every kind of bad input.
#include "shape_test.h"

#include "coulis/font.h"
#include "io_test.h"

static char font[512];

static int find_font(void **context)
{
    reset(context);
    if (couFindFont("dejavu-sans", font, sizeof font)) return 0;
    print_error("the font dejavu-sans is not installed (Debian package fonts-dejavu-core)\n");
    return -1;
}

static couShape *set_in(const char *path, const char *text, float height, float depth)
{
    couTextDef def = couDefaultTextDef();
    def.text = text, def.font = path, def.height = height, def.depth = depth;
    couFaults faults = {0};
    couShape *shape = couCreateTextShape(&def, &faults);
    for (int i = 0; i < faults.count; ++i) print_error("%s: %s\n", faults.items[i].key, faults.items[i].message);
    assert_non_null(shape);
    assert_int_equal(faults.count, 0);
    return shape;
}

static couShape *set(const char *text, float height) { return set_in(font, text, height, 0.5f * height); }

static double area_of(const couShape *shape)
{
    couMassProperties mass;
    assert_true(couShape_Mass(shape, 2, &mass));
    return mass.volume;
}

// Inside tests on a lattice: share nothing with the sums over outlines but the points.
static double counted_area(const couShape *shape)
{
    couBounds b;
    assert_true(couShape_Bounds(shape, 2, &b));
    double step = 1e-3 * (double)(b.upper.y - b.lower.y), area = 0;
    for (double y = b.lower.y + step / 2; y < b.upper.y; y += step)
        for (double x = b.lower.x + step / 2; x < b.upper.x; x += step)
            area += couShape_Distance(shape, 2, (couVec3){(float)x, (float)y, 0}) < 0 ? step * step : 0;
    return area;
}

// A capital H is as high as asked for, and its area that of three bars: DejaVu Sans has it in 1493 units of height, with stems of
// 202 and a bar of 170 units, 1134 between the outer edges.
static void test_capital_height(void **context)
{
    (void)context;
    couShape *shape = set("H", 0.3f);
    couBounds b;
    assert_true(couShape_Bounds(shape, 3, &b));
    CHECK(fabs((double)b.upper.y - b.lower.y - 0.3) < 1e-5, "it is %g high", (double)(b.upper.y - b.lower.y));
    CHECK(fabs((double)b.upper.z - b.lower.z - 0.15) < 1e-5, "it is %g deep", (double)(b.upper.z - b.lower.z));
    CHECK(fabsf(b.upper.x + b.lower.x) < 1e-6f && fabsf(b.upper.y + b.lower.y) < 1e-6f, "it is not in the middle");
    assert_int_equal(couShape_Def(shape)->point_count, 12);
    double unit = 0.3 / 1493, width = ((double)b.upper.x - b.lower.x) / unit;
    double expected = (2 * 202 * 1493 + (width - 404) * 170) * unit * unit;
    CHECK(fabs(area_of(shape) / expected - 1) < 1e-3, "area %g, expected %g", area_of(shape), expected);
    couShape_Release(shape);
}

// An o is a ring, an 8 has two holes: the points in the middle of them are free, and the area is what inside tests count.
static void test_letters_have_holes(void **context)
{
    (void)context;
    const struct {
        const char *text;
        int outlines;
    } cases[] = {{"o", 2}, {"8", 3}, {"i", 2}, {"B", 3}, {"%", 5}, {"AV", 3}, {"C", 1}, {"\xc3\xb6", 4}};
    for (int i = 0; i < COU_COUNT(cases); ++i) {
        couShape *shape = set(cases[i].text, 1);
        assert_int_equal(couShape_Kind(shape), cou_shapePolygon);
        CHECK(couShape_Def(shape)->outline_count == cases[i].outlines, "'%s' has %d outlines", cases[i].text,
              couShape_Def(shape)->outline_count);
        double area = area_of(shape), counted = counted_area(shape);
        CHECK(fabs(area / counted - 1) < 2e-3, "'%s': area %g, counted %g", cases[i].text, area, counted);
        CHECK(fabs((double)couShape_FaceArea(shape, 3) / area - 1) < 1e-5, "'%s': its face", cases[i].text);
        couShape_Release(shape);
    }
    couShape *ring = set("o", 1), *eight = set("8", 1);
    assert_true(couShape_Distance(ring, 3, (couVec3){0, 0, 0}) > 0.1f);
    assert_true(couShape_Distance(eight, 2, (couVec3){0, 0.22f, 0}) > 0.0f);
    assert_true(couShape_Distance(eight, 2, (couVec3){0, -0.22f, 0}) > 0.0f);
    assert_true(couShape_Distance(eight, 2, (couVec3){0, 0.04f, 0}) < 0.0f);
    couShape_Release(ring);
    couShape_Release(eight);
}

// Finer chords change the outline by no more than the tolerances allow.
static void test_tolerance(void **context)
{
    (void)context;
    couTextDef def = couDefaultTextDef();
    def.text = "S&8", def.font = font, def.height = 1;
    couShape *shapes[2];
    for (int i = 0; i < 2; ++i) {
        def.tolerance = i == 0 ? 0.01f : 1e-4f;
        shapes[i] = couCreateTextShape(&def, NULL);
        assert_non_null(shapes[i]);
    }
    const couShapeDef *coarse = couShape_Def(shapes[0]), *fine = couShape_Def(shapes[1]);
    assert_true(coarse->point_count < fine->point_count / 2);
    for (int i = 0; i < fine->point_count; ++i) {
        float off = fabsf(couShape_Distance(shapes[0], 2, fine->points[i]));
        CHECK(off < 0.0102f, "a point is %g off", (double)off); // the middles of the bounds differ a little too
    }
    couShape_Release(shapes[0]);
    couShape_Release(shapes[1]);
}

// Two lines, centred; a line that is empty; spaces.
static void test_lines(void **context)
{
    (void)context;
    couShape *one = set("HH", 1), *two = set("HH\nH", 1), *apart = set("H H", 1);
    couBounds a, b, c;
    couShape_Bounds(one, 2, &a), couShape_Bounds(two, 2, &b), couShape_Bounds(apart, 2, &c);
    assert_true(b.upper.y - b.lower.y > 2.2f && b.upper.y - b.lower.y < 3.0f);
    CHECK(fabsf(b.upper.x - a.upper.x) < 1e-4f, "widths differ");
    assert_true(couShape_Distance(two, 2, (couVec3){0, b.lower.y + 0.5f, 0}) < 0); // the bar of the lower H
    assert_true(c.upper.x > a.upper.x + 0.1f);
    CHECK(fabs(area_of(two) / area_of(one) - 1.5) < 1e-4 && fabs(area_of(apart) / area_of(one) - 1) < 1e-4, "areas");
    couShape_Release(one);
    couShape_Release(two);
    couShape_Release(apart);
}

// A small font of our own: an o is a ring of 500 and 300 units, of parabolas, that leave 5/6 of their squares [Archimedes];
// p is two of them that overlap, and so a union.
static void test_overlapping_letters(void **context)
{
    (void)context;
    const char *own_font = COU_SOURCE_DIR "/fuzz/corpus/font/letters.ttf";
    couShape *ring = set_in(own_font, "o", 0.7f, 0.1f), *two = set_in(own_font, "p", 0.7f, 0.1f);
    double expected = 5.0 / 6.0 * (0.25 - 0.09), got = area_of(ring);
    CHECK(got < expected && got > 0.992 * expected, "the ring has %g, expected %g", got, expected);
    assert_int_equal(couShape_Kind(two), cou_shapeUnion);
    assert_int_equal(couShape_Def(two)->child_count, 2);
    double both = area_of(two), counted = counted_area(two);
    CHECK(both < 2 * got && both > 1.2 * got && fabs(both / counted - 1) < 5e-3, "two have %g, counted %g", both, counted);
    couShape_Release(ring);
    couShape_Release(two);
}

// --- Faults ------------------------------------------------------------------------------------------------------------------

static void refuse(couTextDef def, const char *key, const char *part)
{
    couFaults faults = {0};
    assert_null(couCreateTextShape(&def, &faults));
    CHECK(faults.count == 1, "%d faults, of %s", faults.count, key);
    CHECK(strcmp(faults.items[0].key, key) == 0, "key '%s', expected '%s'", faults.items[0].key, key);
    CHECK(strstr(faults.items[0].message, part) != NULL, "'%s' lacks '%s'", faults.items[0].message, part);
    couFaults_Clear(&faults);
}

static void test_faults(void **context)
{
    (void)context;
    couTextDef good = couDefaultTextDef(), def;
    good.text = "Hi", good.font = font, good.height = 1;
#define EXPECT(field, value, key, part) (def = good, def.field = (value), refuse(def, key, part))
    EXPECT(text, "", "text.text", "is empty");
    EXPECT(text, NULL, "text.text", "is empty");
    EXPECT(text, "a\xff", "text.text", "character 2 is not UTF-8");
    EXPECT(text, "a\xc3", "text.text", "character 2 is not UTF-8");
    EXPECT(text, "a\xed\xa0\x80", "text.text", "character 2 is not UTF-8");
    EXPECT(text, "ab\tc", "text.text", "control character");
    EXPECT(text, " ", "text.font", "nothing of the text can be seen");
    EXPECT(text, "\xe6\xbc\xa2", "text.font", "no letter U+6F22");
    EXPECT(height, 0, "text.height", "must be from");
    EXPECT(height, NAN, "text.height", "must be from");
    EXPECT(depth, -1, "text.depth", "-1 m must be");
    EXPECT(tolerance, INFINITY, "text.tolerance", "must be from");
    EXPECT(font, NULL, "text.font", "is missing");
    EXPECT(font, "/nowhere/a.ttf", "text.font", "No such file");
    EXPECT(font, "/tmp", "text.font", "is no file");
    char many[600];
    memset(many, 'o', sizeof many);
    many[300] = '\0';
    EXPECT(text, many, "text.text", "more than 256 characters");
    many[256] = '\0';
    EXPECT(text, many, "text.font", "more than 4096 points");
    char path[512] = "";
    assert_false(couFindFont("no-such-font", path, sizeof path));
}

// A font cut off at any length, or with bytes changed, is read or a fault; never a crash.
static void test_damaged_fonts(void **context)
{
    (void)context;
    FILE *stream = fopen(font, "rb");
    static unsigned char bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    const char *path = scratch("damaged.ttf");
    couTextDef def = couDefaultTextDef();
    def.text = "8&", def.font = path, def.height = 1;
    int bad = 0;
    for (int i = 0; i < 40; ++i) {
        static unsigned char copy[1 << 20];
        memcpy(copy, bytes, size);
        size_t kept = i < 10 ? size * (size_t)i / 10 : size;
        for (int k = 0; i >= 10 && k < 200; ++k)
            copy[(size_t)uniform(0, (double)(i < 25 ? 2000 : size))] = (unsigned char)uniform(0, 256);
        stream = fopen(path, "wb");
        fwrite(copy, 1, kept, stream);
        fclose(stream);
        couFaults faults = {0};
        couShape *shape = couCreateTextShape(&def, &faults);
        CHECK((shape != NULL) == (faults.count == 0), "font %d: a shape or a fault", i);
        bad += !shape;
        couShape_Release(shape);
        couFaults_Clear(&faults);
    }
    CHECK(bad >= 9, "only %d of 40 damaged fonts are refused", bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_capital_height, find_font),
        cmocka_unit_test_setup(test_letters_have_holes, find_font),
        cmocka_unit_test_setup(test_tolerance, find_font),
        cmocka_unit_test_setup(test_lines, find_font),
        cmocka_unit_test_setup(test_faults, find_font),
        cmocka_unit_test_setup(test_damaged_fonts, find_font),
        cmocka_unit_test_setup(test_overlapping_letters, find_font),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
