/// Basic types, hooks and fault lists of Coulis. SI units, y up.
#pragma once

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COU_VERSION_MAJOR 0
#define COU_VERSION_MINOR 1
#define COU_VERSION_PATCH 0
#define COU_VERSION "0.1.0"

/// Marks what a shared library shows to others; all else is hidden. On Windows define COU_SHARED to use the library as a DLL.
#if !defined(_WIN32)
#define COU_API __attribute__((visibility("default")))
#elif defined(COU_BUILDS_LIBRARY)
#define COU_API __declspec(dllexport)
#elif defined(COU_SHARED)
#define COU_API __declspec(dllimport)
#else
#define COU_API
#endif

COU_API const char *couVersion(void); ///< of the library that runs, e.g. "0.1.0"; COU_VERSION is that of these headers

/// The value of a float parameter that Coulis shall choose itself.
#define COU_AUTO NAN

#define COU_MAX_THREADS 64
#define COU_NAME_SIZE 32 ///< bytes of a name, with its terminating zero

typedef struct couVec3 {
    float x, y, z;
} couVec3;

/// Four floats in one 16-byte record: a vector and one more number.
typedef struct couVec4 {
    float x, y, z, w;
} couVec4;

/// Unit quaternion (x, y, z imaginary, w real).
typedef struct couQuat {
    float x, y, z, w;
} couQuat;

/// Rotation, then translation: local point p is at position + rotation * p.
typedef struct couPose {
    couVec3 position; ///< [m]
    couQuat rotation;
} couPose;

typedef struct couBounds {
    couVec3 lower; ///< [m]
    couVec3 upper; ///< [m]
} couBounds;

#ifdef __cplusplus
#define COU_LITERAL(type) type
#else
#define COU_LITERAL(type) (type)
#endif
#define COU_POSE_IDENTITY (COU_LITERAL(couPose){{0, 0, 0}, {0, 0, 0, 1}})

/// One thing wrong with the input. Texts are cut to their field's size.
typedef struct couFault {
    char where[192];   ///< "file:line" where known, else ""
    char key[64];      ///< the key at fault, e.g. "emitter.speed", or ""
    char message[640]; ///< what is wrong, with value and allowed range
} couFault;

/// A growing list of faults. Zero-initialise; free with couFaults_Clear().
typedef struct couFaults {
    couFault *items;
    int count;
    int capacity;
} couFaults;

/// Appends a fault; `where` and `key` may be NULL. Without memory for a first one the list holds one that says just that.
COU_API void couFaults_Add(couFaults *faults, const char *where, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
COU_API void couFaults_Clear(couFaults *faults);

typedef enum couLogLevel { cou_logDebug, cou_logInfo, cou_logWarning, cou_logError } couLogLevel;

/// Receives one line, without newline. May be called from the thread that steps a world.
typedef void couLogFcn(void *context, couLogLevel level, const char *message);
/// The library itself prints nothing: without a hook, messages are dropped. NULL removes the hook.
COU_API void couSetLog(couLogFcn *log, void *context);

/// Returns true to go on after a failed assertion, false to abort. NULL restores the default: message on stderr, abort.
typedef bool couAssertFcn(const char *condition, const char *file, int line);
COU_API void couSetAssert(couAssertFcn *fcn);

/// Memory hooks for every allocation of libcoulis. `align` is a power of two, `bytes` a multiple of it. Called from any thread.
/// Set before all else, since a block returns to the hook that is set then; NULLs restore malloc. Not asked: what the C library
/// takes for threads, and what ODE, which solves contacts and joints, takes during a step: its hook is dSetAllocHandler(), of the
/// whole process and so not for a library to set. libcoulis-studio takes its arrays from here; its texts, and the libraries that
/// it stands on, use malloc.
typedef void *couAllocFcn(size_t bytes, size_t align);
typedef void couFreeFcn(void *memory);
COU_API void couSetAllocator(couAllocFcn *alloc, couFreeFcn *release);

#ifdef __cplusplus
}
#endif
