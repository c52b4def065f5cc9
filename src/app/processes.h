/// Child processes of the program itself: started in a group of their own, asked to end when the program ends, however it does.
#pragma once

#include "app/app.h"

#include <sys/types.h>

/// Path of this program. False with a fault.
bool couFindSelf(char *path, size_t size, couFaults *faults);
/// Starts `arguments` (NULL-terminated; [0] is the program's path). What it prints is appended to the file `log`; NULL: to where
/// ours goes. Returns its process, -1 with a fault.
pid_t couStartProcess(char *const *arguments, const char *log, couFaults *faults);
/// True when it has ended: `code` is its exit code, or minus the signal that ended it.
bool couHasEnded(pid_t process, int *code);
