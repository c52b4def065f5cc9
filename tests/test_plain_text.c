// What reaches a terminal is text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/app.h"

#include <stdlib.h>
#include <string.h>

static void expect(const char *text, size_t size, const char *expected)
{
    char clean[512];
    size_t used, length = couCleanText(text, size, true, clean, &used);
    clean[length] = '\0';
    assert_int_equal(used, size);
    assert_string_equal(clean, expected);
}

static void test_what_is_shown(void **context)
{
    (void)context;
#define EXPECT(text, expected) expect(text, sizeof text - 1, expected)
    EXPECT("", "");
    EXPECT("plain text, 1 %\n\ttab\n", "plain text, 1 %\n\ttab\n");
    EXPECT("\033[2J", "\\x1b[2J");
    EXPECT("a\rb\0c\177", "a\\x0db\\x00c\\x7f");
    EXPECT("caf\303\251 \342\202\254 \360\237\230\200", "caf\303\251 \342\202\254 \360\237\230\200"); // é, euro, a face
    EXPECT("\302\233", "\\xc2\\x9b");                                                                 // CSI of 8 bits in UTF-8
    EXPECT("\302\240", "\302\240");                          // a space that does not break
    EXPECT("\342\200\256gpj.exe", "\\xe2\\x80\\xaegpj.exe"); // writes the rest from right to left
    EXPECT("\342\200\250\342\201\246", "\\xe2\\x80\\xa8\\xe2\\x81\\xa6");
    EXPECT("\342\200\247\342\200\257\342\201\245\342\201\252", "\342\200\247\342\200\257\342\201\245\342\201\252");
    EXPECT("\327\251\327\234\327\225\327\235 \342\200\217",
           "\327\251\327\234\327\225\327\235 \342\200\217"); // Hebrew has its order
    EXPECT("\233m", "\\x9bm");
    EXPECT("\300\233", "\\xc0\\x9b");          // longer than need be
    EXPECT("\340\200\233", "\\xe0\\x80\\x9b"); // the same
    EXPECT("\355\240\200", "\\xed\\xa0\\x80"); // half of a pair
    EXPECT("\364\220\200\200", "\\xf4\\x90\\x80\\x80");
    EXPECT("\303", "\\xc3");
    EXPECT("\342\202", "\\xe2\\x82");
    EXPECT("\342\202x", "\\xe2\\x82x");
}

// However a text is cut, it comes out the same.
static void test_pieces(void **context)
{
    (void)context;
    srand(4);
    for (int round = 0; round < 2000; ++round) {
        static const unsigned char letters[] = {'a', 27, 0xc2, 0x9b, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xa9, '\n'};
        char text[40], whole[200], pieces[400];
        size_t size = (size_t)rand() % sizeof text, used, begin = 0, length = 0;
        for (size_t i = 0; i < size; ++i) text[i] = (char)letters[(size_t)rand() % sizeof letters];
        size_t expected = couCleanText(text, size, true, whole, &used);
        assert_int_equal(used, size);
        for (size_t end = 0; end < size;) {
            end += 1 + (size_t)rand() % (size - end);
            length += couCleanText(text + begin, end - begin, end == size, pieces + length, &used);
            begin += used;
        }
        assert_int_equal(length, expected);
        assert_memory_equal(pieces, whole, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_shown), cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
