/// What `coulis check` says about a scene that will run but may not show what is meant.
#pragma once

#include "coulis/scene.h"

#include <stdio.h>

/// Where the method damps or shortens what the scene holds, and which do not. Of a prepared world.
void couAdviseMethod(couScene *scene, FILE *out);
/// How far what was filled is from the volumes that were asked for, before the first step.
void couAdviseVolumes(const couScene *scene, FILE *out);
