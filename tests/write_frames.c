// Writes the sample frames that read_frames.py and assimp read: write_frames FOLDER COUNT...
#include "sample_frame.h"

#include "files/file.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    couFaults faults = {0};
    bool is_ok = argc > 2 && couMakeFolder(argv[1], &faults);
    for (int i = 2; is_ok && i < argc; ++i) {
        char path[512];
        couFrame frame;
        make_sample_frame(&frame, strtoul(argv[i], NULL, 10));
        snprintf(path, sizeof path, "%s/sample_%s.vtp", argv[1], argv[i]);
        is_ok = couWriteVtp(path, &frame, &faults);
        snprintf(path, sizeof path, "%s/sample_%s.ply", argv[1], argv[i]);
        is_ok = is_ok && couWritePly(path, &frame, &faults);
        couFreeFrame(&frame);
    }
    for (int i = 0; i < faults.count; ++i) fprintf(stderr, "%s: %s\n", faults.items[i].where, faults.items[i].message);
    couFaults_Clear(&faults);
    return is_ok ? 0 : 1;
}
