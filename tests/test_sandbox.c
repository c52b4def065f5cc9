// The sandbox of scenes: what a script cannot reach, how it is stopped, and that it does the same in every run.
#include "scene_test.h"

#include "scene/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <sys/stat.h>
#include <time.h>

// --- Help --------------------------------------------------------------------------------------------------------------------

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A script was stopped and did not come to its end by itself, which takes hours; how long it took says more about the machine.
static void check_seconds(double start, const char *text)
{
    double seconds = cpu_seconds() - start;
    if (!(seconds < 120.0)) fail_msg("took %g s of computing time, allowed 120: %s", seconds, text);
}

// Runs a script; the script itself asserts.
static void check_script(const char *text)
{
    char full[8192];
    snprintf(full, sizeof full, "scene {}\n%s", text);
    couCloseScene(load_good(full));
}

// --- Out of reach, and limits ------------------------------------------------------------------------------------------------

static void test_escapes(void **context)
{
    (void)context;
    static const Bad escapes[] = {
        {HEAD "io.open('/etc/passwd')", 2, "", "'io' is not available"},
        {HEAD "os.execute('true')", 2, "", "'os' is not available"},
        {HEAD "os.getenv('HOME')", 2, "", "'os' is not available"},
        {HEAD "debug.getregistry()", 2, "", "'debug' is not available"},
        {HEAD "load('return 1')", 2, "", "'load' is not available"},
        {HEAD "loadfile('/etc/passwd')", 2, "", "'loadfile' is not available"},
        {HEAD "dofile('/etc/passwd')", 2, "", "'dofile' is not available"},
        {HEAD "package.loadlib('x', 'y')", 2, "", "'package' is not available"},
        {HEAD "collectgarbage('stop')", 2, "", "'collectgarbage' is not available"},
        {HEAD "coroutine.create(print)", 2, "", "'coroutine' is not available"},
        {HEAD "string.dump(print)", 2, "", "unknown name 'string.dump'"},
        {HEAD "setmetatable({}, { __gc = function() end })", 2, "", "'__gc' is not available"},
        {HEAD "setmetatable({}, { __mode = 'k' })", 2, "", "'__mode' is not available"},
        {HEAD "string.format('%p', {})", 2, "", "'%p' is not available"},
        {HEAD "string.format('%%%5.2p', {})", 2, "", "'%p' is not available"},
        {HEAD "setmetatable(_G, {})", 2, "", "protected metatable"},
        {HEAD "sphare { radius = 1 }", 2, "", "unknown name 'sphare': did you mean 'sphere'?"},
        {HEAD "require '../secret'", 2, "", "only files inside"},
        {HEAD "require '..secret'", 2, "", "only files inside"},
        {HEAD "require '/etc/passwd'", 2, "", "only files inside"},
        {HEAD "require 'a\\0b'", 2, "", "only files inside"},
        {HEAD "require 'no.such.file'", 2, "", "no file no/such/file.lua inside"},
        {HEAD "require 'outside'", 2, "", "no file outside.lua inside"},
        {HEAD "require 'pipe'", 2, "", "not a file"},
        {HEAD "for k in pairs({ [{}] = 1 }) do end", 2, "", "no fixed order"},
    };
    char pipe[512], link[512], target[512];
    snprintf(pipe, sizeof pipe, "%s/pipe.lua", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0); // must not wait for a writer
    snprintf(link, sizeof link, "%s/outside.lua", folder);
    snprintf(target, sizeof target, "%s.secret.lua", folder);
    FILE *file = fopen(target, "w");
    assert_non_null(file);
    fputs("return 1\n", file);
    fclose(file);
    assert_int_equal(symlink(target, link), 0);
    for (int i = 0; i < COU_COUNT(escapes); ++i) check_bad(&escapes[i]);
    unlink(target);
}

