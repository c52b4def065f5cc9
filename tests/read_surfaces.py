"""Reads surfaces and ParaView's list of a run with Debian's VTK: read_surfaces.py SAMPLES RUN

SAMPLES has the surfaces of tests/write_surfaces.c, whose numbers must come back; the surfaces of RUN must be closed and its .pvd
must name files that are there, at the times of the frames. Exits with 1 at the first thing that is wrong, and when VTK is
not there.
"""
import math
import os
import sys
import xml.etree.ElementTree as ElementTree

from vtkmodules.vtkFiltersCore import vtkFeatureEdges, vtkMassProperties
from vtkmodules.vtkIOGeometry import vtkOBJReader
from vtkmodules.vtkIOPLY import vtkPLYReader
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

RINGS = 40


def check(path, is_ok, what):
    if not is_ok:
        sys.exit(f"{path}: {what}")


def read(reader, path):
    errors = []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *_, event=event: errors.append(event))
    reader.SetFileName(path)
    reader.Update()
    check(path, not errors, f"VTK reports {errors}")
    return reader.GetOutput()


def check_closed(path, data, volume=None):
    edges = vtkFeatureEdges()
    edges.SetInputData(data)
    edges.BoundaryEdgesOn()
    edges.NonManifoldEdgesOn()
    edges.FeatureEdgesOff()
    edges.Update()
    count = edges.GetOutput().GetNumberOfCells()
    check(path, count == 0, f"{count} edges are open or have more than two triangles")
    mass = vtkMassProperties()
    mass.SetInputData(data)
    check(path, volume is None or abs(mass.GetVolume() - volume) < 0.01 * volume, f"volume {mass.GetVolume()}, expected {volume}")
    return mass.GetVolume()


def check_array(path, data, name, kind, expected):
    array = data.GetPointData().GetArray(name)
    check(path, array is not None, f"no array {name}")
    check(path, array.GetDataTypeAsString() == kind, f"{name} is {array.GetDataTypeAsString()}, expected {kind}")
    for i in (0, 1, 7, 100, array.GetNumberOfTuples() - 1):
        got, wanted = array.GetTuple(i), expected(i)
        check(path, got == tuple(wanted), f"{name} of vertex {i} is {got}, expected {wanted}")


def check_samples(folder):
    vertices, triangles = RINGS * 2 * RINGS + 2, 4 * RINGS * RINGS
    for name, reader in (("sphere.vtp", vtkXMLPolyDataReader()), ("sphere.ply", vtkPLYReader()), ("sphere.obj", vtkOBJReader())):
        path = os.path.join(folder, name)
        data = read(reader, path)
        check(path, data.GetNumberOfPoints() == vertices, f"{data.GetNumberOfPoints()} points, expected {vertices}")
        check(path, data.GetNumberOfPolys() == triangles, f"{data.GetNumberOfPolys()} triangles, expected {triangles}")
        check_closed(path, data, 4 / 3 * math.pi * 0.125)
    path = os.path.join(folder, "sphere.vtp")
    data = read(vtkXMLPolyDataReader(), path)
    check_array(path, data, "velocity", "float", lambda i: (i * 0.25, -1, i % 8 * 0.5))
    check_array(path, data, "color", "float", lambda i: (i // 2 % 2, 0, 1))
    check_array(path, data, "id", "unsigned int", lambda i: (4000000000 + i,))
    check_array(path, data, "material", "unsigned char", lambda i: (i % 2,))
    check(path, data.GetPointData().GetNormals() is not None, "the normals are not marked as such")
    for i in range(vertices):  # outward, of the sphere about (0.25, 1, 0)
        normal, point = data.GetPointData().GetNormals().GetTuple(i), data.GetPoint(i)
        check(path, max(abs((p - c) / 0.5 - n) for p, c, n in zip(point, (0.25, 1, 0), normal)) < 1e-5, f"normal {i} is off")
    time = data.GetFieldData().GetArray("TimeValue")
    check(path, time is not None and time.GetValue(0) == 1.25, "TimeValue is not 1.25")
    path = os.path.join(folder, "ring.vtp")
    data = read(vtkXMLPolyDataReader(), path)
    check(path, data.GetNumberOfLines() == 200 and data.GetNumberOfPolys() == 0, "not 200 lines")
    svg = ElementTree.parse(os.path.join(folder, "ring.svg")).getroot()
    check("ring.svg", svg.tag.endswith("svg") and len(svg.findall("{http://www.w3.org/2000/svg}path")) == 1, "not one path")


def check_run(folder):
    for stem in ("particles", "surface"):
        path = os.path.join(folder, stem + ".pvd")
        sets = ElementTree.parse(path).getroot().find("Collection").findall("DataSet")
        first = 0 if stem == "particles" else 1  # particles have a start
        check(path, len(sets) == 7 - first, f"{len(sets)} frames, expected {7 - first}")
        for number, entry in enumerate(sets, first):
            check(path, abs(float(entry.get("timestep")) - number / 30) < 1e-9, f"frame {number} at {entry.get('timestep')} s")
            data = read(vtkXMLPolyDataReader(), os.path.join(folder, entry.get("file")))
            time = data.GetFieldData().GetArray("TimeValue").GetValue(0)
            check(path, abs(time - number / 30) < 1e-9, f"time of frame {number}")
            if stem == "surface":
                volume = check_closed(entry.get("file"), data)
                check(path, 0.5 * 0.00345 < volume < 2 * 0.00345, f"volume {volume} m^3 of some 3.5 litres")


check_samples(sys.argv[1])
check_run(sys.argv[2])
print("VTK reads surfaces as .vtp, .ply and .obj, and the run's .pvd")
