// Orders of convergence by Richardson, and the tables that results are read from.
#include "testing.h"

#include "app/run_results.h"
#include "app/sweep.h"

#include <stdio.h>
#include <unistd.h>

static couOrder order_of(double limit, double factor, double p, double h1, double h2, double h3)
{
    const double h[3] = {h1, h2, h3};
    double value[3];
    for (int i = 0; i < 3; ++i) value[i] = limit + factor * pow(h[i], p);
    return couFindOrder(h, value);
}

static void test_order_of_a_power(void **context)
{
    (void)context;
    const double powers[] = {0.25, 0.5, 1, 1.7, 2, 4};
    const double spacings[][3] = {{0.04, 0.02, 0.01}, {0.05, 0.03, 0.01}, {3, 2.9, 1}};
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const double *h = spacings[k];
            couOrder order = order_of(7.5, i % 2 ? -3.0 : 2.0, powers[i], h[0], h[1], h[2]);
            assert_string_equal(order.kind, "converges");
            assert_true(fabs(order.order - powers[i]) < 1e-6);
            assert_true(fabs(order.limit - 7.5) < 1e-6);
        }
}

static void test_order_of_what_has_none(void **context)
{
    (void)context;
    const double h[3] = {0.04, 0.02, 0.01}, falling[3] = {0.01, 0.02, 0.04};
    couOrder there_and_back = couFindOrder(h, (double[]){1, 2, 1.5});
    assert_string_equal(there_and_back.kind, "oscillates");
    assert_true(isnan(there_and_back.order) && isnan(there_and_back.limit));
    couOrder constant = couFindOrder(h, (double[]){3, 3, 3});
    assert_string_equal(constant.kind, "the same");
    assert_true(constant.limit == 3);
    couOrder growing = couFindOrder(h, (double[]){1, 2, 5});
    assert_string_equal(growing.kind, "diverges");
    assert_true(fabs(growing.order - log2(1.0 / 3)) < 1e-6);
    assert_true(isnan(growing.limit));
    assert_string_equal(couFindOrder(h, (double[]){1, NAN, 5}).kind, "unknown");
    assert_string_equal(couFindOrder(falling, (double[]){1, 2, 3}).kind, "unknown");
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_table_is_read(void **context)
{
    (void)context;
    const char *path = "test_sweep_table.csv";
    couCsvTable table;
    couFaults faults = {0};
    write_text(path, "time [s],\"a, b [Pa]\",c\n0.5,1e3,\n1,-2,x\n1.5,7"); // what a kill left of the last row does not count
    assert_true(couReadCsvTable(path, &table, &faults));
    assert_int_equal(table.column_count, 3);
    assert_int_equal(table.row_count, 2);
    assert_int_equal(couCsvTable_Find(&table, "a, b [Pa]"), 1);
    assert_int_equal(couCsvTable_Find(&table, "b"), -1);
    assert_true(couCsvTable_At(&table, 0, 1) == 1e3 && couCsvTable_At(&table, 1, 0) == 1);
    assert_true(isnan(couCsvTable_At(&table, 0, 2)) && isnan(couCsvTable_At(&table, 1, 2)) &&
                isnan(couCsvTable_At(&table, 0, -1)));
    couCsvTable_Clear(&table);
    assert_int_equal(faults.count, 0);
    unlink(path);
}

static void test_damaged_tables_are_faults(void **context)
{
    (void)context;
    const char *path = "test_sweep_damaged.csv";
    const char *const texts[] = {"", "a,b", "a,b\n1\n", "a,b\n1,2\n1,2,3\n", "a,b\n\"1,2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        couCsvTable table;
        couFaults faults = {0};
        write_text(path, texts[i]);
        assert_false(couReadCsvTable(path, &table, &faults));
        assert_int_equal(faults.count, 1);
        assert_null(table.values);
        couFaults_Clear(&faults);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_a_power),
        cmocka_unit_test(test_order_of_what_has_none),
        cmocka_unit_test(test_table_is_read),
        cmocka_unit_test(test_damaged_tables_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
