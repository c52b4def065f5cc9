// Fonts: words of a few letters, one of which is made of two that overlap. FreeType runs in a process of its own.
#include "fuzz.h"

#include "coulis/font.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    couTextDef def = couDefaultTextDef();
    def.text = "Ho\np";
    def.font = couFuzz_Write("a.ttf", data, size);
    def.height = 1.0f;
    couFaults faults = {0};
    couShape *shape = couCreateTextShape(&def, &faults);
    couMassProperties mass;
    couBounds bounds;
    if (shape && couShape_Bounds(shape, 3, &bounds)) couShape_Mass(shape, 2, &mass);
    couShape_Release(shape);
    couFaults_Clear(&faults);
    return 0;
}