static void test_protected(void **context)
{
    (void)context;
    check_script("assert(getmetatable('') == false)\n"
                 "assert(not pcall(setmetatable, '', {}))\n"
                 "assert(getmetatable(sphere { radius = 1 }) == false)\n"
                 "assert(getmetatable(material('water')) == false)\n"
                 "assert(tostring({}) == 'table' and tostring(print) == 'function')\n"
                 "assert(string.format('%s %d', {}, 3) == 'table 3')\n"
                 "assert(tostring(sphere { radius = 1 }) == 'shape')\n"
                 "assert(tostring(setmetatable({}, { __tostring = function() return 'me' end })) == 'me')\n"
                 "assert(rawget(_G, 'io') == nil and rawget(_G, 'load') == nil and rawget(_G, 'xpcall') == nil)\n"
                 "assert(select('#', 1, 2, 3) == 3 and ('x'):rep(3) == 'xxx')\n");
}

// Scripts that would never end, and the line where each hangs.
typedef struct Endless {
    const char *text;
    int line;
    bool is_by_time; // only the clock sees it: to compare two strings is one instruction, however long they are
} Endless;

static const Endless endless[] = {
    {"while true do end", 1, false},
    {"local function f() return f() end\nf()", 1, false},
    {"while true do pcall(function() while true do end end) end", 1, false},
    {"while true do pcall(error) end", 1, false},
    {"local function f() pcall(f) end while true do f() end", 1, false},
    {"local t <close> = setmetatable({}, { __close = function() while true do end end })\nwhile true do end", 2, false},
    {"table.sort({3, 2, 1}, function() while true do end end)", 1, false},
    {"local s = ('\\0'):rep(2^23) local n = 0 while true do if s < s .. 'a' then n = n + 1 end end", 1, true},
    {"local s = ('ab'):rep(2^22) while true do s:find('x', 1, true) end", 1, false},
    {"local s, w = ('a'):rep(2^23), ('a'):rep(2^22) .. 'b' while true do s:find(w) end", 1, false},
    {"while true do table.concat({}, 'x', 1, 0) ; ('x'):rep(2^20) end", 1, false},
    {"local t = {} for i = 1, 500000 do t[i] = i end while true do table.insert(t, 1, 0) table.remove(t, 1) end", 1, false},
    {"local t = {} for i = 1, 200000 do t[i] = i end while true do table.sort(t) end", 1, false},
    {"local t = {} for i = 1, 100000 do t[i] = i end while true do next(t) end", 1, false},
    {"while true do table.move({}, 1, 9000000, 2) end", 1, false},
};

// The sandbox alone, whose limits are the caller's: they need not be those of scenes, which take seconds.
static void check_stopped(const Endless *script, couLimits limits, const char *message)
{
    couSandbox sandbox;
    char place[32];
    snprintf(place, sizeof place, "/scene.lua:%d", script->line);
    assert_true(couSandbox_Open(&sandbox, NULL));
    assert_true(couSandbox_Compile(&sandbox, "scene.lua", "/scene.lua", script->text, strlen(script->text)));
    double start = cpu_seconds();
    bool has_ended = couSandbox_Call(&sandbox, 0, 0, limits);
    check_seconds(start, script->text);
    const couLuaError *error = &sandbox.error;
    if (has_ended || strcmp(error->where, place) != 0 || !strstr(error->message, message))
        fail_msg("in: %s\nexpected %s: %s, got %s: %s", script->text, place, message, error->where, error->message);
    couSandbox_Close(&sandbox);
}

// Each limit stops each script without the help of the other.
static void test_endless(void **context)
{
    (void)context;
    const couLimits few = {5000000, 1e9}, short_time = {INT64_MAX, 0.1};
    for (int i = 0; i < COU_COUNT(endless); ++i) {
        if (!endless[i].is_by_time) check_stopped(&endless[i], few, "more than 5 million instructions: an endless loop?");
        check_stopped(&endless[i], short_time, "more than 0.1 s of computing time: an endless loop?");
    }
}

