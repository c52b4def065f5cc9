/// Scene files: Lua 5.4 in a sandbox, turned into a world (docs/scenes.md).
#pragma once

#include "coulis/coulis.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a picture is taken from, at a time when made by couCamera_At().
typedef struct couCamera {
    couVec3 from, to;             ///< [m]
    float fov;                    ///< vertical field of view [degrees], 1 to 150
    float aperture;               ///< diameter of the lens [m]; 0: all is in focus
    float focus;                  ///< distance of what is sharp [m]; 0: as far as `to`
    float turntable;              ///< of a turn around `to` [s]; 0: none
    float turn;                   ///< of the turntable at the time [degrees]; `from` has it already, an automatic camera needs it
    bool is_set;                  ///< the scene gives one; otherwise frame the fluid automatically
    const couKeyframe *keyframes; ///< places, then targets, then lenses (fov, aperture, focus); owned by the scene
    int keyframe_count;           ///< of each
} couCamera;

/// The camera at a time [s]: keyframes and turntable followed.
COU_API couCamera couCamera_At(const couCamera *camera, double time);

typedef struct couScene couScene;

/// One --set KEY=VALUE: "spacing=0.01", "honey.viscosity=5", "pvfs.k_near=0.02".
typedef struct couOverride {
    const char *key, *value;
} couOverride;

typedef struct couSceneOptions {
    const char *method; ///< NULL: as the scene says
    int threads;        ///< 0: as the scene says
    const couOverride *overrides;
    int override_count;
    size_t max_mesh_bytes;       ///< of all meshes and distance grids of the scene; 0: 512 MiB
    int64_t max_instructions;    ///< of one call into the script; 0: 500 million while loading, 100 million later
    int (*is_interrupted)(void); ///< not 0: a script that runs for more than a second ends with an error; NULL: none does
} couSceneOptions;

/// Loads a scene from a path or a gallery name. NULL, with every fault (file, line, key, value, range) added, if anything is
/// wrong.
COU_API couScene *couLoadScene(const char *path_or_name, const couSceneOptions *options, couFaults *faults);
COU_API void couCloseScene(couScene *scene);

/// couWorld_Prepare() of its world; faults of what scene{} says have its line.
COU_API bool couScene_Prepare(couScene *scene, couFaults *faults);
COU_API couWorld *couScene_World(couScene *scene); ///< owned by the scene; callbacks into Lua keep it alive
COU_API const char *couScene_Title(const couScene *scene);
COU_API const char *couScene_Note(const couScene *scene);     ///< what to see, "" if none
COU_API const char *couScene_Path(const couScene *scene);     ///< of the file that was read
COU_API double couScene_Duration(const couScene *scene);      ///< [s]
COU_API double couScene_Fps(const couScene *scene);           ///< frames per second
COU_API uint64_t couScene_ContentHash(const couScene *scene); ///< of the file and everything it required, and the overrides
/// A file that the scene was read from.
typedef struct couSceneFile {
    char name[256];  ///< relative to the scene's folder: "dam-break.lua", "lib/parts.lua", "models/boat.obj"
    char path[1024]; ///< its real path
} couSceneFile;
/// The scene's own file first, then what it required and the mesh files of its folder; stock meshes are not among them.
COU_API const couSceneFile *couScene_Files(const couScene *scene, int *count);
/// What the scene's fluid{} number `index` asks for, outside of bodies, and what its particles come to [m^3] ([m^2] in 2D),
/// before the first step; `where` is its line. False beyond the last.
COU_API bool couScene_FluidVolume(const couScene *scene, int index, const char **where, double *asked, double *filled);
COU_API couCamera couScene_Camera(const couScene *scene);
COU_API couColors couScene_Colors(const couScene *scene); ///< what pictures colour particles by

/// A point of a solid that is followed: solid { trace = { {x, y, z}, ... } }.
typedef struct couSolidTrace {
    couSolidId solid;
    size_t point; ///< of its mesh
    int number;   ///< in the solid's list, from 1
} couSolidTrace;

/// False beyond the last.
COU_API bool couScene_SolidTrace(const couScene *scene, int index, couSolidTrace *trace);

/// A Lua error in a callback during the run: its message with file and line, or NULL. The run must stop then.
COU_API const char *couScene_RuntimeError(const couScene *scene);

/// Runs a line of Lua on the running world, as an event would: `world:...`, materials, shapes, what the scene keeps in globals.
/// `text` gets what it printed and, for an expression, its value; on false the error, and the world is as far as the line came.
/// Between two steps only. Limits are those of the sandbox, with 2 s of CPU time: nothing runs for ever.
COU_API bool couScene_RunConsole(couScene *scene, const char *line, char *text, size_t size);

/// `world.store` as bytes for the checkpoint, to be freed with free(), and back. False when it holds what cannot be saved
/// (functions...).
COU_API bool couScene_SaveStore(couScene *scene, void **bytes, size_t *size, couFaults *faults);
COU_API bool couScene_LoadStore(couScene *scene, const void *bytes, size_t size, couFaults *faults);

/// The gallery: names, sorted, NULL-terminated; the caller frees with couFreeNames().
COU_API char **couListScenes(void);
COU_API void couFreeNames(char **names);
/// Path of a gallery scene, in COULIS_SCENES, beside the program or the library, or where it was installed; false if there
/// is none.
COU_API bool couFindScene(const char *name, char *path, size_t size);

/// A mesh that scenes name without a file: in a folder `models` of the gallery, or from a package of the system (gallery.c).
typedef struct couStockMesh {
    const char *name, *file;
    const char *package; ///< Debian's, that has it
    couQuat turn;        ///< that sets it upright
    bool has_holes;      ///< to be closed
} couStockMesh;
COU_API const couStockMesh *couStockMeshes(int *count);
COU_API bool couFindStockMesh(const couStockMesh *mesh, char *path, size_t size);

/// The material library.
typedef struct couLibraryMaterial {
    couMaterialDef def;
    const char *source; ///< where its values come from
    const char *note;   ///< one line on what it is
} couLibraryMaterial;
COU_API const couLibraryMaterial *couMaterialLibrary(int *count);
COU_API const couLibraryMaterial *couFindLibraryMaterial(const char *name); ///< NULL: there is none of that name

#ifdef __cplusplus
}
#endif
