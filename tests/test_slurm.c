// Words for sbatch: what a user writes behind --slurm is options, and nothing that a shell would do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The words as a program gets them from the shell, each in brackets.
static void expect(const char *text, const char *expected)
{
    char *words = couQuoteWords(text), line[4096], got[4096];
    assert_non_null(words);
    snprintf(line, sizeof line, "for word in%s; do printf '[%%s]' \"$word\"; done", words);
    free(words);
    FILE *shell = popen(line, "r");
    assert_non_null(shell);
    got[fread(got, 1, sizeof got - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
    assert_string_equal(got, expected);
}

static void test_words(void **context)
{
    (void)context;
    expect("", "");
    expect("  \n\t ", "");
    expect("--partition=short --time=60", "[--partition=short][--time=60]");
    expect(" -p short\n--mem 2G ", "[-p][short][--mem][2G]");
    expect("--comment='two words' --x=\"a b\"c", "[--comment=two words][--x=a bc]");
    expect("--comment=it\\'s --x='' ''", "[--comment=it's][--x=][]");
    expect("'\"' \"'\" \"\\\"\" a\\ b", "[\"]['][\"][a b]");
    expect("'open", "[open]");
    expect("end\\", "[end\\]");
}

static void test_shell_does_nothing_with_them(void **context)
{
    (void)context;
    expect("a;exit 3", "[a;exit][3]");
    expect("$(exit 3) `exit 3` $HOME ~ * ? a&b a|b >x <x #x !x {a,b} \"$HOME\"",
           "[$(exit][3)][`exit][3`][$HOME][~][*][?][a&b][a|b][>x][<x][#x][!x][{a,b}][$HOME]");
    expect("'$(exit 3)' 'a'\\'';exit 3", "[$(exit 3)][a';exit 3]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_shell_does_nothing_with_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
