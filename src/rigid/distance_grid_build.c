// How distance grids are made.
#include "rigid/distance_grid.h"

couDistanceGrid *couCreateDistanceGrid(couMesh *mesh, float cell, size_t max_bytes, int threads, couFaults *faults)
{
    (void)mesh, (void)cell, (void)max_bytes, (void)threads;
    couFaults_Add(faults, NULL, "mesh", "distance grids are not there yet");
    return NULL;
}
