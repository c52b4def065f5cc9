// Looks: what is automatic, what a hostile one becomes, and that defs describe theirs alike.
#include "testing.h"

static void test_automatic(void **context)
{
    (void)context;
    couMaterialDef material = couDefaultMaterialDef();
    couBodyDef body = couDefaultBodyDef();
    CHECK_NEAR(couLook_Resolve(material.look, cou_matterFluid).roughness, 0.3, 1e-7, 0);
    CHECK_NEAR(couLook_Resolve(body.look, cou_matterBody).roughness, 0.4, 1e-7, 0);
    CHECK_NEAR(material.look.refraction, 1.33, 1e-6, 0);
    CHECK_NEAR(body.look.refraction, 1.5, 0, 0);

    // Clear matter: a mirror that takes its colour on 2 cm / opacity.
    couLook clear = couLook_Resolve(couMakeLook((couVec3){0.25f, 0.5f, 1}, 0.4f), cou_matterBody);
    CHECK_NEAR(clear.roughness, 0, 0, 0);
    float way = 0.02f / 0.4f;
    CHECK_NEAR(expf(-clear.absorption.x * way), 0.25, 1e-6, 0);
    CHECK_NEAR(expf(-clear.absorption.y * way), 0.5, 1e-6, 0);
    CHECK_NEAR(clear.absorption.z, 0, 0, 0);

    // What is given stays.
    couLook given = {{0.1f, 0.2f, 0.3f}, 0.5f, {1, 2, 3}, 40, 1.4f, 0.2f, 0.6f};
    couLook same = couLook_Resolve(given, cou_matterFluid);
    assert_memory_equal(&same, &given, sizeof given);
}

// Every look that is resolved is a good def, whatever it was.
static void test_hostile(void **context)
{
    (void)context;
    static const float values[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e30f};
    for (int k = 0; k < COU_COUNT(values); ++k) {
        float x = values[k];
        couLook look = couLook_Resolve((couLook){{x, x, x}, x, {x, x, x}, x, x, x, x}, cou_matterFluid);
        couFaults faults = {0};
        bool is_good = couParams_Check(couLookParams(), &look, &faults);
        CHECK_NO_FAULTS(&faults);
        assert_true(is_good);
        assert_false(isnan(look.roughness) || isnan(look.absorption.x));
    }
}

// A def's look ends its table, with the rows of the look's own table in their order, at their places in the def.
static void check_rows(const couParamTable *table, size_t place)
{
    const couParamTable *look = couLookParams();
    const couParam *rows = table->params + table->count - look->count;
    for (int i = 0; i < look->count; ++i) {
        assert_string_equal(rows[i].name, look->params[i].name);
        assert_string_equal(rows[i].unit, look->params[i].unit);
        assert_int_equal(rows[i].type, look->params[i].type);
        assert_int_equal(rows[i].offset, place + look->params[i].offset);
        CHECK_NEAR(rows[i].min, look->params[i].min, 0, 0);
        CHECK_NEAR(rows[i].max, look->params[i].max, 0, 0);
        assert_int_equal(rows[i].is_auto, look->params[i].is_auto);
    }
}

static void test_rows(void **context)
{
    (void)context;
    check_rows(couMaterialParams(), offsetof(couMaterialDef, look));
    check_rows(couBodyParams(), offsetof(couBodyDef, look));
    assert_non_null(strstr(couParams_Find(couMaterialParams(), "roughness")->help, "otherwise 0.3"));
    assert_non_null(strstr(couParams_Find(couBodyParams(), "roughness")->help, "otherwise 0.4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_automatic),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
