// The material library. Physical values in SI, with where they come from; scenes change what they need: material("honey", {...}).
//
// What the numbers mean: `viscosity` is the Newtonian part. Springs add elasticity of modulus G = shear_modulus; their stress
// relaxes as exp(-t alpha), alpha = flow_stretch or flow_compress, so that a slowly deformed material resists like a viscosity
// of about G/alpha. Below the yield ratio springs do not flow: the yield stress is about G times that ratio. Stiff solids are
// softer here than in nature where their real modulus would need steps of microseconds; their notes say so. `surface_tension`
// acts in SPH methods that are asked for it. The looks (colour, absorption, index, roughness) are cited where they were
// measured; colours are chosen by eye.
#include "coulis/scene.h"

#include "base/base.h"

#define AUTO3 \
    { \
        COU_AUTO, COU_AUTO, COU_AUTO \
    }
#define AUTOS .sigma = COU_AUTO, .beta = COU_AUTO, .smoothing = COU_AUTO, .k_spring = COU_AUTO

static const couLibraryMaterial library[] = {
    {{.name = "water",
      .density = 998,
      .viscosity = 0.001,
      .surface_tension = 0.0728f,
      .look = {.color = {0.10, 0.35, 0.70},
               .opacity = 0.4f,
               .absorption = {0.340f, 0.0565f, 0.00922f},
               .refraction = 1.333f,
               .roughness = 0},
      AUTOS},
     "CRC Handbook of Chemistry and Physics: 998.2 kg/m^3, 1.002 mPa s, 72.8 mN/m at 20 C; absorption at 650, 550 and "
     "450 nm by Pope and Fry 1997 (Appl. Opt. 36), index 1.333 (CRC)",
     "water at 20 C"},
    {{.name = "milk",
      .density = 1030,
      .viscosity = 0.002,
      .surface_tension = 0.047f,
      .look = {.color = {0.92, 0.90, 0.85}, .opacity = 1, .absorption = AUTO3, .refraction = 1.35f, .roughness = 0.1f},
      AUTOS},
     "dairy handbooks: whole milk 1028 to 1033 kg/m^3, about 2 mPa s, 45 to 50 mN/m at 20 C; index 1.348",
     "whole milk"},
    {{.name = "oil",
      .density = 914,
      .viscosity = 0.084f,
      .surface_tension = 0.032f,
      .look = {.color = {0.75, 0.60, 0.10}, .opacity = 0.5f, .absorption = {4, 12, 110}, .refraction = 1.468f, .roughness = 0},
      AUTOS},
     "CRC Handbook of Chemistry and Physics: olive oil 0.084 Pa s at 20 C, 910 to 918 kg/m^3; 32 mN/m; index 1.468 "
     "(CRC); absorption: order of magnitude of yellow-green oils",
     "olive oil; floats on water"},
    {{.name = "glycerin",
      .density = 1261,
      .viscosity = 1.41f,
      .surface_tension = 0.063f,
      .look = {.color = {0.80, 0.82, 0.85},
               .opacity = 0.3f,
               .absorption = {0.3f, 0.06f, 0.02f},
               .refraction = 1.473f,
               .roughness = 0},
      AUTOS},
     "Segur and Oberstar 1951 (Ind. Eng. Chem. 43): 1.41 Pa s pure at 20 C; 1261 kg/m^3, 63 mN/m; index 1.473 (CRC); "
     "absorption taken as water's",
     "pure glycerin: a clear Newtonian liquid, the usual test liquid for coiling"},
    {{.name = "honey",
      .density = 1420,
      .viscosity = 10,
      .surface_tension = 0.06f,
      .look = {.color = {0.80, 0.42, 0.04}, .opacity = 0.7f, .absorption = {9, 46, 270}, .refraction = 1.494f, .roughness = 0},
      AUTOS},
     "food rheology (Yanniotis et al. 2006, J. Food Eng. 72; Steffe 1996): 5 to 20 Pa s at 20 to 25 C with 17 % water; 50 "
     "to 80 mN/m; order of magnitude; index 1.494 at 17 % water (Wedmore 1955, Bee World 36); absorption between extra "
     "light and light amber: optical density 0.6 of 3.15 cm at 560 nm (USDA grades of extracted honey), steeper in blue "
     "as caramel",
     "runny honey at room temperature: Newtonian, falls as a rope and coils"},
    {{.name = "syrup",
      .density = 1430,
      .viscosity = 5,
      .springs = cou_springsPlastic,
      .shear_modulus = 60,
      .flow_stretch = 8,
      .flow_compress = 8,
      .look = {.color = {0.62, 0.28, 0.03}, .opacity = 0.8f, .absorption = {16, 80, 420}, .refraction = 1.49f, .roughness = 0},
      AUTOS},
     "golden and corn syrups: 2 to 50 Pa s by water and temperature, 1430 kg/m^3; order of magnitude. The slight "
     "elasticity (relaxation time 1/8 s) is a choice: in Clavet's thesis (2005, fig. 7.8) it is what makes the coil "
     "appear; index 1.49 of 80 % sugar (CRC, sucrose solutions); absorption nearly twice honey's",
     "thick sugar syrup with a little elasticity: coils"},
    {{.name = "molten-gold",
      .density = 17310,
      .viscosity = 0.005f,
      .surface_tension = 1.14f,
      .look =
          {.color = {1.0, 0.78, 0.34}, .opacity = 1, .absorption = AUTO3, .refraction = 1.5f, .roughness = 0.08f, .metalness = 1},
      AUTOS},
     "Smithells Metals Reference Book: 17.3 g/cm^3 and about 5 mPa s and 1.14 N/m at the melting point, 1064 C; "
     "colour: reflectance of solid gold by Johnson and Christy 1972 (Phys. Rev. B 6) as linear sRGB",
     "liquid gold: seventeen times as heavy as water, hardly more viscous"},
    {{.name = "mercury",
      .density = 13546,
      .viscosity = 0.00153f,
      .surface_tension = 0.485f,
      .look = {.color = {0.78, 0.78, 0.78},
               .opacity = 1,
               .absorption = AUTO3,
               .refraction = 1.5f,
               .roughness = 0.02f,
               .metalness = 1},
      AUTOS},
     "CRC Handbook of Chemistry and Physics: 13 546 kg/m^3, 1.526 mPa s, 485 mN/m at 25 C; colour: reflectance 0.78 by "
     "Inagaki et al. 1981 (Phys. Rev. B 23)",
     "quicksilver"},
    {{.name = "paint",
      .density = 1300,
      .viscosity = 0.8f,
      .springs = cou_springsPlastic,
      .shear_modulus = 40,
      .flow_stretch = 20,
      .flow_compress = 20,
      .yield_stretch = 0.05f,
      .yield_compress = 0.05f,
      .look = {.color = {0.70, 0.04, 0.05}, .opacity = 1, .absorption = AUTO3, .refraction = 1.5f, .roughness = 0.2f},
      AUTOS},
     "latex wall paints: 0.5 to 2 Pa s at brushing rates, yield stress 1 to 10 Pa, 1200 to 1400 kg/m^3; order of "
     "magnitude; index of acrylic binders 1.5",
     "wall paint: runs, then keeps thin sheets"},
    {{.name = "ketchup",
      .density = 1140,
      .viscosity = 0.5f,
      .springs = cou_springsPlastic,
      .shear_modulus = 250,
      .flow_stretch = 40,
      .flow_compress = 40,
      .yield_stretch = 0.1f,
      .yield_compress = 0.1f,
      .look = {.color = {0.55, 0.03, 0.01}, .opacity = 1, .absorption = AUTO3, .refraction = 1.38f, .roughness = 0.15f},
      AUTOS},
     "Steffe 1996, Rheological Methods in Food Process Engineering: yield stress 15 to 40 Pa, strongly shear-thinning; "
     "here 25 Pa and a thin liquid beyond; index of a sugar solution of 28 % (CRC)",
     "tomato ketchup: does not move, then runs"},
    {{.name = "chocolate",
      .density = 1270,
      .viscosity = 2.5f,
      .springs = cou_springsPlastic,
      .shear_modulus = 150,
      .flow_stretch = 30,
      .flow_compress = 30,
      .yield_stretch = 0.06f,
      .yield_compress = 0.06f,
      .look = {.color = {0.16, 0.06, 0.025}, .opacity = 1, .absorption = AUTO3, .refraction = 1.46f, .roughness = 0.15f},
      AUTOS},
     "melted chocolate at 40 C: Casson viscosity 2 to 4 Pa s, yield stress 5 to 20 Pa (Afoakwa et al. 2007, Trends "
     "Food Sci. Technol. 18); index of cocoa butter 1.456",
     "melted chocolate: flows and keeps soft folds"},
    {{.name = "mud",
      .density = 1600,
      .viscosity = 1,
      .springs = cou_springsPlastic,
      .shear_modulus = 600,
      .flow_stretch = 15,
      .flow_compress = 15,
      .yield_stretch = 0.1f,
      .yield_compress = 0.1f,
      .look = {.color = {0.20, 0.12, 0.06}, .opacity = 1, .absorption = AUTO3, .refraction = 1.33f, .roughness = 0.35f},
      AUTOS},
     "Coussot 1997, Mudflow Rheology and Dynamics: yield stress 10 to 200 Pa, 1400 to 1900 kg/m^3; order of magnitude, "
     "here 60 Pa; index of its water",
     "wet mud: spreads and stops in a heap"},
    {{.name = "clay",
      .density = 1800,
      .viscosity = 5,
      .springs = cou_springsPlastic,
      .shear_modulus = 5000,
      .flow_stretch = 10,
      .flow_compress = 10,
      .yield_stretch = 0.15f,
      .yield_compress = 0.15f,
      .look = {.color = {0.48, 0.26, 0.15}, .opacity = 1, .absorption = AUTO3, .refraction = 1.5f, .roughness = 0.6f},
      AUTOS},
     "modelling clay has a modulus of 50 kPa to 1 MPa and yields at 5 to 50 kPa (soil mechanics); here softer, order "
     "of magnitude; index about that of the minerals; roughness by eye",
     "potter's clay, ten times softer than in nature so that lumps of some centimetres still dent under their own fall"},
    {{.name = "gel",
      .density = 1000,
      .viscosity = 0.5f,
      .springs = cou_springsPlastic,
      .shear_modulus = 400,
      .flow_stretch = 10,
      .flow_compress = 10,
      .yield_stretch = 0.15f,
      .yield_compress = 0.15f,
      .look = {.color = {0.15, 0.65, 0.45}, .opacity = 0.5f, .absorption = AUTO3, .refraction = 1.334f, .roughness = 0},
      AUTOS},
     "Piau 2007, J. Non-Newtonian Fluid Mech. 144: Carbopol gels G = 100 to 600 Pa, yield stress 20 to 100 Pa; index "
     "of its water",
     "hair gel: soft, holds its shape until pushed"},
    {{.name = "jelly",
      .density = 1050,
      .viscosity = 0.5f,
      .springs = cou_springsFrozen,
      .shear_modulus = 1500,
      .look = {.color = {0.70, 0.05, 0.18}, .opacity = 0.6f, .absorption = AUTO3, .refraction = 1.36f, .roughness = 0.02f},
      AUTOS},
     "gelatin desserts of 3 to 5 % gelatin: shear modulus 0.5 to 5 kPa; order of magnitude; index of 17 % sugar (CRC)",
     "table jelly: an elastic solid that wobbles and never flows"},
    {{.name = "slime",
      .density = 1020,
      .viscosity = 2,
      .springs = cou_springsPlastic,
      .shear_modulus = 500,
      .flow_stretch = 3,
      .flow_compress = 3,
      .look = {.color = {0.25, 0.70, 0.10},
               .opacity = 0.8f,
               .absorption = AUTO3,
               .scattering = 250,
               .refraction = 1.34f,
               .roughness = 0.05f},
      AUTOS},
     "borax-linked PVA: modulus 0.1 to 2 kPa, relaxation time 0.1 to 1 s; order of magnitude, here 500 Pa and 1/3 s; "
     "scattering by eye",
     "toy slime: bounces when fast, flows when slow"},
    {{.name = "lava",
      .density = 2700,
      .viscosity = 100,
      .springs = cou_springsPlastic,
      .shear_modulus = 2000,
      .flow_stretch = 10,
      .flow_compress = 10,
      .yield_stretch = 0.05f,
      .yield_compress = 0.05f,
      .look = {.color = {0.90, 0.16, 0.02}, .opacity = 1, .absorption = AUTO3, .refraction = 1.6f, .roughness = 0.7f},
      AUTOS},
     "basalt at 1100 to 1200 C: 50 to 1000 Pa s, yield stress 10 to 1000 Pa, 2600 to 2800 kg/m^3 (Griffiths 2000, "
     "Annu. Rev. Fluid Mech. 32); order of magnitude; index of basalt glass 1.6",
     "basaltic lava, for scenes of metres; it does not cool"},
};

const couLibraryMaterial *couMaterialLibrary(int *count)
{
    *count = COU_COUNT(library);
    return library;
}

const couLibraryMaterial *couFindLibraryMaterial(const char *name)
{
    for (int i = 0; i < COU_COUNT(library); ++i)
        if (strcmp(library[i].def.name, name) == 0) return &library[i];
    return NULL;
}
