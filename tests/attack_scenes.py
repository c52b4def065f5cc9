"""Scenes and callbacks that mean harm, for attack_test.py."""
from attack_inputs import damage

DROP = """scene { title = "Drop", dimension = 2, spacing = 0.05, duration = 0.2, fps = 50 }
body { name = "plate", shape = box { size = {1, 0.1} } }
fluid { material = "water", shape = box { size = {0.2, 0.2} }, at = {0, 0.3} }
"""
FULL = """scene { title = "All", spacing = 0.06, duration = 0.1, fps = 50, method = "pvfs", seed = 3 }
local honey = material("honey", { springs = "plastic", shear_modulus = 100 })
body { name = "floor", shape = plane { normal = {0, 1, 0} } }
body { name = "ball", shape = sphere { radius = 0.08 }, at = {0.3, 0.2, 0}, fixed = false }
joint { kind = "hinge", a = "ball", at = {0.3, 0.5, 0}, axis = {0, 0, 1} }
fluid { material = honey, shape = box { size = {0.2, 0.2, 0.2} }, at = {0, 0.2, 0} }
emitter { material = "water", shape = disk { radius = 0.06 }, at = {0, 0.6, 0}, direction = {0, -1, 0}, speed = 1 }
blower { name = "fan", shape = box { size = {0.3, 0.3, 0.3} }, at = {0, 0.2, 0}, acceleration = 20 }
sink { shape = sphere { radius = 0.1 }, at = {1, 0, 0} }
solid { name = "jelly", shape = box { size = {0.1, 0.1, 0.1} }, cells = {2, 2, 2}, at = {-0.5, 0.2, 0} }
field { kind = "uniform", vector = {1, 0, 0} }
gauge { name = "speed", what = "speed", at = {0, 0.2, 0}, every = 0.005 }
camera { from = {1, 1, 1}, to = {0, 0, 0} }
every(0.01, function(world) world.store.n = (world.store.n or 0) + 1 end)
"""
NUMBERS = [
    "0", "-0.0", "-1", "1e-300", "1e300", "-1e300", "0/0", "1/0", "-1/0", "2^31", "2^63", "2^53", "1e-9", "math.maxinteger",
    "math.mininteger", "0.1e-40", "65536", "1e9", "3.4e38", "1e39",
]
VALUES = NUMBERS + ["nil", "true", "false", "{}", "{{}}", "''", "'\\0'", "('x'):rep(1e5)", "function() end", "print", "_G", "{1}",
                    "{0/0, 1, 2}", "{1, 2, 3, 4}", "{x = 1}", "setmetatable({}, {__index = function() error('no') end})",
                    "'../../../../etc/passwd'", "'/etc/passwd'", "'\\27[2J'", "coroutine.create(print)", "string.dump and 1 or 2",
                    "{[1e300] = 1}", "'%s%n%s'", "box { size = {1, 1, 1} }", "plane {}", "'auto'"]
