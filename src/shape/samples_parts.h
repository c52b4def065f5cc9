/// Inside of the sampling of solids, shared by its files only.
#pragma once

#include "shape/samples.h"
#include "shape/shape_data.h"

// --- Raw samples of one part of a solid ----------------------------------------------------------------------------------------

typedef struct couSample {
    couVec3 point; ///< [m]
    uint32_t id;
    int layer;
} couSample;

typedef struct couSampleList {
    couMemory *memory;
    couSample *items;
    size_t count, capacity;
    bool is_thin;    ///< see couSamples
    bool has_failed; ///< no memory
} couSampleList;

static inline void couSampleList_Add(couSampleList *list, couVec3 point, uint32_t id, int layer)
{
    if (list->has_failed) return;
    if (!COU_RESERVE(list->memory, list, list->count + 1)) {
        list->has_failed = true;
        return;
    }
    list->items[list->count++] = (couSample){point, id, layer};
}

/// What a wall has room for in a layer.
typedef enum couSheets { cou_sheetsNone, cou_sheetsMiddle, cou_sheetsBoth } couSheets;

/// Sheets on both sides of a wall, each (layer + 1/2) d deep, unless they would come too close: then one in the middle. The first
/// layer is always there; others only where they are 0.7 d from those before them.
static inline couSheets couSheetsOf(double thickness, double d, int layer)
{
    double apart = thickness / d - (2 * layer + 1);
    if (apart >= (layer == 0 ? 0.5 : 0.7) - 1e-4) return cou_sheetsBoth;
    return layer == 0 || apart >= -0.6 ? cou_sheetsMiddle : cou_sheetsNone;
}

static inline bool couIsThinWall(double thickness, double d) { return thickness < (1 - 1e-4) * d; }

// --- Lattices (samples_lattice.c) ----------------------------------------------------------------------------------------------

/// A half-space below a plane, or a wall of some thickness on top of it.
typedef struct couSlab {
    couVec3 origin;  ///< on the plane; the lattice starts half a spacing from here [m]
    couVec3 normal;  ///< unit
    couVec3 u, v;    ///< unit, along the plane; only u in 2D
    float thickness; ///< [m]; infinite: a half-space
} couSlab;

/// Of several slabs `number` says which one this is: their ids differ.
void couSampleSlab(couSampleList *list, const couSlab *slab, int number, int slab_count, int dimension, float spacing, int layers,
                   couBounds region);
void couSampleBox(couSampleList *list, couVec3 size, int dimension, float spacing, int layers);
void couSampleSphere(couSampleList *list, float radius, int dimension, float spacing, int layers);
/// The wall around free space of this size; open: cut off at its top.
void couSampleHollowBox(couSampleList *list, couVec3 size, float thickness, bool is_open, int dimension, float spacing,
                        int layers);

// --- All else (samples_spread.c) -----------------------------------------------------------------------------------------------

/// Any shape, as far as it is within the bounds.
void couSampleSpread(couSampleList *list, const couShape *shape, int dimension, float spacing, int layers, couBounds bounds);

// --- Points near a place (samples_near.c) --------------------------------------------------------------------------------------

typedef struct couNearEntry {
    couVec3 point; ///< [m]
    uint32_t key;  ///< of its cell
    uint32_t next1;
} couNearEntry;

/// A hash of cells with lists of points. Zero-initialise, then set memory, dimension and inv_cell.
typedef struct couNear {
    couMemory *memory;
    int dimension;
    float inv_cell; ///< [1/m]
    couNearEntry *entries;
    size_t count, capacity;
    uint32_t *heads1;
    size_t head_count; ///< a power of 2
} couNear;

bool couNear_Add(couNear *near, couVec3 point); ///< false without memory
/// What is done with a point near another: `away` goes from it to that one, `distance` is its length [m]. False: no more of them.
typedef bool couNearFcn(void *context, uint32_t index, couVec3 away, float distance);
/// Visits all points nearer than the radius, in a fixed order. False when the visitor stopped.
bool couNear_Visit(const couNear *near, couVec3 point, float radius, couNearFcn *visit, void *context);
bool couNear_HasAny(const couNear *near, couVec3 point, float radius);
void couNear_Relink(couNear *near); ///< after entries' points were changed
void couSampleNear_Free(couNear *near);
