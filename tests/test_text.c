// Numbers and texts in files: the fast way to print a float must say what printf says.
#include "io_test.h"

#include "files/text.h"

static void expect_float(float value)
{
    char fast[cou_floatTextSize], slow[40];
    int length = couFormatFloat(fast, value);
    for (int digits = 6; digits <= 9; ++digits) {
        snprintf(slow, sizeof slow, "%.*g", digits, (double)value);
        if (strtof(slow, NULL) == value) break;
    }
    if (strtof(fast, NULL) != value && value == value) fail_msg("%s does not give %.9g back", fast, (double)value);
    // A decimal right between two floats leads back by the rule for ties alone, on which we do not rely.
    double gap = fabs(strtod(slow, NULL) - (double)value);
    bool is_tie = gap == 0.5 * fabs((double)nextafterf(value, INFINITY) - (double)value);
    if (strcmp(fast, slow) != 0 && !is_tie) fail_msg("expected %s, got %s", slow, fast);
    assert_int_equal(length, strlen(fast));
}

static void test_floats(void **context)
{
    (void)context;
    static const float special[] = {
        0.0f,       -0.0f,     1.0f,        0.1f,          1e-5f,           1e-4f,         99999.5f, 999999.5f, 1e6f,
        1e9f,       1e10f,     16777216.0f, 3.4028235e38f, 1.17549435e-38f, 1e-45f,        INFINITY, -INFINITY, 0.333333343f,
        9.99999e5f, 123456.0f, 1234567.0f,  12345678.0f,   0.000123456789f, 9.9999997e-5f, -2.5f,    100.0f,    1e22f};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; ++i) expect_float(special[i]);
    uint32_t bits = 12345;
    for (int i = 0; i < 2000000; ++i) { // every exponent alike
        bits = bits * 1664525u + 1013904223u;
        float value;
        uint32_t scrambled = bits ^ bits >> 16;
        memcpy(&value, &scrambled, 4);
        if (isfinite(value)) expect_float(value);
    }
    for (int i = -3000; i < 3000; ++i) expect_float((float)i / 1000.0f);
}

static void test_colors(void **context)
{
    (void)context;
    for (int i = 0; i < 256; ++i) assert_int_equal(couToDisplay(couFromDisplay((uint8_t)i)), i);
    assert_int_equal(couToDisplay(0.5f), 188); // IEC 61966-2-1
    assert_int_equal(couToDisplay(NAN), 0);
    assert_int_equal(couToDisplay(-1.0f), 0);
    assert_int_equal(couToDisplay(7.0f), 255);
}

static void test_json(void **context)
{
    (void)context;
    FILE *stream = fopen(scratch("t"), "w");
    couPrintJsonText(stream, "a\"\\\n\x01\xc3\xa9\xff");
    couPrintJsonNumber(stream, NAN);
    couPrintJsonNumber(stream, 0.1);
    fclose(stream);
    expect_text(scratch("t"), "\"a\\\"\\\\\\n\\u0001\xc3\xa9\\ufffd\"null0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_colors),
        cmocka_unit_test_setup_teardown(test_json, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