SNIPPETS = [
    "while true do end", "for i = 1, 1e18 do end", "local function f() return f() end f()", "local function f() f() end f()",
    "local t = setmetatable({}, {}) getmetatable(t).__call = t t()", "local s = ('x'):rep(1e9)",
    "local s = ('x'):rep(1e9, ('y'):rep(1e9))", "local t = {} for i = 1, 1e9 do t[i] = i end",
    "local s = 'x' while true do s = s .. s end", "('a'):rep(40):find(('a*'):rep(30) .. 'b')", "('x'):rep(2e5):gsub('.-b', '')",
    "string.format('%99999d', 1)", "string.format('%s', ('x'):rep(3e7))", "table.concat({}, 'x', 1, 1e9)",
    "table.unpack({}, 1, 1e8)", "select('#', table.unpack({}, 1, 1e7))", "error()", "error(nil)", "error({})",
    "error(setmetatable({}, {__tostring = function() while true do end end}))", "error('\\27[2J\\0')",
    "setmetatable(_G, {__index = function(t, k) return t[k] end}) local x = undefined",
    "local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true do c() end",
    "coroutine.wrap(function() coroutine.wrap(function() while true do end end)() end)()",
    "pcall(function() while true do end end)", "while true do pcall(error) end", "repeat until pcall(string.rep, 'x', 1e10)",
    "table.sort({3, 2, 1, 5, 4}, function() return true end)",
    "local t = {} for i = 1, 1e4 do t[i] = i end table.sort(t, function(a, b) while true do end end)",
    "local t = {} t[1] = t for i = 1, 1e6 do t = {t} end", "for i = 1, 1e7 do print(i) end", "print(('x'):rep(1e7))",
    "print(setmetatable({}, {__tostring = function() return 5 end}))", "math.random(0/0)", "math.random(1, 0)",
    "math.random(math.mininteger, math.maxinteger)", "require 'nothing'", "require '../../etc/passwd'", "require '/etc/passwd'",
    "require 'scene'", "require(('a/'):rep(1e4))", "load('return 1')()", "local f = load('while true do end') f()",
    "load(string.char(27) .. 'Lua')", "string.rep('x', -1)", "utf8.char(table.unpack({}, 1, 1e6))", "goto a ::a:: goto a",
    "local x <close> = setmetatable({}, {__close = function() while true do end end})",
    "setmetatable({}, {__gc = function() while true do end end}) collectgarbage()",
    "collectgarbage('stop') while true do local t = {} end", "string.pack('!16' .. ('j'):rep(1e6), 1)",
    "('x'):rep(100):gsub('x', function() error('in') end)", "next({}, 1)", "rawset(_G, nil, 1)", "io.open('x', 'w')",
    "os.execute('touch hacked')", "os.exit(0)", "debug.sethook()", "dofile('/etc/passwd')", "package.loadlib('x', 'y')",
    "_G = nil print = nil scene = nil", "string.find = nil",
    "getmetatable('').__index = function() while true do end end local x = ('x').y",
    "scene { spacing = 0.05 } scene { spacing = 0.05 }", "scene()", "scene('x')", "scene { scene }", "fluid {}", "body {}",
    "solid {}", "blower {}", "body { shape = mesh { file = '/dev/zero' } }",
    "body { shape = mesh { file = '../../../etc/passwd' } }", "solid { file = '/dev/zero' }", "solid { file = '../x.msh' }",
    "solid { shape = sphere { radius = 1 }, spacing = 1e-6 }",
    "solid { shape = box { size = {1, 1, 1} }, cells = {1024, 1024, 1024} }",
    "solid { shape = box { size = {1, 1, 1} }, cells = {2, 2, 2}, young = 1e12, density = 1e-6 }",
    "solid { shape = box { size = {1e-6, 1e-6, 1e-6} }, cells = {2, 2, 2} }",
    "for i = 1, 70000 do body { shape = plane {} } end", "for i = 1, 1e6 do material('water') end",
    "local s = sphere { radius = 1 } for i = 1, 1e5 do s = s:at { 0, 0, 0 } end body { shape = s }",
    "local s = sphere { radius = 1 } for i = 1, 40 do s = union { s, s } end body { shape = s }",
    "fluid { material = 'water', shape = box { size = {1e6, 1e6, 1e6} } }",
    "fluid { material = 'water', shape = sphere { radius = 1e30 } }",
    "emitter { material = 'water', shape = disk { radius = 1e6 }, speed = 1e4 }", "camera { from = {0, 0, 0}, to = {0, 0, 0} }",
    "gauge { name = 'x', what = 'pressure', at = {0, 0, 0}, every = 1e-300 }", "every(1e-300, function() end)",
    "every(0, function() end)", "at(-1, function() end)", "at(0/0, function() end)",
    "for i = 1, 1e5 do at(0, function() end) end",
]
WATER = "fluid { material = 'water', shape = box { size = {0.2, 0.2, 0.2} }, at = {0, 0.3, 0} } "
# What a scene must not get away with: exit code 2 and a message with its place.
REFUSED = [
    # what the interpreter does by itself, without a call in the text
    "local t = setmetatable({}, {}) getmetatable(t).__index = t local x = t.a",
    "local t = {} for i = 1, 3000 do t = setmetatable({}, {__index = t}) end local x = t.a",
    "local f f = function(t, k) return setmetatable({}, {__index = f})[k] end local x = f({}, 'a')",
    "local t = setmetatable({}, {__newindex = function(t, k, v) t[k] = v end}) t.a = 1",
    "local m = {} m.__tostring = function(t) return tostring(setmetatable({}, m)) end print(setmetatable({}, m))",
    "local m = {} m.__close = function() local y <close> = setmetatable({}, m) end local x <close> = setmetatable({}, m)",
    "local x <close> = setmetatable({}, {__close = function() error('close') end}) error('body')", "local x <close> = 5",
    "local m = {} m.__eq = function(a, b) return a == b end local x = setmetatable({}, m) == setmetatable({}, m)",
    "local m = {} m.__lt = function(a, b) return a < b end local x = setmetatable({}, m) < setmetatable({}, m)",
    "local m = {} m.__concat = function(a, b) return a .. b end local x = setmetatable({}, m) .. 'x'",
    "local m = {} m.__len = function(a) return #a end local x = #setmetatable({}, m)",
    "local m = {} m.__unm = function(a) return -a end local x = -setmetatable({}, m)",
    "local t = setmetatable({}, {__pairs = function(t) return pairs(t) end}) for k in pairs(t) do end",
    "local t = setmetatable({}, {__pairs = function() return function() return 1 end end}) for k in pairs(t) do end",
    "local c = {} for i = 1, 20000 do c[i] = setmetatable({}, {__call = c[i - 1]}) end while true do pcall(c[#c]) end",
    "local t = setmetatable({}, {__name = '\\27[2J\\n\\n'}) print(t) error(tostring(t) .. t)",
    "local t = setmetatable({}, {__metatable = false}) setmetatable(t, {})",
    # loops
    "for i = 1, math.huge do end", "for i = math.mininteger, math.maxinteger do end", "for i = 1, 0, 0 do end",
    "for i = 1.0, math.huge, 1e-300 do end", "for a in function() return 1 end do end", "for a in nil do end",
    "for a, b, c, d in pairs({}), nil, nil, 5 do end", "::top:: local function f() end goto top", "do ::a:: ::b:: goto b end",
    "goto nowhere", "::a:: ::a::", "break", "local function f(...) return select('#', ...) + f(1, ...) end f()",
    "local function f(a) return f({a}) end f()", "local f = function(s) return f(s .. s) end f('x')",
    # strings, tables and numbers
    "string.format('%1000s', 'x')", "string.format(('%d'):rep(1e5), 1)",
    "local s = ('x'):rep(1.6e7) for i = 1, 1e9 do local y = s == s .. '' end", "string.rep('x', 1e308)", "string.rep(nil, 1e9)",
    "('x'):rep(1e7):reverse():upper():lower():byte(1, -1)", "string.char(table.unpack({}, 1, 9999))", "string.char(256)",
    "local t = {} for i = 1, 1e5 do t[i] = ('x'):rep(1e5) end", "table.concat({{}})", "table.concat({1, 2}, ('x'):rep(1e7))",
    "table.move({}, 1, math.maxinteger, 2)", "table.move({1}, 1, 1e9, 2)", "table.insert({}, math.maxinteger, 1)",
    "table.sort({1, 'a', {}})", "table.sort({1, 2, 3}, 5)", "table.unpack({}, math.mininteger, math.maxinteger)",
    "select(math.mininteger)", "tostring()", "tonumber('1e', 99)", "local x = 1 // 0", "local x = 1 % 0",
    "local x = 1 << 1e300", "local x = 2^53 | 0.5", "rawlen(5)", "rawequal()", "math.floor({})", "math.random(1e300)",
    "math.randomseed(0/0)", "string.sub('x', 0/0, 1)", "local t = {} t[0/0] = 1", "local t = {} t[nil] = 1",
    "local t = nil t.x = 1", "local t = 5 t()", "print(table.pack(nil, nil).n.x)",
    # errors
    "error({code = 2})", "error(print)", "error(setmetatable({}, {__tostring = function() error('again') end}))",
    "error(('x'):rep(1e6))", "error('a\\nb\\nc\\n' .. ('\\n'):rep(1000))", "error('x', 1e9)", "error('x', -5)", "error(0/0)",
    "assert(false)", "assert(nil, {})", "assert()", "pcall()",
    "local e = 'x' for i = 1, 1e6 do local _, m = pcall(error, e) end error(e)",
    # what compiles badly
    "if x == 1 then " + "elseif x then " * 60000 + "end", "local a = " + "a and " * 100000 + "a",
    "local a = " + "-" * 100000 + "1", "local " + ",".join(f"a{i}" for i in range(300)), "x = " + "f(" * 190 + ")" * 190,
    "local s = [" + "=" * 100000 + "[", "--[[", "local s = 'abc", "local a <const> = 1 a = 2", "return " * 5, "\\0", "@#$%",
    "\ufeff", "é = 1", "".join(f"local function f{i % 190}() return f{i % 190} end do " for i in range(150)),
    "".join(f"::l{i}:: goto l{i} " for i in range(30000)),
    # what scenes are made of
    "gauge { what = 'pressure' }", "gauge { name = 'a', what = 'nothing' }",
    "gauge { name = 'a,b\\n', what = 'pressure', at = {0, 0, 0} }",
    "gauge { name = 'time', what = 'pressure', at = {0, 0, 0} }", "gauge { name = 'a', what = 'pressure', at = {0/0, 0, 0} }",
    "for i = 1, 2 do gauge { name = 'same', what = 'pressure', at = {0, 0, 0} } end",
    WATER + "gauge { name = 'a', what = 'pressure', at = {0, 0, 0}, every = 1e-9 }",
    WATER + "gauge { name = 'a', what = 'velocity', from = {0, 0, 0}, to = {1e9, 0, 0}, points = 1e9 }",
    "for i = 1, 1e5 do body { name = 'b' .. i, shape = sphere { radius = 0.01 }, at = {i, 0, 0}, fixed = false } end",
    "for i = 1, 1e5 do fluid { material = 'water', shape = box { size = {0.1, 0.1, 0.1} } } end",
    "emitter { material = 'water', shape = disk { radius = 0.1 }, direction = {0, -1, 0}, speed = 1e9 }",
    "emitter { material = 'water', shape = disk { radius = 1e-9 }, direction = {0, 0, 0}, speed = 1 }",
    "emitter { material = 'water', shape = disk { radius = 0.1 }, speed = 1, start = 1, stop = -1 }",
    "for i = 1, 1e5 do field { acceleration = {0, 1, 0} } end", "solid { shape = sphere { radius = 0.1 }, level = 40 }",
    "solid { shape = box { size = {1, 1, 1} }, level = 12 }",
    "solid { shape = box { size = {1, 1, 1} }, cells = {1, 1, 1}, young = 1e30, poisson = 0.5 }",
    "solid { shape = box { size = {1, 1, 1} }, cells = {0/0, -1, 1e9} }",
    "solid { file = 'a.msh', shape = sphere { radius = 1 } }", "joint { kind = 'hinge', a = 'nobody', at = {0, 0, 0} }",
    "joint { kind = 'nothing' }",
    "body { name = 'a', shape = sphere { radius = 1 }, fixed = false } joint { kind = 'hinge', a = 'a', axis = {0, 0, 0} }",
    "body { name = 'a', shape = sphere { radius = 1e-30 }, fixed = false, density = 1e30 }",
    "body { name = 'a', shape = sphere { radius = 1 }, density = 1e-30, fixed = false, velocity = {1e30, 0, 0} }",
    "body { name = '\\27[31m\\0\\n', shape = plane {} }", "body { name = '\\xc0\\xaf\\xff\\xfe', shape = plane {} }",
    "body { name = ('x'):rep(1e5), shape = plane {} }", "body { name = '../../x', shape = sphere { radius = 0.1 } }",
    "material('\\27[31m', {})", "material('water', { color = {0/0, 0, 0}, viscosity = 1/0, density = -1 })",
    "material('nothing')",
    "local m = material('water') m.viscosity = 0/0 m.base = m fluid { material = m, shape = box { size = {0.1, 0.1, 0.1} } }",
    "body { shape = polygon { " + "{0, 0}, " * 1000 + "} }",
    "body { shape = shell { sphere { radius = 1 }, thickness = 1e-30 } }", "body { shape = union {} }",
    "local s = sphere { radius = 1 } for i = 1, 40 do s = intersection { s, s } end body { shape = s }",
    "local s = sphere { radius = 1 } for i = 1, 40 do s = union { s, s } end body { shape = s }",
    "local s = sphere { radius = 1 } for i = 1, 24 do s = difference { s, s:at { 0.9, 0, 0 } } end body { shape = s }",
    "body { shape = text { '\\xff\\0', font = '/dev/zero', height = 0/0, depth = 1e-30 } }",
    "body { shape = box { size = {1, 1, 1} }:at {0/0, 0, 0} }",
    "body { shape = box { size = {1, 1, 1} }:turn { axis = {0, 0, 0}, angle = 1e300 } }",
    "camera { from = {0/0, 0, 0}, to = {1e30, 0, 0}, fov = 1e9 }", "camera { keyframes = {} }",
    "colors { by = 'nothing', range = {1, 0} }",
    # names that are not to be had
    "local w = scene w = nil local s = scene { spacing = -1 }", "local _ENV = nil x = 1", "require 'a/../a'", "require 'a\\0b'",
    "require '.'", "require ''", "require(require)", "package = nil require = nil require 'x'",
]
# What only looks as if it did harm: it ends in its time, well or refused.
HARMLESS = [
    "local t = setmetatable({}, {__len = function() return math.maxinteger end}) table.sort(t)",
    "local t = setmetatable({}, {__len = function() return 1e15 // 1 | 0 end}) print(table.concat(t))",
    "local t = setmetatable({}, {__len = function() return math.maxinteger end}) table.insert(t, 1, 1)",
    "local t = setmetatable({}, {__len = function() return -1 end}) table.remove(t)",
    "local m = {} local t = setmetatable({}, m) m.__gc = function() while true do end end t = nil for i = 1, 1e5 do t = {} end",
    "local c = {} for i = 1, 20000 do c[i] = setmetatable({}, {__call = c[i - 1]}) end pcall(c[#c])",
    "for i = 1, 10, 0/0 do end", "for i = math.maxinteger - 1, math.maxinteger do end",
    "local function f(n) if n == 0 then return end return f(n - 1) end f(1e8)",
    "string.format('%q', 0/0) string.format('%q', print)", "string.format('%c', 1e9)",
    "string.format('%s', setmetatable({}, {__tostring = function() return ('x'):rep(1e7) end}))",
    "table.sort({0/0, 0/0, 1, 2, 0/0}, function(a, b) return a < b end)",
    "local t = {} for i = 1, 1e3 do t[i] = i end table.sort(t, function(a, b) table.sort(t) return a < b end)",
    "local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function(a, b) t[#t + 1] = a return true end)",
    "tonumber(('9'):rep(1e6))", "local x = ('9'):rep(1e6) + 1", "local x = math.mininteger // -1",
    "string.find('x', 'x', math.mininteger, true)", "pcall(pcall, pcall, pcall, error)", "local a = {" + "1," * 300000 + "}",
    "local a = '" + "\\\\z " * 100000 + "'", "local a = 0x" + "f" * 100000, "local a = 1e" + "9" * 100000,
    "for i = 1, 2000 do gauge { name = 'g' .. i, what = 'pressure', at = {0, 0, 0} } end",
    "for i = 1, 1e4 do emitter { material = 'water', shape = disk { radius = 0.1 }, speed = 1 } end",
    "emitter { material = 'water', shape = box { size = {0.1, 0.1, 0.1} }, period = 1e-12 }",
    "field { acceleration = function() return 1e300, 0/0, 1/0 end }",
    "for i = 1, 300 do solid { shape = box { size = {0.1, 0.1, 0.1} }, cells = {8, 8, 8}, at = {i, 0, 0} } end",
    "scene = function() end fluid = scene", "_ENV = {}",
    "body { shape = difference { sphere { radius = 1e6 }, sphere { radius = 1e-6 } } }",
    "body { shape = difference { plane {} } }",
    "body { shape = text { ('W'):rep(256), font = 'dejavu-sans', height = 1 } }",
]
# In events.
EVENTS = [
    "coroutine.wrap(function() while true do end end)()", "local t = {} t.t = t world.store.t = t",
    "world.store.x = setmetatable({}, {__index = function() end})", "world:set('spacing', 1)",
    "world:set('water.viscosity', {})", "world:set(nil, nil)", "world:set('water.viscosity', '1e999')",
    "world.store[('x'):rep(1e6)] = 1", "local t = world.store for i = 1, 300 do t.t = {} t = t.t end",
    "for i = 1, 1e6 do world:log('x') end", "error({})", "error(setmetatable({}, {__tostring = error}))", "world:gauge('none')",
    "world:gauge({})", "for i = 1, 1e9 do at(i, print) end", "local x = world.world.world",
    "world.store.n = 0/0 world.store.i = 1/0 world.store.m = math.mininteger",
    "setmetatable(world.store, {__newindex = error})", "rawset(world, 'time', 0)", "gauge { name = 'late' }",
]


