// Lua patterns with a bounded cost: string.find, match, gmatch, gsub.
//
// Lua's own matcher can backtrack for years ("a-a-a-a-b" on a long text) inside one C call, where no hook runs. This one first
// compiles the pattern to items with 256-bit character sets, then backtracks over the items and reports every step to the sandbox.
// The meaning is that of Lua 5.4 (tests compare the two on random patterns); a malformed pattern is found when it is compiled, also
// where Lua would not have reached the bad part. Recursion is at most one level per item.
#include "scene/sandbox.h"

#include "base/base.h"

#include <ctype.h>
#include <lauxlib.h>

#define MAX_ITEMS 200
#define MAX_CAPTURES 32
#define STEPS_PER_REPORT 1024

typedef enum couItemKind {
    cou_itemSet,       // one character of `set`, repeated as `repeat` says
    cou_itemOpen,      // (
    cou_itemClose,     // ) of capture `index`
    cou_itemPosition,  // ()
    cou_itemReference, // %1: the text of capture `index`
    cou_itemBalance,   // %bxy, from set[0] to set[1]
    cou_itemFrontier,  // %f[set]
    cou_itemEnd        // $ at the end
} couItemKind;

typedef struct couItem {
    uint8_t kind;
    char repeat; // '1', '?', '*', '+', '-'
    uint8_t index;
    uint8_t set[32];
} couItem;

typedef struct couPattern {
    int count, capture_count;
    bool is_anchored;
    couItem items[MAX_ITEMS];
} couPattern;

typedef struct couCapture {
    const uint8_t *start;
    ptrdiff_t length; // -1: still open, -2: a position
} couCapture;

typedef struct couMatcher {
    lua_State *lua;
    const couPattern *pattern;
    const uint8_t *begin, *end; // of the text
    couCapture captures[MAX_CAPTURES];
    int level; // captures begun
    int steps;
} couMatcher;

// --- Compiling ---------------------------------------------------------------------------------------------------------------

static void add_to_set(uint8_t set[32], int c) { set[c >> 3] |= (uint8_t)(1 << (c & 7)); }

static bool is_in_set(const uint8_t set[32], int c) { return set[c >> 3] >> (c & 7) & 1; }

static bool is_in_class(int c, int letter)
{
    switch (letter) {
    case 'a': return isalpha(c);
    case 'c': return iscntrl(c);
    case 'd': return isdigit(c);
    case 'g': return isgraph(c);
    case 'l': return islower(c);
    case 'p': return ispunct(c);
    case 's': return isspace(c);
    case 'u': return isupper(c);
    case 'w': return isalnum(c);
    default: return isxdigit(c); // 'x'
    }
}

// %a and the like; an upper-case letter means the complement, any other character itself.
static void add_class(uint8_t set[32], int letter)
{
    if (!isalpha(letter) || !strchr("acdglpsuwx", tolower(letter))) {
        add_to_set(set, letter);
        return;
    }
    bool is_complement = isupper(letter);
    for (int c = 0; c < 256; ++c) {
        if (is_in_class(c, tolower(letter)) != is_complement) add_to_set(set, c);
    }
}

// After '['; returns the place behind ']'. A ']' that comes first is a member.
static const uint8_t *compile_set(lua_State *lua, uint8_t set[32], const uint8_t *p, const uint8_t *end)
{
    bool is_complement = p < end && *p == '^';
    if (is_complement) ++p;
    bool is_first = true;
    for (;; is_first = false) {
        if (p >= end) luaL_error(lua, "malformed pattern (missing ']')");
        if (*p == ']' && !is_first) break;
        if (*p == '%') {
            if (p + 1 >= end) luaL_error(lua, "malformed pattern (missing ']')");
            add_class(set, p[1]);
            p += 2;
        } else if (p + 2 < end && p[1] == '-' && p[2] != ']') {
            for (int c = p[0]; c <= p[2]; ++c) add_to_set(set, c);
            p += 3;
        } else {
            add_to_set(set, *p++);
        }
    }
    for (int i = 0; is_complement && i < 32; ++i) set[i] = (uint8_t)~set[i];
    return p + 1;
}

