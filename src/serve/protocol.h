/// Messages between the viewer's page and whatever simulates for it: `coulis view`, a run, or the page's own worker.
/// docs/viewer.md has their layout; this is the list. All begin with a type (u8), a zero (u8) and a number (u16) that an answer
/// repeats.
#pragma once

enum { cou_protocolVersion = 1 };

/// From the page.
typedef enum couAsk {
    cou_askShown = 1, ///< a frame was drawn
    cou_askPlay,      ///< u8: 1 play, 0 pause
    cou_askStep,      ///< u16: ticks
    cou_askReset,
    cou_askPace,     ///< f32: simulated seconds per second, 0 as fast as it goes; u8: ticks per frame of the scene
    cou_askColor,    ///< u8: couColoring
    cou_askSet,      ///< u8 group, text name, text value ("": as it was at the start)
    cou_askPour,     ///< u8 on, u8 material, vec3 place, vec3 direction, f32 speed, f32 radius
    cou_askGrab,     ///< u8 on, vec3 place, f32 radius, f32 strength
    cou_askDrag,     ///< u8 on, u16 index, u16 generation, vec3 point of the body, vec3 target
    cou_askDrop,     ///< u8 kind, u8 matter, vec3 place, f32 size, f32 density, u8 count and as many 2D points
    cou_askCut,      ///< vec3 lower, vec3 upper
    cou_askGravity,  ///< vec3
    cou_askConsole,  ///< text
    cou_askInspect,  ///< u8: 0 nothing, 1 the particle next to, 2 the body at; vec3 place or u16, u16
    cou_askControls, ///< u8: 1 take them, 0 let them go
    cou_askOpen,     ///< text: a scene of the gallery
    cou_askMethod,   ///< text
    cou_askUndo,
    cou_askExport,  ///< u8: couExport
    cou_askSprings, ///< u8: 1 add, 0 delete; u8 material
    cou_askRemove,  ///< u16, u16: a body
    cou_askHash,
    cou_askRecord,    ///< u8 on
    cou_askSeek,      ///< u32: a frame of a run that was written
    cou_askDragSolid, ///< u8 on, u16 index, u16 generation, u32 point, vec3 target
    cou_askCount
} couAsk;

/// To the page.
typedef enum couTell {
    cou_tellScene = 1, ///< JSON: all that does not change from frame to frame
    cou_tellFrame,
    cou_tellMesh,    ///< of a body
    cou_tellAnswer,  ///< u8 good, then text
    cou_tellStatus,  ///< JSON: playing, controls, recording...
    cou_tellFile,    ///< text name, then bytes
    cou_tellInspect, ///< JSON
    cou_tellLog,     ///< text
    cou_tellSolid    ///< the triangles of a deformable solid
} couTell;

typedef enum couColoring { cou_colorMaterial, cou_colorSpeed, cou_colorDensity, cou_colorPressure, cou_colorCount } couColoring;

typedef enum couExport { cou_exportCheckpoint, cou_exportScene, cou_exportCount } couExport;

typedef enum couDropKind { cou_dropSphere, cou_dropBox, cou_dropPolygon, cou_dropCount } couDropKind;
