/// Shared by the fuzz targets: each is one function that takes bytes as an enemy would choose them. fuzz/README.md says how they
/// are run.
#pragma once

#include "base/base.h"
#include "coulis/coulis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The target: returns 0, whatever it is given.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// A folder of this process's own, made once and removed at its end.
const char *couFuzz_Folder(void);
/// Writes the bytes into FOLDER/NAME and gives its path, which stays valid until the next call.
const char *couFuzz_Write(const char *name, const void *data, size_t size);

static inline uint8_t couFuzz_Byte(const uint8_t **data, size_t *size)
{
    if (*size == 0) return 0;
    --*size;
    return *(*data)++;
}
