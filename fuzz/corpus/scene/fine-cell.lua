scene {}
body { shape = mesh { vertices = {{0,0,0},{1,0,0},{0,1,0},{0,0,1}}, triangles = {{1,3,2},{1,2,4},{1,4,3},{2,3,4}}, cell = 1e-6 } }