// A call of what calls itself is one instruction, which no hook sees: only Lua's stack, as it grows.
static void test_call_chains(void **context)
{
    (void)context;
    static const Endless chains[] = {
        {"local t = setmetatable({}, {}) getmetatable(t).__call = t t()", 1, true},
        {"local a, b = {}, {}\nsetmetatable(a, { __call = setmetatable(b, {}) })\ngetmetatable(b).__call = a\na(1, 2, 3)", 4,
         true},
        {"local t = setmetatable({}, {}) getmetatable(t).__call = t\nwhile true do pcall(t) end", 2, true},
        {"local t = setmetatable({}, {}) getmetatable(t).__call = t\ntable.sort({1, 2}, function() return t() end)", 2, true},
    };
    const couLimits none = {INT64_MAX, 1e9};
    for (int i = 0; i < COU_COUNT(chains); ++i) check_stopped(&chains[i], none, "stack overflow");
    // A long chain to a function, again and again: each call takes long, so that it is the clock that must be asked often enough.
    static const Endless long_chain = {
        "local f = function() end for i = 1, 20000 do f = setmetatable({}, { __call = f }) end while true do f() end", 1, true};
    check_stopped(&long_chain, (couLimits){INT64_MAX, 0.1}, "more than 0.1 s of computing time");
    // What scenes do fits: recursion, calls of tables, many arguments.
    check_script("local function depth(n) return n == 0 and 0 or 1 + depth(n - 1) end assert(depth(3000) == 3000)\n"
                 "local f = function(...) return select('#', ...) end\n"
                 "for i = 1, 100 do f = setmetatable({}, { __call = f }) end assert(f(1) == 101)\n"
                 "local t = {} for i = 1, 9000 do t[i] = i end assert(select('#', table.unpack(t)) == 9000)\n"
                 "assert(math.max(table.unpack(t)) == 9000)\n");
}

static int always(void) { return 1; }

// A script ends when somebody interrupts it, unless it is a short one: a run ends with a whole frame.
static void test_interrupts(void **context)
{
    (void)context;
    static const Endless scripts[] = {{"while true do end", 1, true}, {"local x = 0\nfor i = 1, 1e5 do x = x + i end", 0, true}};
    for (int i = 0; i < COU_COUNT(scripts); ++i) {
        couSandbox sandbox;
        assert_true(couSandbox_Open(&sandbox, NULL));
        sandbox.is_interrupted = always;
        assert_true(couSandbox_Compile(&sandbox, "scene.lua", "/scene.lua", scripts[i].text, strlen(scripts[i].text)));
        bool has_ended = couSandbox_Call(&sandbox, 0, 0, (couLimits){INT64_MAX, 1e9});
        assert_int_equal(has_ended, scripts[i].line == 0);
        if (!has_ended) assert_string_equal(sandbox.error.where, "/scene.lua:1");
        if (!has_ended) assert_string_equal(sandbox.error.message, "the script was interrupted");
        couSandbox_Close(&sandbox);
    }
}

// Lua's compiler runs without hooks; its time grows with the square of such a text.
static void test_slow_to_compile(void **context)
{
    (void)context;
    enum { LINKS = 160000 };
    static char text[6 * LINKS + 32] = "local a = 1 return ";
    size_t used = strlen(text);
    for (int i = 0; i < LINKS; ++i, used += 6) memcpy(text + used, "a and ", 7);
    text[used++] = 'a';
    couSandbox sandbox;
    assert_true(couSandbox_Open(&sandbox, NULL));
    double start = cpu_seconds();
    assert_false(couSandbox_Compile(&sandbox, "scene.lua", "/scene.lua", text, used));
    check_seconds(start, "a chain of ands");
    assert_string_equal(sandbox.error.where, "/scene.lua");
    assert_non_null(strstr(sandbox.error.message, "cannot be compiled in 5 s"));
    couSandbox_Close(&sandbox);
}

// With the limits of scenes: by instructions, for by time it would take a minute, and one that Lua itself ends.
static void test_endless_scenes(void **context)
{
    (void)context;
    static const Bad scenes[] = {
        {HEAD "while true do end", 2, "", "more than 500 million instructions: an endless loop?"},
        {HEAD "local function f() f() end\nf()", 2, "", "stack overflow"},
        {HEAD "local t = setmetatable({}, {})\ngetmetatable(t).__call = t t()", 3, "", "stack overflow"},
        {HEAD "local t = setmetatable({}, {})\nt = setmetatable(t, { __index = function(t, k) return t[k] end })\nt.x = t.y", 3,
         "", "overflow"},
        {HEAD "local t = setmetatable({}, { __tostring = function(t) return tostring(t) end })\nprint(t)", 2, "", "overflow"},
        {HEAD "local function f()\n  return error(select(2, pcall(f)), 0)\nend\nf()", 3, "", "overflow"},
    };
    for (int i = 0; i < COU_COUNT(scenes); ++i) check_bad(&scenes[i]);
}

