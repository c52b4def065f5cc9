// The material library. Physical values in SI, with where they come from; scenes change what they need: material("honey", {...}).
//
// What the numbers mean: `viscosity` is the Newtonian part. Springs add elasticity of modulus G = shear_modulus; their stress relaxes
// as exp(-t alpha), alpha = flow_stretch or flow_compress, so that a slowly deformed material resists like a viscosity of about
// G/alpha. Below the yield ratio springs do not flow: the yield stress is about G times that ratio. Stiff solids are softer here than
// in nature where their real modulus would need steps of microseconds; their notes say so.
#include "scene/scene.h"

#include "base/base.h"

#define AUTOS .sigma = COU_AUTO, .beta = COU_AUTO, .smoothing = COU_AUTO, .k_spring = COU_AUTO

static const couLibraryMaterial library[] = {
    {{.name = "water", .density = 998, .viscosity = 0.001, .color = {0.10, 0.35, 0.70}, .opacity = 0.4f, AUTOS},
     "CRC Handbook of Chemistry and Physics: 998.2 kg/m^3, 1.002 mPa s at 20 C",
     "water at 20 C"},
    {{.name = "milk", .density = 1030, .viscosity = 0.002, .color = {0.92, 0.90, 0.85}, .opacity = 1, AUTOS},
     "dairy handbooks: whole milk 1028 to 1033 kg/m^3, about 2 mPa s at 20 C",
     "whole milk"},
    {{.name = "oil", .density = 914, .viscosity = 0.084f, .color = {0.75, 0.60, 0.10}, .opacity = 0.5f, AUTOS},
     "CRC Handbook of Chemistry and Physics: olive oil 0.084 Pa s at 20 C, 910 to 918 kg/m^3",
     "olive oil; floats on water"},
    {{.name = "glycerin", .density = 1261, .viscosity = 1.41f, .color = {0.80, 0.82, 0.85}, .opacity = 0.3f, AUTOS},
     "Segur and Oberstar 1951 (Ind. Eng. Chem. 43): 1.41 Pa s pure at 20 C; 1261 kg/m^3",
     "pure glycerin: a clear Newtonian liquid, the usual test liquid for coiling"},
    {{.name = "honey", .density = 1420, .viscosity = 10, .color = {0.80, 0.42, 0.04}, .opacity = 0.7f, AUTOS},
     "food rheology (Yanniotis et al. 2006, J. Food Eng. 72; Steffe 1996): 5 to 20 Pa s at 20 to 25 C with 17 % water; order of magnitude",
     "runny honey at room temperature: Newtonian, falls as a rope and coils"},
    {{.name = "syrup", .density = 1430, .viscosity = 5, .springs = cou_springsPlastic, .shear_modulus = 60, .flow_stretch = 8,
      .flow_compress = 8, .color = {0.62, 0.28, 0.03}, .opacity = 0.8f, AUTOS},
     "golden and corn syrups: 2 to 50 Pa s by water and temperature, 1430 kg/m^3; order of magnitude. The slight elasticity "
     "(relaxation time 1/8 s) is a choice: in Clavet's thesis (2005, fig. 7.8) it is what makes the coil appear",
     "thick sugar syrup with a little elasticity: coils"},
    {{.name = "molten-gold", .density = 17310, .viscosity = 0.005f, .color = {0.95, 0.62, 0.12}, .opacity = 1, AUTOS},
     "Smithells Metals Reference Book: 17.3 g/cm^3 and about 5 mPa s at the melting point, 1064 C",
     "liquid gold: seventeen times as heavy as water, hardly more viscous"},
    {{.name = "mercury", .density = 13546, .viscosity = 0.00153f, .color = {0.65, 0.66, 0.68}, .opacity = 1, AUTOS},
     "CRC Handbook of Chemistry and Physics: 13 546 kg/m^3, 1.526 mPa s at 25 C",
     "quicksilver; its surface tension is not part of the material"},
    {{.name = "paint", .density = 1300, .viscosity = 0.8f, .springs = cou_springsPlastic, .shear_modulus = 40, .flow_stretch = 20,
      .flow_compress = 20, .yield_stretch = 0.05f, .yield_compress = 0.05f, .color = {0.70, 0.04, 0.05}, .opacity = 1, AUTOS},
     "latex wall paints: 0.5 to 2 Pa s at brushing rates, yield stress 1 to 10 Pa, 1200 to 1400 kg/m^3; order of magnitude",
     "wall paint: runs, then keeps thin sheets"},
    {{.name = "ketchup", .density = 1140, .viscosity = 0.5f, .springs = cou_springsPlastic, .shear_modulus = 250, .flow_stretch = 40,
      .flow_compress = 40, .yield_stretch = 0.1f, .yield_compress = 0.1f, .color = {0.55, 0.03, 0.01}, .opacity = 1, AUTOS},
     "Steffe 1996, Rheological Methods in Food Process Engineering: yield stress 15 to 40 Pa, strongly shear-thinning; "
     "here 25 Pa and a thin liquid beyond",
     "tomato ketchup: does not move, then runs"},
    {{.name = "chocolate", .density = 1270, .viscosity = 2.5f, .springs = cou_springsPlastic, .shear_modulus = 150, .flow_stretch = 30,
      .flow_compress = 30, .yield_stretch = 0.06f, .yield_compress = 0.06f, .color = {0.16, 0.06, 0.025}, .opacity = 1, AUTOS},
     "melted chocolate at 40 C: Casson viscosity 2 to 4 Pa s, yield stress 5 to 20 Pa (Afoakwa et al. 2007, Trends Food Sci. Technol. 18)",
     "melted chocolate: flows and keeps soft folds"},
    {{.name = "mud", .density = 1600, .viscosity = 1, .springs = cou_springsPlastic, .shear_modulus = 600, .flow_stretch = 15,
      .flow_compress = 15, .yield_stretch = 0.1f, .yield_compress = 0.1f, .color = {0.20, 0.12, 0.06}, .opacity = 1, AUTOS},
     "Coussot 1997, Mudflow Rheology and Dynamics: yield stress 10 to 200 Pa, 1400 to 1900 kg/m^3; order of magnitude, here 60 Pa",
     "wet mud: spreads and stops in a heap"},
    {{.name = "clay", .density = 1800, .viscosity = 5, .springs = cou_springsPlastic, .shear_modulus = 5000, .flow_stretch = 10,
      .flow_compress = 10, .yield_stretch = 0.15f, .yield_compress = 0.15f, .color = {0.48, 0.26, 0.15}, .opacity = 1, AUTOS},
     "modelling clay has a modulus of 50 kPa to 1 MPa and yields at 5 to 50 kPa (soil mechanics); here softer, order of magnitude",
     "potter's clay, ten times softer than in nature so that lumps of some centimetres still dent under their own fall"},
    {{.name = "gel", .density = 1000, .viscosity = 0.5f, .springs = cou_springsPlastic, .shear_modulus = 400, .flow_stretch = 10,
      .flow_compress = 10, .yield_stretch = 0.15f, .yield_compress = 0.15f, .color = {0.15, 0.65, 0.45}, .opacity = 0.5f, AUTOS},
     "Piau 2007, J. Non-Newtonian Fluid Mech. 144: Carbopol gels G = 100 to 600 Pa, yield stress 20 to 100 Pa",
     "hair gel: soft, holds its shape until pushed"},
    {{.name = "jelly", .density = 1050, .viscosity = 0.5f, .springs = cou_springsFrozen, .shear_modulus = 1500,
      .color = {0.70, 0.05, 0.18}, .opacity = 0.6f, AUTOS},
     "gelatin desserts of 3 to 5 % gelatin: shear modulus 0.5 to 5 kPa; order of magnitude",
     "table jelly: an elastic solid that wobbles and never flows"},
    {{.name = "slime", .density = 1020, .viscosity = 2, .springs = cou_springsPlastic, .shear_modulus = 500, .flow_stretch = 3,
      .flow_compress = 3, .color = {0.25, 0.70, 0.10}, .opacity = 0.8f, AUTOS},
     "borax-linked PVA: modulus 0.1 to 2 kPa, relaxation time 0.1 to 1 s; order of magnitude, here 500 Pa and 1/3 s",
     "toy slime: bounces when fast, flows when slow"},
    {{.name = "lava", .density = 2700, .viscosity = 100, .springs = cou_springsPlastic, .shear_modulus = 2000, .flow_stretch = 10,
      .flow_compress = 10, .yield_stretch = 0.05f, .yield_compress = 0.05f, .color = {0.90, 0.16, 0.02}, .opacity = 1, AUTOS},
     "basalt at 1100 to 1200 C: 50 to 1000 Pa s, yield stress 10 to 1000 Pa, 2600 to 2800 kg/m^3 (Griffiths 2000, Annu. Rev. Fluid "
     "Mech. 32); order of magnitude",
     "basaltic lava, for scenes of metres; it does not cool"},
};

const couLibraryMaterial *couMaterialLibrary(int *count)
{
    *count = COU_COUNT(library);
    return library;
}
