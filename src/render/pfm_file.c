// PFM files: the plain float pictures that compositors read. A text header, then 32-bit floats, rows from the bottom; a negative
// scale says that they are little-endian [Debevec 1998].
#include "coulis/picture.h"

#include "base/base.h"
#include "files/file.h"

#include <stdio.h>

static bool write_rows(couFile *file, int width, int height, int channels, const float *values)
{
    size_t row = (size_t)width * (size_t)channels;
    for (int y = height - 1; y >= 0; --y) {
        if (!couFile_Write(file, values + (size_t)y * row, row * sizeof *values)) return false;
    }
    return true;
}

bool couWritePfm(const char *path, int width, int height, int channels, const float *values, couFaults *faults)
{
    if (!values || width < 1 || height < 1 || (channels != 1 && channels != 3)) {
        couFaults_Add(faults, path, NULL, "there is no picture to write (%d x %d pixels of %d channels; allowed: 1 or 3)", width,
                      height, channels);
        return false;
    }
    const uint16_t one = 1;
    bool is_little = *(const uint8_t *)&one == 1;
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    char header[64];
    int length = snprintf(header, sizeof(header), "%s\n%d %d\n%s\n", channels == 3 ? "PF" : "Pf", width, height,
                          is_little ? "-1.0" : "1.0");
    // A write that failed is reported by the commit.
    if (couFile_Write(&file, header, (size_t)length)) write_rows(&file, width, height, channels, values);
    return couFile_Commit(&file, faults);
}
