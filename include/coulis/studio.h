/// libcoulis-studio: scenes, frames, checkpoints, meshes and surfaces in files, pictures and film. Includes all of libcoulis too.
#pragma once

#include "coulis/checkpoint.h"
#include "coulis/coulis.h"
#include "coulis/frames.h"
#include "coulis/mesh_file.h"
#include "coulis/picture.h"
#include "coulis/scene.h"
#include "coulis/solid_file.h"
#include "coulis/surface_file.h"
