/// The parts of `coulis view`: a live scene (command_view.c), a run that was written before (view_files.c), a picture without a
/// browser (view_snapshot.c).
#pragma once

#include "app/run.h"
#include "serve/live.h"
#include "serve/server.h"
