/// What becomes of light at a surface, by its look.
#pragma once

#include "coulis/look.h"

typedef enum couSkin {
    cou_skinPaint, ///< diffuse under a glossy coat
    cou_skinMetal, ///< reflects in its colour; with metalness below 1 mixed with paint
    cou_skinClear  ///< light goes through
} couSkin;

/// Of a resolved look.
static inline couSkin couLook_Skin(const couLook *look)
{
    if (look->metalness > 0.0f) return cou_skinMetal;
    return look->opacity < 1.0f ? cou_skinClear : cou_skinPaint;
}