// Who loads many scenes may allow them less.
static void test_fewer_instructions(void **context)
{
    (void)context;
    couFaults faults = {0};
    couSceneOptions options = {.max_instructions = 20000};
    assert_null(load_with(HEAD "local n = 0\nfor i = 1, 1e5 do n = n + i end", &options, &faults));
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.items[0].message, "more than 0.02 million instructions"));
    couFaults_Clear(&faults);
    couScene *scene = load_with(HEAD "at(0, function() while true do end end)", &options, &faults);
    assert_non_null(scene);
    couWorld_Step(couScene_World(scene), 1e-3f);
    assert_non_null(strstr(couScene_RuntimeError(scene), "more than 0.02 million instructions"));
    couCloseScene(scene);
}

static void test_memory_bombs(void **context)
{
    (void)context;
    static const Bad bombs[] = {
        {HEAD "local t = {} while true do t[#t + 1] = ('x'):rep(20000) .. #t end", 2, "", "memory"},
        {HEAD "local t = {} for i = 1, 1e9 do t[i] = {} end", 2, "", "memory"},
        {HEAD "local s = 'x' while true do s = s .. s end", 2, "", "memory"},
        {HEAD "local t = {} while true do pcall(function() while true do t[#t + 1] = ('x'):rep(100000) .. #t end end) end", 2, "",
         "memory"},
        {HEAD "local s = ('x'):rep(1e12)", 2, "", "string.rep"},
        {HEAD "local s = ('x'):rep(2^62)", 2, "", "string.rep"},
        {HEAD "local s = ('x'):rep(1e6, ('y'):rep(1e6))", 2, "", "string.rep"},
        {HEAD "table.unpack({}, 1, 1e8)", 2, "", "too many"},
        {HEAD "table.move({}, 1, 2^60, 2)", 2, "", "too many"},
        {HEAD "local t = {} for i = 1, 1e5 do t[i] = ('x'):rep(1000) end table.concat(t)", 2, "", "memory"},
        {HEAD "for i = 1, 1e9 do body { shape = sphere { radius = 1 } } end", 2, "", "more than 20000 things"},
        {HEAD "local s = sphere { radius = 1 } for i = 1, 100 do s = union { s, s } end", 2, "union.children", "primitives"},
        // Nearly all of it is taken at once, so that also a slow machine comes to the end before the script's time is up.
        {HEAD "local p, t = {}, {} for i = 1, 60 do p[i] = {math.cos(i / 10), math.sin(i / 10)} end "
              "for i = 1, 230 do t[i] = ('x'):rep(1e6) end\n"
              "while true do t[#t + 1] = union { polygon { points = p } } end",
         3, "", "memory"},
    };
    for (int i = 0; i < COU_COUNT(bombs); ++i) {
        double start = cpu_seconds();
        check_bad(&bombs[i]);
        check_seconds(start, bombs[i].text);
    }
    // Endless in Lua's own C code, harmless here.
    check_script("assert((''):rep(2^62) == '') assert((''):rep(1e18, '') == '')");
}

static void test_fault_flood(void **context)
{
    (void)context;
    couFaults faults = {0};
    assert_null(load_with(HEAD "while true do sphere { radius = -1 } end", NULL, &faults));
    assert_in_range(faults.count, 100, 300);
    assert_non_null(strstr(faults.items[faults.count - 1].message, "more than 200 faults"));
    couFaults_Clear(&faults);
    assert_null(load_with(HEAD "local t = {} for i = 1, 1e5 do t['k' .. i] = i end body(t)", NULL, &faults));
    assert_in_range(faults.count, 100, 300);
    couFaults_Clear(&faults);
}

// Garbage is collected when the limit comes near: using much over time is fine.
static void test_garbage_is_fine(void **context)
{
    (void)context;
    check_script("local keep = ('x'):rep(2^23)\nfor i = 1, 200 do local s = ('y'):rep(2^22) .. i end");
}

// --- Same in every run -------------------------------------------------------------------------------------------------------

