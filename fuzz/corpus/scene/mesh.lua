scene { spacing = 0.1 }
local shape = mesh { vertices = {{0,0,0},{1,0,0},{0,1,0},{0,0,1}}, triangles = {{1,3,2},{1,2,4},{1,4,3},{2,3,4}}, cell = 0.2 }
body { shape = shape, fixed = false, motion = {{time = 0, at = {0, 0, 0}}, {time = 1, at = {1, 0, 0}}} }
joint { kind = "hinge", a = "x", at = {0, 0, 0}, axis = {0, 0, 1} }
