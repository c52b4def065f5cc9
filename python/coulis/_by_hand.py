"""Functions bound by hand, and where; those that Python has no use for, and why. A test holds this against the headers."""
_LIFETIME = "Python frees it when nothing holds it any more"
_TABLES = "tables()"

BY_HAND = {
    "couWorld_Particles": "World.particles",
    "couWorld_Samples": "World.samples",
    "couWorld_ParticleMass": "World.particle_mass",
    "couWorld_CopySprings": "World.springs",
    "couWorld_MethodParams": "World.method_params",
    "couWorld_Step": "World.step",
    "couWorld_Advance": "World.advance",
    "couStepReport_Add": "StepReport.add",
    "couWorld_Prepare": "World.prepare",
    "couWorld_SuggestStep": "World.suggest_step",
    "couWorld_SaveState": "World.save_state",
    "couWorld_LoadState": "World.load_state",
    "couCreateWorld": "World",
    "couCreateRenderer": "Renderer",
    "couLoadScene": "Scene",
    "couScene_World": "Scene.world",
    "couScene_Prepare": "World.prepare",
    "couScene_Camera": "Scene.camera",
    "couCamera_At": "Scene.camera_at",
    "couScene_RuntimeError": "SceneError",
    "couScene_RunConsole": "Scene.run_console",
    "couScene_SaveStore": "World.save_state",
    "couScene_LoadStore": "World.load_state",
    "couCaptureFrame": "World.frame",
    "couShape_Planes": "Shape.planes",
    "couMesh_Vertices": "Mesh.vertices",
    "couMesh_Triangles": "Mesh.triangles",
    "couDistanceGrid_Pack": "DistanceGrid.pack",
    "couUnpackDistanceGrid": "unpack_distance_grid",
    "couSolidMesh_Points": "SolidMesh.points",
    "couSolidMesh_Cells": "SolidMesh.cells",
    "couSolidMesh_Edges": "SolidMesh.edges",
    "couSolidMesh_Faces": "SolidMesh.faces",
    "couWorld_SolidView": "Solid.position",
    "couWorld_CopySolidStress": "Solid.stress",
    "couWorld_CopySolidValues": "Solid.mises",
    "couWorld_DragSolid": "Solid.drag",
    "couState_Add": "State.add",
    "couState_Find": "State.find",
    "couFrame_Column": "Frame.column",
    "couFrame_Missing": "Frame.missing_names",
    "couFramePoints": "Frame.points",
    "couAllocateFrame": "allocate_frame",
    "couReadFrameColumn": "read_frame_column",
    "couPlaceVertices": "place_vertices",
    "couWritePfm": "write_pfm",
    "couListScenes": "list_scenes",
    "couFreeNames": "list_scenes",
    "couCloseFilm": "Film.close",
    "couSetLog": "set_log",
    "couFaults_Add": "FaultError",
    "couFaults_Clear": "FaultError",
    "couParams_Find": _TABLES, "couParams_Suggest": _TABLES, "couParams_SetDefaults": _TABLES, "couParams_Check": _TABLES,
    "couParams_SetByName": _TABLES, "couParam_SetNumbers": _TABLES, "couParam_SetText": _TABLES, "couParam_GetNumbers": _TABLES,
    "couParam_Size": _TABLES, "couParams_Size": _TABLES, "couParam_FormatRange": _TABLES, "couParam_FormatDefault": _TABLES,
    "couParam_FormatValue": _TABLES, "couParam_FormatHelp": _TABLES, "couMethodParams": _TABLES,
    "couSetAllocator": "(taken by the package: memory that arrays point at stays)",
    "couSetAssert": "(programmer's errors are checked in Python, before the library is called)",
    "couFormatUnknown": "(texts of faults come from the library)",
    "couDestroyWorld": "World.close", "couCloseScene": "Scene.close", "couDestroyRenderer": f"({_LIFETIME})",
    "couDiscardFilm": f"({_LIFETIME})",
}


def is_lifetime(name):
    """Retain, Release, Clear and Free... of what Python objects hold."""
    return name.endswith(("_Retain", "_Release", "_Clear")) or name.startswith("couFree")


def is_table(name):
    """couBodyParams and its likes; defaults are taken where a def is made."""
    return name.endswith("Params") and "_" not in name or name.startswith("couDefault")
