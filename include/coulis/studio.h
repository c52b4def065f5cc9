/// libcoulis-studio: scenes, frames, checkpoints, meshes, fonts and surfaces in files, pictures and film. Includes libcoulis too.
#pragma once

#include "coulis/checkpoint.h"
#include "coulis/coulis.h"
#include "coulis/font.h"
#include "coulis/frames.h"
#include "coulis/mesh_file.h"
#include "coulis/picture.h"
#include "coulis/scene.h"
#include "coulis/solid_file.h"
#include "coulis/surface_file.h"
