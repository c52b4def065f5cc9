scene {}
local a, b = {}, {}
setmetatable(a, { __call = setmetatable(b, {}) })
getmetatable(b).__call = a
at(0, function() a() end)
