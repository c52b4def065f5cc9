-- Figures like of clay: round limbs that melt into each other, made into a mesh. local sculpt = require "lib.sculpt"
-- The surface is where the smooth union of all limbs, f = -blend log(sum exp(-distance/blend)), is zero. It is found in cubes
-- (surface nets: Gibson 1998), of which only those near the surface are looked at. A second set of limbs may be carved out.
local BLOCK = 4 -- cubes along a block, which is looked at or left out as a whole

-- Distance of a point to a limb, whose radius goes evenly from one end to the other.
local function limb_distance(limb, x, y, z)
    local px, py, pz = x - limb.x, y - limb.y, z - limb.z
    local t = (px * limb.dx + py * limb.dy + pz * limb.dz) * limb.inv_length2
    if t < 0 then t = 0 elseif t > 1 then t = 1 end
    px, py, pz = px - t * limb.dx, py - t * limb.dy, pz - t * limb.dz
    return math.sqrt(px * px + py * py + pz * pz) - limb.radius - t * limb.growth
end

-- Of every point (xs[n], ys[n], zs[n]). The inner loop is most of the time that a figure takes: it does limb_distance by itself.
local function blended_distances(limbs, blend, xs, ys, zs)
    local exp, sqrt, log, sums = math.exp, math.sqrt, math.log, {}
    for n = 1, #xs do sums[n] = 0 end
    for i = 1, #limbs do
        local limb = limbs[i]
        local lx, ly, lz, dx, dy, dz = limb.x, limb.y, limb.z, limb.dx, limb.dy, limb.dz
        local inv_length2, radius, growth = limb.inv_length2, limb.radius, limb.growth
        for n = 1, #xs do
            local px, py, pz = xs[n] - lx, ys[n] - ly, zs[n] - lz
            local t = (px * dx + py * dy + pz * dz) * inv_length2
            if t < 0 then t = 0 elseif t > 1 then t = 1 end
            px, py, pz = px - t * dx, py - t * dy, pz - t * dz
            sums[n] = sums[n] + exp(-(sqrt(px * px + py * py + pz * pz) - radius - t * growth) / blend)
        end
    end
    for n = 1, #xs do sums[n] = #limbs == 0 and math.huge or -blend * log(sums[n]) end
    return sums
end

-- The limbs that matter within `reach` of a point, and whether the surface may pass there.
local function near_limbs(limbs, blend, x, y, z, reach)
    if #limbs == 0 then return limbs, false end
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
        local a, d = { limb.x, limb.y, limb.z }, { limb.dx, limb.dy, limb.dz }
        local r = math.max(limb.radius, limb.radius + limb.growth) + margin
        for k = 1, 3 do
            low[k] = math.min(low[k], a[k] - r, a[k] + d[k] - r)
            high[k] = math.max(high[k], a[k] + r, a[k] + d[k] + r)
        end
    end
    return low, high
end

-- Values of f at the corners of a block. A corner shared by two blocks has one value, so that they agree on its sign.
local function sample_block(net, block)
    local low, cell, f = net.low, net.cell, net.values
    local corners, xs, ys, zs = {}, {}, {}, {}
    for i = block.i, block.i + BLOCK do
        for j = block.j, block.j + BLOCK do
            for k = block.k, block.k + BLOCK do
                local corner = i * net.steps[1] + j * net.steps[2] + k
                if not f[corner] then
                    local n = #corners + 1
                    corners[n], xs[n], ys[n], zs[n] = corner, low[1] + i * cell, low[2] + j * cell, low[3] + k * cell
                end
            end
        end
    end
    local outside = blended_distances(block.limbs, net.blend, xs, ys, zs)
    local carved = blended_distances(block.holes, net.blend, xs, ys, zs)
    for n = 1, #corners do f[corners[n]] = math.max(outside[n], -carved[n]) end
end

-- Whether a cube, given by its first corner, has corners on both sides of the surface. Most have not.
local function is_crossed(f, a, steps)
    local u, v, side = steps[1], steps[2], f[a] < 0
    local b, c, d = a + v, a + u, a + u + v
    return (f[a + 1] < 0) ~= side or (f[b] < 0) ~= side or (f[b + 1] < 0) ~= side or (f[c] < 0) ~= side
        or (f[c + 1] < 0) ~= side or (f[d] < 0) ~= side or (f[d + 1] < 0) ~= side
