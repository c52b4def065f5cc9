/// The language of scenes as tables: which calls there are, their keys with unit, range, default and an example. For help where
/// one works: `coulis help`, annotations of Lua language servers. Most keys are parameters; the others are listed here by hand,
/// and a test compares them with what the readers of scenes take.
#pragma once

#include "coulis/scene.h"

/// A key that no parameter table has.
typedef struct couSceneKey {
    const char *name;
    const char *type; ///< for Lua: "shape", "vector"...
    const char *help;
    const char *example; ///< of its value
} couSceneKey;

typedef struct couSceneCall {
    const char *name;
    const char *help;
    const char *example;
    const couParamTable *params, *more; ///< NULL: none
    const couSceneKey *keys;
    int key_count;
    bool is_shape; ///< gives back a shape
} couSceneCall;

#define COU_MAX_SCENE_CALLS 40
#define COU_SCENE_JOINT_ROWS 16
typedef struct couSceneLanguage {
    couSceneCall calls[COU_MAX_SCENE_CALLS];
    int count;
    couParam joint_rows[COU_SCENE_JOINT_ROWS];
    couParamTable joint;
} couSceneLanguage;

/// Fills in the language; the tables live as long as it.
void couDescribeLanguage(couSceneLanguage *language);
const couSceneCall *couSceneLanguage_Find(const couSceneLanguage *language, const char *name);
const couSceneKey *couSceneCall_Key(const couSceneCall *call, const char *name);
/// A parameter of the call by name, NULL for none.
const couParam *couSceneCall_Param(const couSceneCall *call, const char *name);

/// What `world:` has in events.
typedef struct couWorldWord {
    const char *name;      ///< "push"
    const char *arguments; ///< for Lua: "name: string, impulse: number[], point?: number[]"; NULL: a field
    const char *result;    ///< "number"; NULL: none
    const char *help;
} couWorldWord;
const couWorldWord *couWorldWords(int *count);

/// What a word of another program is called here: a key or a function, NULL where there is none or no such word is known.
/// `advice`, or NULL, says more (foreign.c).
const char *couForeignWord(const char *name, const char **advice);
/// Parameter table of shape number `index`; NULL beyond the last (shapes.c).
const couParamTable *couSceneShapeTable(int index);
