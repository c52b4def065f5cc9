// Parameter tables: defaults, ranges, text, suggestions. Nothing that is out of range, not a number or of the wrong kind gets
// into a def.
#include "testing.h"

typedef struct Def {
    float length;
    float rate;
    int count;
    bool is_on;
    couVec3 place;
    int kind;
    char name[COU_NAME_SIZE];
    double time;
} Def;

static const char *const kinds[] = {"none", "plastic", "frozen", NULL};
static const couParam params[] = {
    COU_NUMBER(Def, length, "m", .initial = {0.5}, .min = 0, .is_min_open = true, .max = 10),
    COU_NUMBER(Def, rate, "1/s", .initial = {NAN}, .is_auto = true, .min = 0, .max = 100),
    COU_INTEGER(Def, count, "", .initial = {7}, .min = 1, .max = 1000),
    COU_FLAG(Def, is_on, .initial = {true}),
    COU_VECTOR(Def, place, "m", .initial = {1, 2, 3}, .min = -5, .max = 5),
    COU_CHOICE(Def, kind, kinds, .initial = {2}),
    COU_NAME(Def, name, .help = ""),
    COU_PRECISE(Def, time, "s", .initial = {0.1}, .min = 0, .is_min_open = true, .max = 1e6),
};
static const couParamTable table = {"thing", params, COU_COUNT(params)};

static Def defaults(void)
{
    Def def;
    memset(&def, 0, sizeof def);
    couParams_SetDefaults(&table, &def);
    return def;
}

static void test_defaults(void **context)
{
    (void)context;
    Def def = defaults();
    CHECK_NEAR(def.length, 0.5, 0, 0);
    assert_true(isnan(def.rate));
    assert_int_equal(def.count, 7);
    assert_true(def.is_on);
    CHECK_NEAR(def.place.x, 1, 0, 0);
    CHECK_NEAR(def.place.y, 2, 0, 0);
    CHECK_NEAR(def.place.z, 3, 0, 0);
    assert_int_equal(def.kind, 2);
    couFaults faults = {0};
    assert_true(couParams_Check(&table, &def, &faults));
    CHECK_NO_FAULTS(&faults);
}

static void test_check_names_every_fault(void **context)
{
    (void)context;
    Def def = defaults();
    couFaults faults = {0};
    def.length = 0.0f; // its minimum is open
    assert_false(couParams_Check(&table, &def, &faults));
    CHECK_FAULT(&faults, "thing.length", "0 [m]; it must be a number > 0 and <= 10");
    def.length = NAN; // only `rate` may be automatic
    assert_false(couParams_Check(&table, &def, &faults));
    CHECK_FAULT(&faults, "thing.length", "nan");
    def.length = 10.0f; // the end of a closed range is allowed
    def.rate = 0.0f;
    assert_true(couParams_Check(&table, &def, &faults));
    def.place.z = INFINITY;
    assert_false(couParams_Check(&table, &def, &faults));
    CHECK_FAULT(&faults, "thing.place", "inf");
    def.length = -1, def.rate = -1, def.count = 0, def.place.y = 6, def.kind = 3;
    assert_false(couParams_Check(&table, &def, &faults));
    assert_int_equal(faults.count, 5);
    couFaults_Clear(&faults);
}

// Sets from text and says whether it was taken; a refusal adds one fault and leaves the def alone.
static bool takes(const char *name, const char *text, Def *def)
{
    couFaults faults = {0};
    const couParam *param = couParams_Find(&table, name);
    assert_non_null(param);
    Def before;
    memcpy(&before, def, sizeof before);
    bool is_taken = couParam_SetText(param, "thing", def, text, "scene.lua:3", &faults);
    if (faults.count != (is_taken ? 0 : 1)) fail_msg("%s = %s: %d faults", name, text, faults.count);
    if (!is_taken) {
        assert_memory_equal(&before, def, sizeof before);
        assert_string_equal(faults.items[0].where, "scene.lua:3");
        assert_non_null(strstr(faults.items[0].key, name));
    }
    couFaults_Clear(&faults);
    return is_taken;
}