// A single character class at p; returns the place behind it.
static const uint8_t *compile_single(lua_State *lua, couItem *item, const uint8_t *p, const uint8_t *end)
{
    switch (*p) {
    case '.': memset(item->set, 0xff, sizeof item->set); return p + 1;
    case '[': return compile_set(lua, item->set, p + 1, end);
    case '%':
        if (p + 1 >= end) luaL_error(lua, "malformed pattern (ends with '%%')");
        add_class(item->set, p[1]);
        return p + 2;
    default: add_to_set(item->set, *p); return p + 1;
    }
}

// The items that begin with '%' and are no classes: %bxy, %f[set], %1. NULL when it is none of them.
static const uint8_t *compile_escape(lua_State *lua, couPattern *pattern, couItem *item, const bool *is_open, const uint8_t *p,
                                     const uint8_t *end)
{
    if (p + 1 >= end) return NULL;
    if (p[1] == 'b') {
        if (p + 3 >= end) luaL_error(lua, "malformed pattern (missing arguments to '%%b')");
        item->kind = cou_itemBalance;
        item->set[0] = p[2];
        item->set[1] = p[3];
        return p + 4;
    }
    if (p[1] == 'f') {
        if (p + 2 >= end || p[2] != '[') luaL_error(lua, "missing '[' after '%%f' in pattern");
        item->kind = cou_itemFrontier;
        return compile_set(lua, item->set, p + 3, end);
    }
    if (isdigit(p[1])) {
        int index = p[1] - '1';
        if (index < 0 || index >= pattern->capture_count || is_open[index]) {
            luaL_error(lua, "invalid capture index %%%d in pattern", index + 1);
        }
        item->kind = cou_itemReference;
        item->index = (uint8_t)index;
        return p + 2;
    }
    return NULL;
}

static void compile(lua_State *lua, couPattern *pattern, const uint8_t *p, size_t length, bool may_be_anchored)
{
    const uint8_t *end = p + length;
    bool is_open[MAX_CAPTURES] = {false};
    pattern->count = pattern->capture_count = 0;
    pattern->is_anchored = may_be_anchored && length > 0 && *p == '^';
    if (pattern->is_anchored) ++p;
    while (p < end) {
        if (pattern->count == MAX_ITEMS) luaL_error(lua, "pattern too complex: more than %d items", MAX_ITEMS);
        couItem *item = &pattern->items[pattern->count++];
        *item = (couItem){.kind = cou_itemSet, .repeat = '1'};
        if (*p == '(') {
            if (pattern->capture_count == MAX_CAPTURES) luaL_error(lua, "too many captures");
            bool is_position = p + 1 < end && p[1] == ')';
            item->kind = is_position ? cou_itemPosition : cou_itemOpen;
            item->index = (uint8_t)pattern->capture_count;
            is_open[pattern->capture_count++] = !is_position;
            p += is_position ? 2 : 1;
        } else if (*p == ')') {
            int index = pattern->capture_count - 1;
            while (index >= 0 && !is_open[index]) --index;
            if (index < 0) luaL_error(lua, "invalid pattern capture");
            is_open[index] = false;
            item->kind = cou_itemClose;
            item->index = (uint8_t)index;
            ++p;
        } else if (*p == '$' && p + 1 == end) {
            item->kind = cou_itemEnd;
            ++p;
        } else {
            const uint8_t *after = *p == '%' ? compile_escape(lua, pattern, item, is_open, p, end) : NULL;
            if (after) {
                p = after;
                continue;
            }
            p = compile_single(lua, item, p, end);
            if (p < end && strchr("*+-?", *p) && *p) item->repeat = (char)*p++;
        }
    }
    for (int i = 0; i < pattern->capture_count; ++i) {
        if (is_open[i]) luaL_error(lua, "unfinished capture");
    }
}

// --- Matching ----------------------------------------------------------------------------------------------------------------

static void count_steps(couMatcher *m, int64_t count)
{
    m->steps += (int)COU_MIN(count, STEPS_PER_REPORT);
    if (m->steps < STEPS_PER_REPORT) return;
    couSandbox_Work(m->lua, m->steps + count / 16);
    m->steps = 0;
}

static const uint8_t *match_balance(couMatcher *m, const uint8_t *s, const couItem *item)
{
    if (s >= m->end || *s != item->set[0]) return NULL;
    int64_t depth = 1;
    for (const uint8_t *c = s + 1; c < m->end; ++c) {
        if (*c == item->set[1]) {
            if (--depth == 0) {
                count_steps(m, c - s);
                return c + 1;
            }
        } else if (*c == item->set[0]) {
            ++depth;
        }
    }
    count_steps(m, m->end - s);
    return NULL;
}

