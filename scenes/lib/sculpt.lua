-- Figures like of clay: round limbs that melt into each other, made into a mesh. local sculpt = require "lib.sculpt"
-- The surface is where the smooth union of all limbs, f = -blend log(sum exp(-distance/blend)), is zero. It is found in cubes (surface
-- nets: Gibson 1998), of which only those near the surface are looked at.
local BLOCK = 4 -- cubes along a block, which is looked at or left out as a whole

-- Distance of a point to a limb, whose radius goes evenly from one end to the other.
local function limb_distance(limb, x, y, z)
    local px, py, pz = x - limb.x, y - limb.y, z - limb.z
    local t = (px * limb.dx + py * limb.dy + pz * limb.dz) * limb.inv_length2
    if t < 0 then t = 0 elseif t > 1 then t = 1 end
    px, py, pz = px - t * limb.dx, py - t * limb.dy, pz - t * limb.dz
    return math.sqrt(px * px + py * py + pz * pz) - limb.radius - t * limb.growth
end

local function blended_distance(limbs, blend, x, y, z)
    local sum = 0
    for i = 1, #limbs do sum = sum + math.exp(-limb_distance(limbs[i], x, y, z) / blend) end
    return -blend * math.log(sum)
end

-- The limbs that matter within `reach` of a point, and whether the surface may pass there.
local function near_limbs(limbs, blend, x, y, z, reach)
    local distances, nearest = {}, math.huge
    for i = 1, #limbs do
        distances[i] = limb_distance(limbs[i], x, y, z)
        nearest = math.min(nearest, distances[i])
    end
    local kept = {}
    for i = 1, #limbs do
        if distances[i] < nearest + 2 * reach + 6 * blend then table.insert(kept, limbs[i]) end
    end
    return kept, math.abs(nearest) < reach + blend * math.log(#limbs) + blend
end

local function bounds_of(limbs, margin)
    local low, high = { math.huge, math.huge, math.huge }, { -math.huge, -math.huge, -math.huge }
    for _, limb in ipairs(limbs) do
        local a, d, r = { limb.x, limb.y, limb.z }, { limb.dx, limb.dy, limb.dz }, math.max(limb.radius, limb.radius + limb.growth) + margin
        for k = 1, 3 do
            low[k] = math.min(low[k], a[k] - r, a[k] + d[k] - r)
            high[k] = math.max(high[k], a[k] + r, a[k] + d[k] + r)
        end
    end
    return low, high
end

-- The cubes of one block that the surface passes get a vertex each, at the middle of where it crosses their edges.
local function net_block(net, limbs, bi, bj, bk)
    local low, cell, steps, f = net.low, net.cell, net.steps, net.values
    for i = bi, bi + BLOCK do
        for j = bj, bj + BLOCK do
            for k = bk, bk + BLOCK do
                local corner = i * steps[1] + j * steps[2] + k
                -- A corner shared by two blocks has one value, so that they agree on its sign.
                f[corner] = f[corner] or blended_distance(limbs, net.blend, low[1] + i * cell, low[2] + j * cell, low[3] + k * cell)
            end
        end
    end
    for i = bi, bi + BLOCK - 1 do
        for j = bj, bj + BLOCK - 1 do
            for k = bk, bk + BLOCK - 1 do
                local base, count, sx, sy, sz = i * steps[1] + j * steps[2] + k, 0, 0, 0, 0
                for axis = 1, 3 do
                    local second, third = axis % 3 + 1, (axis + 1) % 3 + 1
                    for side = 0, 3 do
                        local corner = { 0, 0, 0 }
                        corner[second], corner[third] = side & 1, side >> 1
                        local from = base + corner[second] * steps[second] + corner[third] * steps[third]
                        local a, b = f[from], f[from + steps[axis]]
                        if (a < 0) ~= (b < 0) then
                            corner[axis] = a / (a - b)
                            count, sx, sy, sz = count + 1, sx + corner[1], sy + corner[2], sz + corner[3]
                            if side == 0 then table.insert(net.edges, { base, axis, a < 0 }) end
                        end
                    end
                end
                if count > 0 then
                    local at = { low[1] + (i + sx / count) * cell, low[2] + (j + sy / count) * cell, low[3] + (k + sz / count) * cell }
                    table.insert(net.vertices, at)
                    net.index[base] = #net.vertices
                end
            end
        end
    end
end

-- Every crossed edge becomes two triangles between the vertices of the four cubes around it.
local function triangles_of(net)
    local triangles, steps = {}, net.steps
    for _, edge in ipairs(net.edges) do
        local base, axis, is_leaving = edge[1], edge[2], edge[3]
        local u, v = steps[axis % 3 + 1], steps[(axis + 1) % 3 + 1]
        local a, b, c, d = net.index[base], net.index[base - u], net.index[base - u - v], net.index[base - v]
        if not is_leaving then b, d = d, b end
        table.insert(triangles, { a, b, c })
        table.insert(triangles, { a, c, d })
    end
    return triangles
end

-- A limb for sculpt.mesh: from one point to another, of one radius or tapering to a second one; without `to` a ball.
local function limb(radius, from, to, radius2)
    to = to or from
    local dx, dy, dz = to[1] - from[1], to[2] - from[2], to[3] - from[3]
    local length2 = dx * dx + dy * dy + dz * dz
    return {
        x = from[1], y = from[2], z = from[3], dx = dx, dy = dy, dz = dz, inv_length2 = length2 > 0 and 1 / length2 or 0,
        radius = radius, growth = (radius2 or radius) - radius,
    }
end

-- The mesh of limbs. keys: cell, the edge of the cubes; blend, the width of the melted seams; anything else goes to mesh { ... }.
local function make_mesh(limbs, keys)
    local low, high = bounds_of(limbs, 3 * keys.cell + keys.blend * math.log(#limbs))
    local net = { low = low, cell = keys.cell, blend = keys.blend, steps = { 4096 * 4096, 4096, 1 }, values = {}, vertices = {}, edges = {}, index = {} }
    local reach = 0.5 * math.sqrt(3) * BLOCK * keys.cell
    local counts = {}
    for k = 1, 3 do counts[k] = math.ceil((high[k] - low[k]) / keys.cell) end
    for i = 0, counts[1], BLOCK do
        for j = 0, counts[2], BLOCK do
            for k = 0, counts[3], BLOCK do
                local half = 0.5 * BLOCK
                local kept, may_cross = near_limbs(limbs, keys.blend, low[1] + (i + half) * keys.cell, low[2] + (j + half) * keys.cell,
                    low[3] + (k + half) * keys.cell, reach)
                if may_cross then net_block(net, kept, i, j, k) end
            end
        end
    end
    return mesh { vertices = net.vertices, triangles = triangles_of(net), scale = keys.scale, center = keys.center }
end

return { limb = limb, mesh = make_mesh }
