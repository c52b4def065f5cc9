// JSON files: what is sound is read, what is not gives one fault with line and column.
#include "io_test.h"

#include "files/json.h"

enum { limit = 1 << 16 };

typedef struct Bad {
    const char *text;
    int line;
    const char *reason;
} Bad;

static void expect_bad(const char *text, size_t size, int line, const char *reason)
{
    couFaults faults = {0};
    char where[512];
    write_bytes(scratch("t.json"), text, size);
    assert_null(couReadJson(scratch("t.json"), limit, &faults));
    snprintf(where, sizeof where, "%s:%d", scratch("t.json"), line);
    expect_fault(&faults, where, reason);
}

static void test_unsound(void **state)
{
    (void)state;
    static const Bad bad[] = {
        {"", 1, "'[' or '{' expected near end of file"},
        {"7", 1, "'[' or '{' expected near '7'"},
        {"[1}", 1, "is not sound JSON at column 3: ']' expected near '}'"},
        {"{\"a\": 1]", 1, "'}' expected near ']'"},
        {"{\n  \"a\": [1, 2\n}", 3, "']' expected near '}'"},
        {"[1,]", 1, "unexpected token near ']'"},
        {"[1] x", 1, "end of file expected near 'x'"},
        {"{}\n\n{}", 3, "end of file expected near '{'"},
        {"{\"a\": 1,\n \"a\": 2}", 2, "duplicate object key near '\"a\"'"},
        {"{a: 1}", 1, "string or '}' expected near 'a'"},
        {"{\"a\" 1}", 1, "':' expected near '1'"},
        {"[01]", 1, "invalid token near '0'"},
        {"[NaN]", 1, "invalid token near 'NaN'"},
        {"[\"a", 1, "premature end of input near '\"a'"},
        {"[\"\xff\"]", 1, "unable to decode byte 0xff near '\"'"},
        {"[\"\xed\xa0\x80\"]", 1, "unable to decode byte 0xed near '\"'"}, // half of a surrogate pair
        {"[\"\\ud800\"]", 1, "invalid Unicode '\\uD800'"},
        {"[\"\\u0000\"]", 1, "\\u0000 is not allowed"},
        {"[\"\n\"]", 1, "unexpected newline near '\"'"},
        {"[\x1b]", 1, "invalid token near ' '"}, // nothing that a terminal would obey
        {"[1e999]", 1, "real number overflow near '1e999'"},
        {"[123456789012345678901]", 1, "too big integer"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        expect_bad(bad[i].text, strlen(bad[i].text), bad[i].line, bad[i].reason);
    expect_bad("{}\0 ", 4, 1, "end of file expected near"); // a zero is not the end
}

// A bomb of brackets must not eat the stack.
static void test_depth(void **state)
{
    (void)state;
    couFaults faults = {0};
    static char deep[2 * 4000];
    for (int depth = 2000; depth <= 4000; depth += 2000) {
        memset(deep, '[', (size_t)depth);
        memset(deep + depth, ']', (size_t)depth);
        write_bytes(scratch("t.json"), deep, 2 * (size_t)depth);
        json_t *json = couReadJson(scratch("t.json"), limit, &faults);
        if (depth > 2048)
            expect_bad(deep, 2 * (size_t)depth, 1, "maximum parsing depth reached near '['");
        else
            expect_no_fault(&faults);
        assert_int_equal(json != NULL, depth <= 2048);
        json_decref(json);
        couFaults_Clear(&faults);
    }
}

static void test_files(void **state)
{
    (void)state;
    couFaults faults = {0};
    assert_null(couReadJson(scratch("missing.json"), limit, &faults));
    expect_fault(&faults, scratch("missing.json"), "cannot be read: No such file");
    write_text(scratch("t.json"), "{\"a\": 1}");
    assert_null(couReadJson(scratch("t.json"), 7, &faults));
    expect_fault(&faults, scratch("t.json"), "is too large; allowed: up to 7 bytes");

    // The line survives a path that is longer than a fault can hold.
    char path[300];
    snprintf(path, sizeof path, "%s/%0200d", scratch_folder, 0);
    write_text(path, "[\n1}");
    assert_null(couReadJson(path, limit, &faults));
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].where, "0000:2"));
    couFaults_Clear(&faults);
}

static void test_members(void **state)
{
    (void)state;
    couFaults faults = {0};
    write_text(scratch("t.json"),
               "\t{\"int\": -7, \"real\": 2.5e-3, \"none\": null, \"text\": \"h\\u00e9\\n\\ud83d\\ude00\", \"v\": [1, null, 3],"
               " \"yes\": true, \"short\": [1]}\r\n");
    json_t *json = couReadJson(scratch("t.json"), limit, &faults);
    expect_no_fault(&faults);
    assert_non_null(json);
    assert_true(couJson_Number(json, "int") == -7.0 && couJson_Number(json, "real") == 2.5e-3);
    static const char *const no_numbers[] = {"none", "text", "v", "yes", "missing"};
    for (int i = 0; i < 5; ++i) assert_true(isnan(couJson_Number(json, no_numbers[i])));
    couVec3 v = couJson_Vector(json, "v"), s = couJson_Vector(json, "short"), n = couJson_Vector(json, "int");
    assert_true(v.x == 1.0f && isnan(v.y) && v.z == 3.0f && s.x == 1.0f && isnan(s.y) && isnan(s.z) && isnan(n.x));

    static const char *const cuts[] = {"",
                                       "h",
                                       "h",
                                       "h\xc3\xa9",
                                       "h\xc3\xa9\n",
                                       "h\xc3\xa9\n",
                                       "h\xc3\xa9\n",
                                       "h\xc3\xa9\n",
                                       "h\xc3\xa9\n\xf0\x9f\x98\x80"}; // only whole characters
    for (size_t size = 1; size <= 9; ++size) {
        char text[9];
        couJson_Text(json, "text", text, size);
        assert_string_equal(text, cuts[size - 1]);
    }
    char text[8] = "old";
    couJson_Text(json, "int", text, sizeof text);
    assert_string_equal(text, "");
    couJson_Text(NULL, "text", text, sizeof text);
    assert_true(text[0] == '\0' && isnan(couJson_Number(NULL, "int")) && isnan(couJson_Vector(NULL, "v").x));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsound),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