static bool is_at_frontier(const couMatcher *m, const uint8_t *s, const uint8_t set[32])
{
    int before = s == m->begin ? 0 : s[-1];
    int here = s == m->end ? 0 : *s;
    return !is_in_set(set, before) && is_in_set(set, here);
}

static const uint8_t *match_reference(couMatcher *m, const uint8_t *s, int index)
{
    const couCapture *capture = &m->captures[index];
    ptrdiff_t length = capture->length;
    if (length < 0) return NULL; // a position has no text
    if (m->end - s < length || memcmp(s, capture->start, (size_t)length) != 0) return NULL;
    count_steps(m, length / 16);
    return s + length;
}

static const uint8_t *match_from(couMatcher *m, const uint8_t *s, int place);

// As many as there are, then fewer until the rest fits.
static const uint8_t *match_longest(couMatcher *m, const uint8_t *s, int place, ptrdiff_t least)
{
    const couItem *item = &m->pattern->items[place];
    ptrdiff_t count = 0;
    while (s + count < m->end && is_in_set(item->set, s[count])) ++count;
    count_steps(m, count);
    for (; count >= least; --count) {
        const uint8_t *end = match_from(m, s + count, place + 1);
        if (end) return end;
    }
    return NULL;
}

// As few as the rest allows.
static const uint8_t *match_shortest(couMatcher *m, const uint8_t *s, int place)
{
    const couItem *item = &m->pattern->items[place];
    for (;; ++s) {
        const uint8_t *end = match_from(m, s, place + 1);
        if (end) return end;
        if (s >= m->end || !is_in_set(item->set, *s)) return NULL;
    }
}

static const uint8_t *match_open(couMatcher *m, const uint8_t *s, int place)
{
    bool is_position = m->pattern->items[place].kind == cou_itemPosition;
    m->captures[m->level++] = (couCapture){s, is_position ? -2 : -1};
    const uint8_t *end = match_from(m, s, place + 1);
    if (!end) --m->level;
    return end;
}

static const uint8_t *match_close(couMatcher *m, const uint8_t *s, int place)
{
    couCapture *capture = &m->captures[m->pattern->items[place].index];
    capture->length = s - capture->start;
    const uint8_t *end = match_from(m, s, place + 1);
    if (!end) capture->length = -1;
    return end;
}

// End of the match of the items from `place` on with the text at s, or NULL.
static const uint8_t *match_from(couMatcher *m, const uint8_t *s, int place)
{
    for (; place < m->pattern->count; ++place) {
        const couItem *item = &m->pattern->items[place];
        count_steps(m, 1);
        switch (item->kind) {
        case cou_itemOpen:
        case cou_itemPosition: return match_open(m, s, place);
        case cou_itemClose: return match_close(m, s, place);
        case cou_itemReference: s = match_reference(m, s, item->index); break;
        case cou_itemBalance: s = match_balance(m, s, item); break;
        case cou_itemFrontier: s = is_at_frontier(m, s, item->set) ? s : NULL; break;
        case cou_itemEnd: s = s == m->end ? s : NULL; break;
        default: {
            bool fits = s < m->end && is_in_set(item->set, *s);
            if (item->repeat == '*' || item->repeat == '+') return match_longest(m, s, place, item->repeat == '+');
            if (item->repeat == '-') return match_shortest(m, s, place);
            if (item->repeat == '?' && fits) {
                const uint8_t *end = match_from(m, s + 1, place + 1);
                if (end) return end;
            } else if (item->repeat == '1') {
                s = fits ? s + 1 : NULL;
            }
        }
        }
        if (!s) return NULL;
    }
    return s;
}

static const uint8_t *match_at(couMatcher *m, const uint8_t *s)
{
    m->level = 0;
    return match_from(m, s, 0);
}

// --- The four functions ------------------------------------------------------------------------------------------------------

static void push_capture(couMatcher *m, int index)
{
    const couCapture *capture = &m->captures[index];
    if (capture->length == -2) {
        lua_pushinteger(m->lua, capture->start - m->begin + 1);
    } else {
        lua_pushlstring(m->lua, (const char *)capture->start, (size_t)capture->length);
    }
}

