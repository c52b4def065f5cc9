/// Cameras: rays through pixels, in perspective or along -z.
#pragma once

#include "coulis/picture.h"

typedef struct couView {
    couVec3 origin;    ///< of perspective rays; of the picture's centre otherwise
    couVec3 forward;   ///< unit
    couVec3 right, up; ///< half a picture wide and high at distance 1 (perspective) or in metres
    bool is_perspective;
    int width, height; ///< [pixels]
    float pixel;       ///< size of a pixel at distance 1, or in metres
    couVec3 focus;     ///< centre of what is looked at [m]
    float focus_size;  ///< extent of what is looked at [m]; the scale of shadows, floor pattern and haze
} couView;

typedef struct couRay {
    couVec3 origin, direction; ///< direction is unit
} couRay;

/// Looks from `from` at `to`, which differ; fov in degrees, vertical.
couView couLookFrom(couVec3 from, couVec3 to, float fov, int width, int height);
/// The whole box in a three-quarter view, with a margin. With a turn [degrees], not NaN, it goes around the box at one distance.
couView couLookAtBox(couBounds box, float fov, float turn, int width, int height);
/// The box's x and y extents along -z, with a margin.
couView couLookFlat(couBounds box, int width, int height);
/// Ray through the picture point (x, y) [pixels], from the top left corner.
couRay couView_Ray(const couView *view, float x, float y);

bool couBounds_IsEmpty(couBounds bounds, int dimension); ///< also when it is not finite
couBounds couEmptyBounds(void);
couBounds couBounds_Union(couBounds a, couBounds b);
/// Near enough to be seen, within 1e9 m; false for NaN.
bool couIsDrawable(couVec3 p);
/// Bounds of the particles' centres without far strays, which would shrink all others to a dot. Empty when there is none.
couBounds couParticleBounds(const couVec3 *positions, size_t count);
