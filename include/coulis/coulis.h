/// Coulis: particle simulation of fluids, viscoelastic matter, bodies and solids. This header includes all of
/// libcoulis; what files and pictures are made with is in coulis/studio.h.
#pragma once

#include "coulis/base.h"
#include "coulis/gauge.h"
#include "coulis/look.h"
#include "coulis/mesh.h"
#include "coulis/params.h"
#include "coulis/shape.h"
#include "coulis/solid.h"
#include "coulis/solid_mesh.h"
#include "coulis/surface.h"
#include "coulis/world.h"
