/// Looks made ready: nothing automatic is left, numbers are within their ranges.
#pragma once

#include "coulis/picture.h"

typedef enum couSkin {
    cou_skinPaint, ///< diffuse under a glossy coat
    cou_skinMetal, ///< reflects in its colour; with metalness below 1 mixed with paint
    cou_skinClear  ///< light goes through
} couSkin;

couLook couLook_Resolve(couLook look);     ///< also of a hostile one
couSkin couLook_Skin(const couLook *look); ///< of a resolved look
