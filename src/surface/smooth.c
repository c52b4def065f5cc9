#include "surface/smooth.h"
bool couSmoothSurface(couSurface *surface, int rounds, couMemory *memory, const couParallel *parallel)
{
    (void)surface, (void)rounds, (void)memory, (void)parallel;
    return true;
}
double couSmoothingBytes(size_t vertices, size_t elements, int dimension)
{
    return 0.0 * (double)(vertices + elements) * dimension;
}
