/// .coulis-files: the list of what Coulis wrote into a folder. What it lists may be replaced and removed; anything else in the
/// folder is its owner's and is left alone.
///
/// Text: a first line that says what it is, then one name a line, relative to the folder: "run.json", "bodies/tank.obj". A name
/// is appended before its file is made, so that the list of a killed program is complete; it may name files that never came to
/// be.
#pragma once

#include "coulis/base.h"

#define COU_MANIFEST_NAME ".coulis-files"

typedef struct couManifest {
    char folder[960];
    char **names; ///< in the order of the file
    size_t count, capacity;
    uint32_t *slots; ///< hash table of numbers of names, plus one; 0: free
    size_t slot_count;
    int lock; ///< descriptor of the folder while it is locked, else -1
} couManifest;

/// The list of a folder; an empty one where there is none. False with a fault when the list cannot be read or is another
/// program's. couManifest_Clear() in any case.
bool couManifest_Read(couManifest *manifest, const char *folder, couFaults *faults);
void couManifest_Clear(couManifest *manifest); ///< also unlocks

/// Keeps others who ask for it out of the folder until couManifest_Clear() or the end of the process, however it ends. False with
/// a fault when somebody has it. A file system that cannot lock is no fault.
bool couManifest_Lock(couManifest *manifest, couFaults *faults);

bool couManifest_Has(const couManifest *manifest, const char *name);
/// Before a file is written: true when it is listed, or when there is nothing of that name and it has been listed now. False with
/// a fault that names the file otherwise, and for a name that leads out of the folder, by itself or through a link.
bool couManifest_Claim(couManifest *manifest, const char *name, couFaults *faults);
/// Removes a file that is listed; true when it was there. Its name stays in the list.
bool couManifest_Remove(const couManifest *manifest, const char *name);
/// Removes all that is listed, what killed programs left of it (NAME.PID.tmp), folders that are empty then, and the list itself.
void couManifest_RemoveAll(couManifest *manifest);
/// Removes NAME.PID.tmp of listed names.
void couManifest_RemoveLeftovers(const couManifest *manifest);