static void test_text(void **context)
{
    (void)context;
    Def def = defaults();
    assert_true(takes("length", "2.5", &def));
    CHECK_NEAR(def.length, 2.5, 0, 0);
    assert_true(takes("length", "1e-3", &def));
    assert_true(takes("rate", "4", &def));
    assert_true(takes("rate", "auto", &def));
    assert_true(isnan(def.rate));
    assert_true(takes("count", "12", &def));
    assert_true(takes("is_on", "false", &def));
    assert_false(def.is_on);
    assert_true(takes("place", "-1, 2.5,3", &def));
    CHECK_NEAR(def.place.x, -1, 0, 0);
    CHECK_NEAR(def.place.y, 2.5, 0, 0);
    assert_true(takes("kind", "plastic", &def));
    assert_int_equal(def.kind, 1);
    assert_true(takes("name", "honey", &def));
    assert_string_equal(def.name, "honey");

    static const char *const refused[][2] = {
        {"length", "0"},      {"length", "-1"},
        {"length", "10.1"},   {"length", "nan"},
        {"length", "inf"},    {"length", "1e400"},
        {"length", "auto"},   {"length", ""},
        {"length", "two"},    {"length", "1m"},
        {"length", "1, 2"},   {"rate", "nan"},
        {"rate", "Auto"},     {"count", "1.5"},
        {"count", "0"},       {"count", "1e12"},
        {"is_on", "1"},       {"is_on", "yes"},
        {"place", "1, 2"},    {"place", "1 2 3 4"},
        {"place", "1, 2, x"}, {"place", "1,2,9"},
        {"place", "1,nan,2"}, {"kind", "Plastic"},
        {"kind", "1"},        {"kind", ""},
        {"name", ""},         {"name", "a name that is longer than thirty-one characters"},
    };
    for (int k = 0; k < COU_COUNT(refused); ++k)
        if (takes(refused[k][0], refused[k][1], &def)) fail_msg("%s took '%s'", refused[k][0], refused[k][1]);
}

static void test_numbers(void **context)
{
    (void)context;
    Def def = defaults();
    couFaults faults = {0};
    const couParam *length = couParams_Find(&table, "length"), *place = couParams_Find(&table, "place");
    const couParam *kind = couParams_Find(&table, "kind"), *is_on = couParams_Find(&table, "is_on");
    assert_true(couParam_SetNumbers(length, "thing", &def, (double[]){3}, 1, NULL, &faults));
    CHECK_NEAR(def.length, 3, 0, 0);
    assert_true(couParam_SetNumbers(place, "thing", &def, (double[]){3, 4, 5}, 3, NULL, &faults));
    double back[3];
    assert_int_equal(couParam_GetNumbers(place, &def, back), 3);
    CHECK_NEAR(back[2], 5, 0, 0);
    assert_true(couParam_SetNumbers(kind, "thing", &def, (double[]){1}, 1, NULL, &faults));
    assert_true(couParam_SetNumbers(is_on, "thing", &def, (double[]){0}, 1, NULL, &faults));
    CHECK_NO_FAULTS(&faults);

    assert_false(couParam_SetNumbers(length, "thing", &def, (double[]){1, 2, 3}, 3, NULL, &faults));
    assert_false(couParam_SetNumbers(length, "thing", &def, (double[]){NAN}, 1, NULL, &faults));
    assert_false(couParam_SetNumbers(couParams_Find(&table, "rate"), "thing", &def, (double[]){NAN}, 1, NULL, &faults));
    assert_false(couParam_SetNumbers(place, "thing", &def, (double[]){1}, 1, NULL, &faults));
    assert_false(couParam_SetNumbers(kind, "thing", &def, (double[]){3}, 1, NULL, &faults));
    assert_false(couParam_SetNumbers(kind, "thing", &def, (double[]){-1}, 1, NULL, &faults));
    assert_false(couParam_SetNumbers(kind, "thing", &def, (double[]){0.5}, 1, NULL, &faults));
    assert_false(couParam_SetNumbers(is_on, "thing", &def, (double[]){2}, 1, NULL, &faults));
    assert_int_equal(faults.count, 8);
    couFaults_Clear(&faults);
    CHECK_NEAR(def.length, 3, 0, 0);
}

// A precise number keeps all of its decimals, through numbers and text; a float of 1.2 would be 1.20000005.
static void test_precise_numbers(void **context)
{
    (void)context;
    Def def = defaults();
    const couParam *time = couParams_Find(&table, "time");
    couFaults faults = {0};
    char text[64];
    assert_true(def.time == 0.1);
    assert_true(couParam_SetText(time, "thing", &def, "1.2", NULL, &faults));
    assert_true(def.time == 1.2);
    assert_true(couParam_SetNumbers(time, "thing", &def, (double[]){12345.6789012}, 1, NULL, &faults));
    double value[3];
    assert_int_equal(couParam_GetNumbers(time, &def, value), 1);
    assert_true(value[0] == 12345.6789012);
    couParam_FormatValue(time, &def, text, sizeof text);
    assert_string_equal(text, "12345.6789012");
    assert_int_equal(couParam_Size(time), sizeof(double));
    CHECK_NO_FAULTS(&faults);
    assert_false(couParam_SetText(time, "thing", &def, "0", NULL, &faults));
    CHECK_FAULT(&faults, "thing.time", "0 [s]; it must be a number > 0 and <= 1000000");
    assert_true(def.time == 12345.6789012);
}