// All captures, or the whole match when there are none and `start` is given.
static int push_captures(couMatcher *m, const uint8_t *start, const uint8_t *end)
{
    luaL_checkstack(m->lua, MAX_CAPTURES + 4, NULL);
    if (m->level == 0 && start) {
        lua_pushlstring(m->lua, (const char *)start, (size_t)(end - start));
        return 1;
    }
    for (int i = 0; i < m->level; ++i) push_capture(m, i);
    return m->level;
}

// The text of argument 1 into the matcher.
static void begin_match(couMatcher *m, lua_State *lua)
{
    size_t length;
    m->begin = (const uint8_t *)luaL_checklstring(lua, 1, &length);
    m->end = m->begin + length;
    m->lua = lua;
    m->level = m->steps = 0;
}

// Offset of a start argument that may be negative; beyond the end: length + 1.
static size_t start_offset(lua_State *lua, int argument, size_t length)
{
    lua_Integer start = luaL_optinteger(lua, argument, 1);
    if (start > 0) return (lua_Unsigned)start > length ? length + (start > (lua_Integer)length + 1) : (size_t)start - 1;
    if (start == 0 || start < -(lua_Integer)length) return 0;
    return (size_t)((lua_Integer)length + start);
}

static int find_plain(lua_State *lua, const couMatcher *m, size_t offset, const char *what, size_t length)
{
    couSandbox_Work(lua, (m->end - m->begin) / 16);
    const uint8_t *found = memmem(m->begin + offset, (size_t)(m->end - m->begin) - offset, what, length);
    if (!found) {
        lua_pushnil(lua);
        return 1;
    }
    lua_pushinteger(lua, found - m->begin + 1);
    lua_pushinteger(lua, found - m->begin + (lua_Integer)length);
    return 2;
}

static int find_or_match(lua_State *lua, bool is_find)
{
    couMatcher m;
    couPattern pattern;
    begin_match(&m, lua);
    size_t length, size = (size_t)(m.end - m.begin);
    const char *text = luaL_checklstring(lua, 2, &length);
    size_t offset = start_offset(lua, 3, size);
    if (offset > size) {
        lua_pushnil(lua);
        return 1;
    }
    if (is_find && lua_toboolean(lua, 4)) return find_plain(lua, &m, offset, text, length);
    compile(lua, &pattern, (const uint8_t *)text, length, true);
    m.pattern = &pattern;
    for (const uint8_t *s = m.begin + offset; s <= m.end; ++s) {
        const uint8_t *end = match_at(&m, s);
        if (end && is_find) {
            lua_pushinteger(lua, s - m.begin + 1);
            lua_pushinteger(lua, end - m.begin);
            return 2 + push_captures(&m, NULL, NULL);
        }
        if (end) return push_captures(&m, s, end);
        if (pattern.is_anchored) break;
    }
    lua_pushnil(lua);
    return 1;
}

static int string_find(lua_State *lua) { return find_or_match(lua, true); }

static int string_match(lua_State *lua) { return find_or_match(lua, false); }

// Upvalues: text, pattern (compiled, in a userdata), offset of the next try, end of the last match (-1: none).
static int gmatch_step(lua_State *lua)
{
    couMatcher m;
    lua_settop(lua, 0);
    lua_pushvalue(lua, lua_upvalueindex(1));
    begin_match(&m, lua);
    m.pattern = lua_touserdata(lua, lua_upvalueindex(2));
    const uint8_t *s = m.begin + lua_tointeger(lua, lua_upvalueindex(3));
    lua_Integer last = lua_tointeger(lua, lua_upvalueindex(4));
    for (; s <= m.end; ++s) {
        const uint8_t *end = match_at(&m, s);
        if (!end || end - m.begin == last) continue; // not the empty match right behind the last one
        lua_pushinteger(lua, end - m.begin);
        lua_copy(lua, -1, lua_upvalueindex(3));
        lua_replace(lua, lua_upvalueindex(4));
        return push_captures(&m, s, end);
    }
    lua_pushinteger(lua, m.end - m.begin + 1);
    lua_replace(lua, lua_upvalueindex(3));
    return 0;
}