static void test_pairs_order(void **context)
{
    (void)context;
    check_script("local t = { b = 1, a = 2, [10] = 3, [2] = 4, [-1.5] = 5, [true] = 6, [false] = 7, B = 8, ab = 9, [1] = 10 }\n"
                 "local keys = {}\n"
                 "for k, v in pairs(t) do keys[#keys + 1] = tostring(k) assert(t[k] == v) end\n"
                 "assert(table.concat(keys, ' ') == '-1.5 1 2 10 B a ab b false true', table.concat(keys, ' '))\n"
                 "local k, list = nil, {}\n"
                 "repeat k = next(t, k) list[#list + 1] = tostring(k) until k == nil\n"
                 "assert(table.concat(list, ' ') == '-1.5 1 2 10 B a ab b false true nil')\n"
                 "assert(next({}) == nil)\n"
                 "local seen = {}\n" // entries may be removed during the loop
                 "local u = { a = 1, b = 2, c = 3 }\n"
                 "for key in pairs(u) do seen[#seen + 1] = key u.b = nil end\n"
                 "assert(table.concat(seen) == 'ac')\n"
                 "for a, b in pairs(setmetatable({}, { __pairs = function()"
                 "  return function(_, i) if not i then return 1, 2 end end end })) do\n"
                 "  assert(a == 1 and b == 2) end\n");
}

static void test_table_library(void **context)
{
    (void)context;
    check_script("local t = {5, 2, 8, 1, 9, 3}\n"
                 "table.sort(t) assert(table.concat(t, ',') == '1,2,3,5,8,9')\n"
                 "table.sort(t, function(a, b) return a > b end) assert(table.concat(t, ',') == '9,8,5,3,2,1')\n"
                 "local r = {} for i = 1, 1000 do r[i] = { k = (i * 7919) % 10, i = i } end\n"
                 "table.sort(r, function(a, b) return a.k < b.k end)\n"
                 "for i = 2, 1000 do assert(r[i-1].k < r[i].k or (r[i-1].k == r[i].k and r[i-1].i < r[i].i)) end\n" // stable
                 "table.sort(t, function() return true end)\n" // nonsense: any order, no error
                 "t = {1, 2, 3} table.insert(t, 4) table.insert(t, 1, 0) assert(table.concat(t) == '01234')\n"
                 "assert(table.remove(t) == 4 and table.remove(t, 1) == 0 and table.concat(t) == '123')\n"
                 "assert(table.remove({}) == nil and not pcall(table.insert, t, 9, 1) and not pcall(table.remove, t, 9))\n"
                 "assert(select('#', table.unpack({1, nil, 3}, 1, 3)) == 3 and table.pack(1, nil).n == 2)\n"
                 "t = table.move({1, 2, 3, 4}, 1, 3, 2) assert(table.concat(t) == '1123')\n"
                 "t = table.move({1, 2, 3}, 2, 3, 1) assert(table.concat(t) == '233')\n"
                 "t = table.move({1, 2}, 1, 2, 1, {}) assert(table.concat(t) == '12')\n"
                 "assert(table.concat({}, 'x') == '' and table.concat({1, 2.5, 'a'}, '-') == '1-2.5-a')\n"
                 "assert(not pcall(table.concat, {1, {}, 2}))\n");
}

// As in Lua, where both have it.
static void test_find(void **context)
{
    (void)context;
    static const char cases[] = "local out = {}\n"
                                "for _, text in ipairs { '', 'a', 'abcab', 'x\\0ab\\0ab', 'aaab', 'a.b' } do\n"
                                "  for _, what in ipairs { '', 'a', 'ab', 'aab', '\\0a', 'abcabc', '.', '.b' } do\n"
                                "    for start = -8, 8 do\n"
                                "      local from, to = text:find(what, start, true)\n"
                                "      out[#out + 1] = tostring(from) .. ' ' .. tostring(to)\n"
                                "    end\n"
                                "    local from, to = text:find(what, math.mininteger, true)\n"
                                "    out[#out + 1] = tostring(from) .. ' ' .. tostring(text:find(what, math.maxinteger, true))\n"
                                "  end\n"
                                "end\n"
                                "out = table.concat(out, ',')\n";
    char script[8192];
    lua_State *lua = luaL_newstate();
    luaL_openlibs(lua);
    snprintf(script, sizeof script, "%s return out", cases);
    if (luaL_dostring(lua, script) != LUA_OK) fail_msg("%s", lua_tostring(lua, -1));
    assert_true(strlen(lua_tostring(lua, -1)) > 3000);
    lua_pushfstring(lua, "scene {}\n%s local expected = '%s' assert(out == expected, out)", cases, lua_tostring(lua, -1));
    couCloseScene(load_good(lua_tostring(lua, -1)));
    lua_close(lua);
    check_script("assert(('hello world'):find('wor') == 7 and ('a]b)'):find(']b)') == 2 and not pcall(string.find, 'x'))");
}