# --- Scenes and callbacks ---

def spoil_value(rng, text):
    """Another value for one of the keys."""
    places = [i for i in range(len(text) - 3) if text[i:i + 3] == " = "]
    at = rng.choice(places) + 3
    end, depth = at, 0
    while end < len(text) and not (depth == 0 and text[end] in ",}\n"):
        depth += text[end] in "{("
        depth -= text[end] in "})"
        end += 1
    return text[:at] + rng.choice(VALUES) + text[end:]


def shuffle_words(rng, text):
    words = text.split(" ")
    for _ in range(rng.choice((1, 3))):
        a, b = rng.randrange(len(words)), rng.randrange(len(words))
        words[a], words[b] = words[b], words[a]
    return " ".join(words)


def scenes(rng, count):
    """Text, whether it is to be run or only checked, and the exit codes that are right for it."""
    # Without the semicolon a snippet that begins with a bracket would be an argument of what scene{} gives back.
    head = "scene { spacing = 0.06, duration = 0.1 }\n;"
    cases = [(head + snippet, False, (2,)) for snippet in REFUSED]
    cases += [(head + snippet, number % 3 == 0, (0, 2)) for number, snippet in enumerate(SNIPPETS + HARMLESS)]
    cases += [(f"{head}{WATER}at(0.001, function(world) {event} end)", True, (0, 1)) for event in EVENTS]
    yield from cases
    for number in range(count - len(cases)):
        text = rng.choice((DROP, FULL))
        if number % 3 == 0:
            text = damage(rng, text.encode())
        elif number % 3 == 1:
            for _ in range(rng.choice((1, 1, 2, 4))):
                text = spoil_value(rng, text)
        else:
            text = shuffle_words(rng, text)
        yield text, number % 2 == 0, (0, 1, 2) if number % 2 == 0 else (0, 2)


