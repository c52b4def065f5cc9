/// Words as shapes: outlines of letters from font files, extruded in space, filled in the plane.
#pragma once

#include "coulis/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fill with couDefaultTextDef(), then set text, font and height.
typedef struct couTextDef {
    const char *text; ///< UTF-8, 1 to 256 characters; "\n" begins a new line, and lines are centred
    const char *font; ///< path of a font file with outlines: .ttf, .otf, .ttc, .woff, .pfb...
    float height;     ///< of a capital H [m], > 0
    float depth;      ///< along z [m], > 0; auto (default): a quarter of the height
    float tolerance;  ///< how far the outline may be off the curves of the font [m], > 0; auto (default): height / 500
} couTextDef;

COU_API couTextDef couDefaultTextDef(void);

/// The words as a polygon with holes, or as a union of polygons where letters or their parts overlap, the middle of its bounds at
/// the origin. NULL and faults when the text is empty or not UTF-8, a letter is not in the font, a letter's outline crosses
/// itself, the whole takes more than 4096 points, or the file is missing, damaged, without outlines or larger than 64 MiB. Like
/// meshes fonts are read in a process of their own, with limits of time and memory.
COU_API couShape *couCreateTextShape(const couTextDef *def, couFaults *faults);

/// Fonts that have a name, with which scenes may call them: where the system has the file. NULL at the end.
COU_API const char *const *couFontNames(void);
/// The path of the named font's file; false where it is not installed, or has no such name. Debian's package fonts-dejavu-core
/// has all of them.
COU_API bool couFindFont(const char *name, char *path, size_t size);

#ifdef __cplusplus
}
#endif