static void test_no_patterns(void **context)
{
    (void)context;
    static const Bad patterns[] = {
        {HEAD "local w = ('a b'):match('%w+')", 2, "",
         "'string.match' is not available: a scene has no patterns, but string.find("},
        {HEAD "for w in string.gmatch('a b', '%w') do end", 2, "", "'string.gmatch' is not available: a scene has no patterns"},
        {HEAD "\nlocal s = string.gsub('a', 'a', 'b')", 3, "", "'string.gsub' is not available: a scene has no patterns"},
        {HEAD "local at = ('a1'):find('%d')", 2, "",
         "string.find: a scene has no patterns, but string.find(text, part, 1, true)"},
        {HEAD "local at = ('a.lua'):find('.lua')", 2, "", "string.find: a scene has no patterns"},
        {HEAD "local at = ('a'):find('\\0-', 1)", 2, "", "string.find: a scene has no patterns"},
    };
    for (int i = 0; i < COU_COUNT(patterns); ++i) check_bad(&patterns[i]);
}

static void random_values(const char *seed, double out[4])
{
    char text[512];
    snprintf(text, sizeof text,
             "scene { spacing = 0.05%s }\nlocal r = {} for i = 1, 3 do r[i] = math.random() end\n"
             "for i = 1, 1000 do local d = math.random(6) assert(d >= 1 and d <= 6)"
             "  local x = math.random() assert(x >= 0 and x < 1) end\n"
             "assert(not pcall(math.random, 3, 2)) math.random(math.mininteger, math.maxinteger)\n"
             "camera { from = {r[1], r[2], r[3]}, to = {5, 5, 5}, fov = 1 + math.random(100) }\n",
             seed);
    couScene *scene = load_good(text);
    couCamera camera = couScene_Camera(scene);
    out[0] = camera.from.x, out[1] = camera.from.y, out[2] = camera.from.z, out[3] = camera.fov;
    couCloseScene(scene);
}

static void test_random(void **context)
{
    (void)context;
    double a[4], b[4], c[4];
    random_values("", a);
    random_values("", b);
    random_values(", seed = 2", c);
    assert_memory_equal(a, b, sizeof a);
    assert_true(memcmp(a, c, sizeof a) != 0);
    check_script("math.randomseed(5) local x = math.random() math.randomseed(5) assert(math.random() == x)");
    static const Bad impure = {
        HEAD "body { shape = sphere { radius = 1 }, motion = function(t) return { at = {math.random(), 0, 0} } end }", 2, "",
        "math.random is not available here"};
    check_bad(&impure);
}

// An argument chooses tests: test_sandbox 'test_endless*'.
int main(int argument_count, char **arguments)
{
    if (argument_count > 1) cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),         cmocka_unit_test(test_protected),
        cmocka_unit_test(test_endless),         cmocka_unit_test(test_endless_scenes),
        cmocka_unit_test(test_memory_bombs),    cmocka_unit_test(test_fault_flood),
        cmocka_unit_test(test_garbage_is_fine), cmocka_unit_test(test_pairs_order),
        cmocka_unit_test(test_table_library),   cmocka_unit_test(test_find),
        cmocka_unit_test(test_no_patterns),     cmocka_unit_test(test_random),
        cmocka_unit_test(test_call_chains),     cmocka_unit_test(test_fewer_instructions),
        cmocka_unit_test(test_interrupts),      cmocka_unit_test(test_slow_to_compile),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