// What is stored must be in range, also after rounding to float: 1e-50 m is no length > 0.
static void test_rounding_stays_in_range(void **context)
{
    (void)context;
    Def def = defaults();
    couFaults faults = {0};
    bool is_taken = couParam_SetNumbers(couParams_Find(&table, "length"), "thing", &def, (double[]){1e-50}, 1, NULL, &faults);
    if (is_taken) CHECK_RANGE(def.length, 1e-45, 10, 0);
    assert_int_equal(faults.count, is_taken ? 0 : 1);
    couFaults_Clear(&faults);
    assert_true(couParams_Check(&table, &def, &faults));
    couFaults_Clear(&faults);
}

static void test_suggestions(void **context)
{
    (void)context;
    assert_string_equal(couParams_Suggest(&table, "lenght"), "length");
    assert_string_equal(couParams_Suggest(&table, "Length"), "length");
    assert_string_equal(couParams_Suggest(&table, "plac"), "place");
    assert_null(couParams_Suggest(&table, "viscosity"));
    assert_null(couParams_Suggest(&table, ""));
    assert_string_equal(couParams_Suggest(couMaterialParams(), "viscosty"), "viscosity");
    assert_string_equal(couParams_Suggest(couMaterialParams(), "shear_modulis"), "shear_modulus");
    static const char *const names[] = {"water", "honey", "syrup"};
    assert_string_equal(couSuggest(names, 3, "hony"), "honey");
    assert_null(couSuggest(names, 3, "granite"));
    char monster[5000];
    memset(monster, 'x', sizeof monster - 1);
    monster[sizeof monster - 1] = 0;
    (void)couParams_Suggest(&table, monster); // whatever it says, it says it without reading past the end
    assert_null(couParams_Find(&table, monster));
}

static void test_words(void **context)
{
    (void)context;
    char text[160];
    couParam_FormatRange(couParams_Find(&table, "count"), text, sizeof text);
    assert_string_equal(text, "a whole number from 1 to 1000");
    couParam_FormatRange(couParams_Find(&table, "kind"), text, sizeof text);
    assert_string_equal(text, "none, plastic, frozen");
    couParam_FormatDefault(couParams_Find(&table, "rate"), text, sizeof text);
    assert_string_equal(text, "auto");
    couParam_FormatDefault(couParams_Find(&table, "place"), text, sizeof text);
    assert_string_equal(text, "1, 2, 3");
    couParam_FormatDefault(couParams_Find(&table, "kind"), text, sizeof text);
    assert_string_equal(text, "frozen");
    char small[6]; // too small: cut, not overrun
    couParam_FormatRange(couParams_Find(&table, "kind"), small, sizeof small);
    assert_int_equal(strlen(small), 5);
}

static void test_set_by_name(void **context)
{
    (void)context;
    Def def = defaults();
    couFaults faults = {0};
    assert_true(couParams_SetByName(&table, &def, "length", "2", "scene.lua:3", &faults));
    assert_true(couParams_SetByName(&table, &def, "kind", "plastic", "scene.lua:3", &faults));
    CHECK_NO_FAULTS(&faults);
    CHECK_NEAR(def.length, 2, 0, 0);
    assert_int_equal(def.kind, 1);

    Def before;
    memcpy(&before, &def, sizeof before);
    assert_false(couParams_SetByName(&table, &def, "length", "11", "scene.lua:4", &faults));
    CHECK_FAULT(&faults, "thing.length", "11 [m]; it must be a number > 0 and <= 10");
    assert_false(couParams_SetByName(&table, &def, "lenght", "2", "scene.lua:5", &faults));
    assert_string_equal(faults.items[0].where, "scene.lua:5");
    assert_string_equal(faults.items[0].message, "unknown key 'lenght': did you mean 'length'?");
    CHECK_FAULT(&faults, "thing.lenght", "did you mean");
    assert_false(couParams_SetByName(&table, &def, "granite", "2", NULL, &faults));
    assert_string_equal(faults.items[0].message, "unknown key 'granite'");
    couFaults_Clear(&faults);
    char monster[5000];
    memset(monster, 'x', sizeof monster - 1);
    monster[sizeof monster - 1] = 0;
    assert_false(couParams_SetByName(&table, &def, monster, "2", NULL, &faults));
    couFaults_Clear(&faults);
    assert_memory_equal(&before, &def, sizeof before);
}

