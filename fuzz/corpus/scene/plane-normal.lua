scene {}
body { shape = plane { normal = {0, 0, 0} } }