static int string_gmatch(lua_State *lua)
{
    size_t size, length;
    luaL_checklstring(lua, 1, &size);
    const char *text = luaL_checklstring(lua, 2, &length);
    size_t offset = start_offset(lua, 3, size);
    lua_settop(lua, 2);
    lua_pushvalue(lua, 1);
    couPattern *pattern = lua_newuserdatauv(lua, sizeof *pattern, 0);
    compile(lua, pattern, (const uint8_t *)text, length, false);
    lua_pushinteger(lua, (lua_Integer)offset);
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, gmatch_step, 4);
    return 1;
}

// The replacement text of argument 3: %0 is the match, %1 to %9 captures, %% a percent sign.
static void add_template(couMatcher *m, luaL_Buffer *buffer, const uint8_t *s, const uint8_t *end)
{
    size_t length;
    const char *text = lua_tolstring(m->lua, 3, &length);
    for (const char *c = text, *stop = text + length; c < stop; ++c) {
        if (*c != '%') {
            luaL_addchar(buffer, *c);
            continue;
        }
        ++c; // at worst the terminating zero
        if (*c == '%') {
            luaL_addchar(buffer, '%');
        } else if (*c == '0' || (*c == '1' && m->level == 0)) {
            luaL_addlstring(buffer, (const char *)s, (size_t)(end - s));
        } else if (isdigit((unsigned char)*c)) {
            if (*c - '1' >= m->level) luaL_error(m->lua, "invalid capture index %%%c in replacement string", *c);
            push_capture(m, *c - '1');
            luaL_addvalue(buffer);
        } else {
            luaL_error(m->lua, "invalid use of '%%' in replacement string");
        }
    }
    count_steps(m, (int64_t)length);
}

// Appends what argument 3 makes of a match; false or nil from a table or function keeps the original.
static void add_replacement(couMatcher *m, luaL_Buffer *buffer, const uint8_t *s, const uint8_t *end)
{
    lua_State *lua = m->lua;
    int type = lua_type(lua, 3);
    if (type == LUA_TSTRING || type == LUA_TNUMBER) {
        add_template(m, buffer, s, end);
        return;
    }
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(lua, 3);
        lua_call(lua, push_captures(m, s, end), 1);
    } else {
        if (m->level == 0) {
            lua_pushlstring(lua, (const char *)s, (size_t)(end - s));
        } else {
            push_capture(m, 0);
        }
        lua_gettable(lua, 3);
    }
    if (!lua_toboolean(lua, -1)) {
        lua_pop(lua, 1);
        luaL_addlstring(buffer, (const char *)s, (size_t)(end - s));
    } else if (lua_isstring(lua, -1)) {
        luaL_addvalue(buffer);
    } else {
        luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
    }
}

static int string_gsub(lua_State *lua)
{
    couMatcher m;
    couPattern pattern;
    begin_match(&m, lua);
    size_t length;
    const char *text = luaL_checklstring(lua, 2, &length);
    int type = lua_type(lua, 3);
    luaL_argexpected(lua, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                     "string/function/table");
    lua_Integer limit = luaL_optinteger(lua, 4, (lua_Integer)(m.end - m.begin) + 1);
    compile(lua, &pattern, (const uint8_t *)text, length, true);
    m.pattern = &pattern;
    luaL_Buffer buffer;
    luaL_buffinit(lua, &buffer);
    const uint8_t *s = m.begin, *last = NULL;
    lua_Integer count = 0;
    while (count < limit) {
        const uint8_t *end = match_at(&m, s);
        if (end && end != last) {
            ++count;
            add_replacement(&m, &buffer, s, end);
            s = last = end;
        } else if (s < m.end) {
            luaL_addchar(&buffer, (char)*s++);
        } else {
            break;
        }
        if (pattern.is_anchored) break;
    }
    luaL_addlstring(&buffer, (const char *)s, (size_t)(m.end - s));
    luaL_pushresult(&buffer);
    lua_pushinteger(lua, count);
    return 2;
}

void couSandbox_OpenPatterns(lua_State *lua)
{
    static const luaL_Reg own[] = {
        {"find", string_find}, {"match", string_match}, {"gmatch", string_gmatch}, {"gsub", string_gsub}, {NULL, NULL}};
    luaL_setfuncs(lua, own, 0);
}
