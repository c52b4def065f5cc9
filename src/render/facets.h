/// Shapes as triangles for the tracer: quicker to meet than their distance is to step through.
#pragma once

#include "render/view.h"

/// Triangles of round shapes stay within this share of half the size of the shape of its true surface: chords of a circle of 64
/// corners are off by half of it, and a sphere is round both ways.
#define COU_FACET_ERROR 0.0025f

/// The triangles of a shape in its own frame, turned outward, where each of its parts has them by formula; `is_even` when all
/// faces are planes, so that the triangles are the surface itself. Parts of an opaque union are closed one by one, also where
/// they overlap. False for all else (what goes through a grid is slow to make and knows its edges to a cell only) and without
/// memory. Free with couSurface_Clear().
bool couBuildFacets(const couShape *shape, bool is_clear, couSurface *facets, bool *is_even);