CALLBACK_CALLS = [
    "world:stop_emitters(1, 2, 3)", "world:set('blower.fan.force', 0/0)", "world:set('nothing', 1)",
    "world:set('water', 'viscosity', -1)", "world:set('pvfs.height_error', 1e300)", "world:set({}, {})",
    "world:gravity { 0/0, 0, 0 }", "world:gravity { 1e300, 0, 0 }", "world:gravity('x')", "world:push('ball', { 1e300, 0, 0 })",
    "world:push('nobody', {0, 0, 0})", "world:remove_body('ball') world:remove_body('ball')", "world:remove_body('floor')",
    "world.store.x = world", "world.store = nil", "world.store.a = {} world.store.a.b = world.store.a",
    "world.store.x = ('x'):rep(1e8)", "for i = 1, 1e7 do world.store[i] = i end", "world.store[0/0] = 1",
    "world.store.f = print", "local w = world at(0.02, function() w:log('late') end)", "every(1e-6, function() end)",
    "at(0, function(w) at(0, function() end) end)", "local function f(w) at(0, f) end f(world)",
    "for i = 1, 1e5 do world:log('x') end", "world:log(('\\27[2J'):rep(1000))", "world.time = 5",
    "getmetatable(world).__index = nil", "world = nil", "setmetatable(world, {})",
    "world:remove_joint('joint1') world:remove_joint('joint1')", "world:motor('joint1', 1e300, 0/0)", "scene { spacing = 0.1 }",
    "body { shape = plane {} }", "world:set_velocity('ball', {1e30, 0, 0})",
    "fluid { material = 'water', shape = box { size = {1, 1, 1} } }", "for k, v in pairs(world) do end",
    "world:set_free('floor', true)", "world:set_free('ball', false) world:set_free('ball', true) world:set_free('ball', false)",
    "world:set_velocity('ball', {0/0, 0, 0})", "world:add_springs('water')",
    "world:add_springs('honey') world:delete_springs('honey')", "world:delete_springs({})", "local b = world:body('x')",
    "world:body(1e300)", "for i = 1, 1e4 do world:pour { material = 'water', shape = box { size = {0.2, 0.2, 0.2} } } end",
    "world:pour { material = 'water', shape = box { size = {1e3, 1e3, 1e3} } }", "world:pour {}", "world:pour(0/0)",
    "world:emitter('emitter1', 5)", "world:set('blower.fan.on', {})", "world:set('fan', 'acceleration', 1e300)",
    "world.set(5, 6)", "world.push(world, world, world)", "world:record('speed', 0/0)", "world:record('x', {})",
    "world:record(('x'):rep(1e5), 1)", "world:remove_gauge('speed') world:gauge('speed')", "world:gauge(0/0)",
    "for i = 1, 1e6 do world:record('g' .. i, i) end", "world:particle_count('nothing', {})",
]


