// ParaView's list of a series: XML that names each file and its time, so that the animation runs in seconds.
#include "io/pvd.h"

#include "base/base.h"
#include "coulis/frames.h"
#include "files/file.h"

bool couWritePvd(couManifest *manifest, const char *stem, double fps, couFaults *faults)
{
    char path[1100], name[64];
    const char *folder = manifest->folder;
    couFile file;
    couFrameFiles files;
    snprintf(name, sizeof name, "%s.pvd", stem);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!couListSeries(folder, stem, strcmp(stem, "solids") == 0 ? "vtu" : "vtp", &files, faults)) return false;
    if (files.count == 0) {
        couManifest_Remove(manifest, name);
        couFrameFiles_Clear(&files);
        return true;
    }
    bool is_written = couManifest_Claim(manifest, name, faults) && couFile_Create(&file, path, faults);
    if (is_written) {
        fprintf(file.stream, "<?xml version=\"1.0\"?>\n"
                             "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                             "  <Collection>\n");
        for (int i = 0; i < files.count; ++i)
            fprintf(file.stream, "    <DataSet timestep=\"%.15g\" part=\"0\" file=\"%s\"/>\n", files.items[i].number / fps,
                    strrchr(files.items[i].path, '/') + 1);
        fprintf(file.stream, "  </Collection>\n</VTKFile>\n");
        is_written = couFile_Commit(&file, faults);
    }
    couFrameFiles_Clear(&files);
    return is_written;
}
