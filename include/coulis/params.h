/// Parameter tables: one description of a def's fields serves validation, scenes, --set, sliders and the reference pages.
#pragma once

#include "coulis/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum couParamType {
    cou_paramFloat,  ///< float
    cou_paramDouble, ///< double
    cou_paramInt,    ///< int
    cou_paramBool,   ///< bool
    cou_paramVec3,   ///< couVec3
    cou_paramChoice, ///< int, index into `choices`
    cou_paramName    ///< char[COU_NAME_SIZE]
} couParamType;

/// One field of a def struct.
typedef struct couParam {
    const char *name;
    const char *unit; ///< "" when it has none
    const char *help; ///< one line
    couParamType type;
    size_t offset;              ///< of the field in its struct
    double initial[3];          ///< default; NaN = chosen by Coulis (is_auto)
    double min, max;            ///< allowed range of numbers; components alike for vectors
    bool is_min_open;           ///< the minimum itself is not allowed
    bool is_auto;               ///< a float or vector that may be COU_AUTO
    const char *const *choices; ///< NULL-terminated, for cou_paramChoice
} couParam;

typedef struct couParamTable {
    const char *name; ///< of what it describes: "material", "scene", "pvfs"...
    const couParam *params;
    int count;
} couParamTable;

// Rows of a table. A row begins with the def and its field, whose name is the parameter's, and goes on by names: .initial, .min,
// .max, .is_min_open, .is_auto, .help; what it leaves out is 0, false or none. `units` is "" for a pure number.
//     COU_NUMBER(couPipeDef, radius, "m", .initial = {0.05}, .min = 0, .is_min_open = true, .max = 10, .help = "of its bore"),
#define COU_NUMBER(def, field, units, ...) COU_PARAM(#field, cou_paramFloat, def, field, units, __VA_ARGS__)
/// A number that is counted with, such as a time that makes a whole number of frames: a float's 1.2 is 1.20000005.
#define COU_PRECISE(def, field, units, ...) COU_PARAM(#field, cou_paramDouble, def, field, units, __VA_ARGS__)
#define COU_INTEGER(def, field, units, ...) COU_PARAM(#field, cou_paramInt, def, field, units, __VA_ARGS__)
#define COU_VECTOR(def, field, units, ...) COU_PARAM(#field, cou_paramVec3, def, field, units, __VA_ARGS__)
#define COU_FLAG(def, field, ...) COU_PARAM(#field, cou_paramBool, def, field, "", .max = 1, __VA_ARGS__)
#define COU_CHOICE(def, field, words, ...) COU_PARAM(#field, cou_paramChoice, def, field, "", .choices = words, __VA_ARGS__)
#define COU_NAME(def, field, ...) COU_PARAM(#field, cou_paramName, def, field, "", __VA_ARGS__)
/// A row of any type whose name is not the field's.
#define COU_PARAM(key, kind, def, field, units, ...) \
    { \
        .name = key, .unit = units, .type = kind, .offset = offsetof(def, field), __VA_ARGS__ \
    }

/// NULL when there is no such parameter.
COU_API const couParam *couParams_Find(const couParamTable *table, const char *name);
/// The known name nearest to a misspelt one, or NULL when none is near.
COU_API const char *couParams_Suggest(const couParamTable *table, const char *name);
/// Nearest of `count` names to `name` by edit distance, or NULL when none is near.
COU_API const char *couSuggest(const char *const *names, int count, const char *name);
/// "unknown key 'viscosty': did you mean 'viscosity'?" for the kind "key"; without the question where `nearest` is NULL.
COU_API void couFormatUnknown(char *text, size_t size, const char *kind, const char *name, const char *nearest);

/// Writes the defaults into the struct.
COU_API void couParams_SetDefaults(const couParamTable *table, void *def);
/// Adds a fault for each field out of range; returns true when there is none. Keys are "table.name".
COU_API bool couParams_Check(const couParamTable *table, const void *def, couFaults *faults);

/// Sets the parameter of that name from text, as couParam_SetText() does. A name that the table does not know is a fault with the
/// nearest one that it knows.
COU_API bool couParams_SetByName(const couParamTable *table, void *def, const char *name, const char *text, const char *where,
                                 couFaults *faults);

/// Sets numbers (also bool and choice by number): `count` values, 3 for a vector. Checks type and range; on a fault adds it and
/// leaves the field alone. NaN is a fault here: only defaults are automatic. The fault's key is "table.name", or the name alone
/// when `table` is NULL.
COU_API bool couParam_SetNumbers(const couParam *param, const char *table, void *def, const double *values, int count,
                                 const char *where, couFaults *faults);
/// Sets from text: "0.5", "true", "1,2,3", a choice's or a name's word, "auto" where allowed.
COU_API bool couParam_SetText(const couParam *param, const char *table, void *def, const char *text, const char *where,
                              couFaults *faults);
/// Reads up to three numbers of the field; returns how many.
COU_API int couParam_GetNumbers(const couParam *param, const void *def, double values[3]);
COU_API size_t couParam_Size(const couParam *param); ///< of the field [bytes]
/// Of a block that holds all fields of the table [bytes].
COU_API size_t couParams_Size(const couParamTable *table);
/// "> 0", "0 to 1", "none, plastic, frozen"...
COU_API void couParam_FormatRange(const couParam *param, char *text, size_t size);
/// The default as text: "1000", "auto", "0, -9.81, 0".
COU_API void couParam_FormatDefault(const couParam *param, char *text, size_t size);
/// The field's value as text that couParam_SetText() takes.
COU_API void couParam_FormatValue(const couParam *param, const void *def, char *text, size_t size);
/// A line for a program's list of options: "support of the field; auto: 2 spacings [m] (default auto)". The default is what `def`
/// holds; words to choose from are listed; a flag that is off goes without.
COU_API void couParam_FormatHelp(const couParam *param, const void *def, char *text, size_t size);

#ifdef __cplusplus
}
#endif