def callbacks(rng, count):
    holders = ["at(0.005, function(world) {} end)", "every(0.01, function(world) {} end)"]
    motions = ["body {{ name = 'm', shape = box {{ size = {{0.1, 0.1, 0.1}} }}, motion = function(t) {} end }}",
               "field {{ acceleration = function(x, y, z, vx, vy, vz, t) {} end }}",
               "fluid {{ material = 'water', shape = box {{ size = {{0.2, 0.2, 0.2}} }}, at = {{0, 1, 0}}, "
               "velocity = function(x, y, z) {} end }}",
               "emitter {{ material = 'water', shape = disk {{ radius = 0.06 }}, motion = function(t) {} end }}"]
    returns = ["return " + value for value in VALUES[:30]]
    returns += ["return {at = {0/0, 0, 0}}", "return 1, 2, 3, 4", "return {at = {1e30 * t, 0, 0}}"]
    cases = [(holder, call) for call in CALLBACK_CALLS for holder in holders]
    cases += [(holders[0], snippet) for snippet in SNIPPETS[:60]] + [(motion, body) for motion in motions for body in returns]
    cases += [(motion, snippet) for motion in motions for snippet in SNIPPETS[:10]]
    for holder, body in rng.sample(cases, count):
        yield FULL + holder.format(body) + "\n"