// A row under another name, as an option of a command line: faults speak of the option.
static void test_option(void **context)
{
    (void)context;
    Def def = defaults();
    couFaults faults = {0};
    couParam option = *couParams_Find(&table, "length");
    option.name = "--length";
    option.help = "of the thing";
    assert_false(couParam_SetText(&option, NULL, &def, "0", "coulis measure", &faults));
    CHECK_FAULT(&faults, "--length", "--length is 0 [m]; it must be a number > 0 and <= 10");
    assert_true(couParam_SetText(&option, NULL, &def, "3", "coulis measure", &faults));
    char text[200];
    couParam_FormatHelp(&option, &def, text, sizeof text);
    assert_string_equal(text, "of the thing [m] (default 3)");

    option = *couParams_Find(&table, "kind"), option.help = "what it is";
    couParam_FormatHelp(&option, &def, text, sizeof text);
    assert_string_equal(text, "what it is (none, plastic, frozen; default frozen)");
    option = *couParams_Find(&table, "rate"), option.help = "of growth";
    couParam_FormatHelp(&option, &def, text, sizeof text);
    assert_string_equal(text, "of growth [1/s] (default auto)");
    option = *couParams_Find(&table, "is_on"), option.help = "it runs";
    couParam_FormatHelp(&option, &def, text, sizeof text);
    assert_string_equal(text, "it runs (default true)");
    def.is_on = false;
    couParam_FormatHelp(&option, &def, text, sizeof text);
    assert_string_equal(text, "it runs");
    char small[8]; // too small: cut, not overrun
    couParam_FormatHelp(&option, &def, small, sizeof small);
    assert_string_equal(small, "it runs");
}

// The text of a value sets the same value again.
static void test_value_text(void **context)
{
    (void)context;
    Def def = defaults(), copy;
    snprintf(def.name, sizeof def.name, "honey");
    def.place = (couVec3){-1.5f, 0.25f, 4};
    memset(&copy, 0, sizeof copy);
    couFaults faults = {0};
    for (int p = 0; p < table.count; ++p) {
        char text[96];
        couParam_FormatValue(&params[p], &def, text, sizeof text);
        assert_true(couParams_SetByName(&table, &copy, params[p].name, text, NULL, &faults));
    }
    CHECK_NO_FAULTS(&faults);
    size_t used = 0;
    for (int p = 0; p < table.count; ++p) {
        const char *a = (const char *)&def + params[p].offset, *b = (const char *)&copy + params[p].offset;
        if (strcmp(params[p].name, "rate") != 0) assert_memory_equal(a, b, couParam_Size(&params[p]));
        used += couParam_Size(&params[p]);
    }
    assert_true(isnan(copy.rate));
    CHECK_RANGE(used, sizeof(Def) - 3, sizeof(Def), 0); // all of it, besides the gap behind a bool
}

// The tables of the library: every default lies in its own range and says what it is.
static void test_library_tables(void **context)
{
    (void)context;
    const couParamTable *tables[] = {couWorldParams(),   couMaterialParams(),     couFluidParams(),       couBodyParams(),
                                     couEmitterParams(), couSinkParams(),         couFieldParams(),       couJointParams(),
                                     couLookParams(),    couMethodParams("pvfs"), couMethodParams("sph"), couBlowerParams()};
    char buffer[4096];
    for (int t = 0; t < COU_COUNT(tables); ++t) {
        couFaults faults = {0};
        memset(buffer, 0, sizeof buffer);
        couParams_SetDefaults(tables[t], buffer);
        bool is_good = couParams_Check(tables[t], buffer, &faults);
        CHECK_NO_FAULTS(&faults);
        assert_true(is_good);
        for (int p = 0; p < tables[t]->count; ++p) {
            const couParam *param = &tables[t]->params[p];
            assert_true(strlen(param->help) > 4);
            assert_ptr_equal(couParams_Find(tables[t], param->name), param); // no name twice
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_check_names_every_fault),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_precise_numbers),
        cmocka_unit_test(test_rounding_stays_in_range),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_library_tables),
        cmocka_unit_test(test_set_by_name),
        cmocka_unit_test(test_option),
        cmocka_unit_test(test_value_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