end

-- A face with two corners inside, across from each other, would become an edge of four triangles. The corner nearest to the
-- surface changes its side. Returns the number of such faces among three of the cube's.
local function mend_cube(net, a)
    local f, steps, count = net.values, net.steps, 0
    for axis = 1, 3 do
        local u, v = steps[axis % 3 + 1], steps[(axis + 1) % 3 + 1]
        local side, b, c, d = f[a] < 0, a + u, a + u + v, a + v
        if (f[c] < 0) == side and (f[b] < 0) ~= side and (f[d] < 0) ~= side then
            local nearest = a
            for _, corner in ipairs { b, c, d } do
                if math.abs(f[corner]) < math.abs(f[nearest]) then nearest = corner end
            end
            f[nearest] = f[nearest] < 0 and 1e-3 * net.cell or -1e-3 * net.cell
            count = count + 1
        end
    end
    return count
end

-- A cube that the surface passes gets a vertex, at the middle of where it crosses the edges.
local function net_cube(net, base, i, j, k)
    local low, cell, steps, f = net.low, net.cell, net.steps, net.values
    local count, sx, sy, sz = 0, 0, 0, 0
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
    local at = { low[1] + (i + sx / count) * cell, low[2] + (j + sy / count) * cell, low[3] + (k + sz / count) * cell }
    table.insert(net.vertices, at)
    net.index[base] = #net.vertices
end

-- Calls work(net, first corner, i, j, k) for every cube of a block that the surface passes; returns the sum of what it returns.
local function each_crossed(net, block, work)
    local f, steps, sum = net.values, net.steps, 0
    for i = block.i, block.i + BLOCK - 1 do
        for j = block.j, block.j + BLOCK - 1 do
            for k = block.k, block.k + BLOCK - 1 do
                local base = i * steps[1] + j * steps[2] + k
                if is_crossed(f, base, steps) then sum = sum + (work(net, base, i, j, k) or 0) end
            end
        end
    end
    return sum
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

-- The blocks that the surface may pass, each with the limbs and holes that matter there.
local function find_blocks(net, limbs, holes, high)
    local blocks, low, cell = {}, net.low, net.cell
    local reach = 0.5 * math.sqrt(3) * BLOCK * cell
    for i = 0, math.ceil((high[1] - low[1]) / cell), BLOCK do
        for j = 0, math.ceil((high[2] - low[2]) / cell), BLOCK do
            for k = 0, math.ceil((high[3] - low[3]) / cell), BLOCK do
                local x, y, z = low[1] + (i + BLOCK / 2) * cell, low[2] + (j + BLOCK / 2) * cell, low[3] + (k + BLOCK / 2) * cell
                local near, is_near = near_limbs(limbs, net.blend, x, y, z, reach)
                local near_holes, is_near_hole = near_limbs(holes, net.blend, x, y, z, reach)
                if is_near or is_near_hole then
                    table.insert(blocks, { i = i, j = j, k = k, limbs = near, holes = near_holes })
                end
            end
        end
    end
    return blocks
end

-- The mesh of limbs. Keys: cell, the edge of the cubes; blend, the width of the melted seams; holes, limbs that are carved out;
-- scale.
local function make_mesh(limbs, keys)
    local low, high = bounds_of(limbs, 3 * keys.cell + keys.blend * math.log(#limbs))
    local net = {
        low = low, cell = keys.cell, blend = keys.blend, steps = { 4096 * 4096, 4096, 1 },
        values = {}, vertices = {}, edges = {}, index = {},
    }
    local blocks = find_blocks(net, limbs, keys.holes or {}, high)
    for _, block in ipairs(blocks) do sample_block(net, block) end
    for _ = 1, 4 do
        local count = 0
        for _, block in ipairs(blocks) do count = count + each_crossed(net, block, mend_cube) end
        if count == 0 then break end
    end
    for _, block in ipairs(blocks) do each_crossed(net, block, net_cube) end
    return mesh { vertices = net.vertices, triangles = triangles_of(net), scale = keys.scale }
end

return { limb = limb, mesh = make_mesh }
