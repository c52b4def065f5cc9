scene { spacing = 0.1 }
local t = {} for i = 1, 3000 do t[#t + 1] = {1,3,2} t[#t + 1] = {1,2,4} t[#t + 1] = {1,4,3} t[#t + 1] = {2,3,4} end
mesh { vertices = {{0,0,0},{1,0,0},{0,1,0},{0,0,1}}, triangles = t }
