"""Frames written by VTK in all its ways, read by Coulis: foreign_frames.py COULIS FOLDER

The same 1003 particles go through every writer, encoding, compressor, byte order and header type that VTK has; `coulis info`
must see the same hash of ids, positions and velocities each time. Exits with 1 at the first that differs, and when VTK is not
there.
"""
import os
import re
import subprocess
import sys

from vtkmodules.vtkCommonCore import vtkDoubleArray, vtkFloatArray, vtkIdTypeArray, vtkIntArray, vtkPoints, vtkUnsignedIntArray
from vtkmodules.vtkCommonDataModel import VTK_VERTEX, vtkCellArray, vtkPolyData, vtkUnstructuredGrid
from vtkmodules.vtkCommonCore import VTK_DOUBLE, VTK_FLOAT
from vtkmodules.vtkIOLegacy import vtkPolyDataWriter, vtkUnstructuredGridWriter
from vtkmodules.vtkIOPLY import vtkPLYWriter
from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter, vtkXMLUnstructuredGridWriter

COUNT = 1003
coulis, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)


def make(is_double, id_type):
    """All numbers are exact in single precision, and none is -0, which text does not keep."""
    points = vtkPoints()
    points.SetDataType(VTK_DOUBLE if is_double else VTK_FLOAT)
    velocity = vtkDoubleArray() if is_double else vtkFloatArray()
    velocity.SetName("velocity")
    velocity.SetNumberOfComponents(3)
    ids = id_type()
    ids.SetName("id")
    cells = vtkCellArray()
    for i in range(COUNT):
        points.InsertNextPoint(i * 0.25, i % 100 * -0.5 - 0.5, i * 7 % 1000 * 0.125)
        velocity.InsertNextTuple3(i % 7 - 3.0, i * 0.0625, -1.0)
        ids.InsertNextValue(7 + 3 * i)
        cells.InsertNextCell(1)
        cells.InsertCellPoint(i)
    poly, grid = vtkPolyData(), vtkUnstructuredGrid()
    poly.SetVerts(cells)
    grid.SetCells(VTK_VERTEX, cells)
    for data in (poly, grid):
        data.SetPoints(points)
        data.GetPointData().AddArray(velocity)
        data.GetPointData().AddArray(ids)
    return poly, grid


def describe(path):
    result = subprocess.run([coulis, "info", path], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{path}: {result.stderr}")
    return dict(re.findall(r"^(\w+) +(.*)$", result.stdout, re.MULTILINE))


wanted, tested = None, 0


def expect(path, writer, data):
    global wanted, tested
    writer.SetFileName(path)
    writer.SetInputData(data)
    if writer.Write() != 1:
        sys.exit(f"{path}: VTK cannot write it")
    facts = describe(path)
    wanted = wanted or facts["hash"]
    count = facts["particles"].replace(" ", "")
    if facts["hash"] != wanted or count != str(COUNT) or facts.get("missing") != "density, material":
        sys.exit(f"{path}: {facts}, expected the hash {wanted}")
    tested += 1


for is_double in (False, True):
    for id_type in (vtkIntArray, vtkUnsignedIntArray, vtkIdTypeArray):
        poly, grid = make(is_double, id_type)
        for data, xml, extension in ((poly, vtkXMLPolyDataWriter, "vtp"), (grid, vtkXMLUnstructuredGridWriter, "vtu")):
            for mode in ("Ascii", "Binary", "Appended"):
                for compressor in ("None", "ZLib"):
                    for header in ("UInt32", "UInt64"):
                        for order in ("LittleEndian", "BigEndian"):
                            for is_encoded in ((False, True) if mode == "Appended" else (False,)):
                                writer = xml()
                                getattr(writer, f"SetDataModeTo{mode}")()
                                getattr(writer, f"SetCompressorTypeTo{compressor}")()
                                getattr(writer, f"SetHeaderTypeTo{header}")()
                                getattr(writer, f"SetByteOrderTo{order}")()
                                writer.SetEncodeAppendedData(is_encoded)
                                writer.SetBlockSize(4096)
                                expect(os.path.join(folder, f"frame.{extension}"), writer, data)
        for data, legacy in ((poly, vtkPolyDataWriter), (grid, vtkUnstructuredGridWriter)):
            for is_binary in (False, True):
                for version in (42, 51):
                    writer = legacy()
                    writer.SetFileType(2 if is_binary else 1)
                    writer.SetFileVersion(version)
                    expect(os.path.join(folder, "frame.vtk"), writer, data)

# VTK's PLY writer keeps positions only.
poly, _ = make(False, vtkIntArray)
for set_type in ("SetFileTypeToASCII", "SetFileTypeToBinary"):
    for set_order in ("SetDataByteOrderToLittleEndian", "SetDataByteOrderToBigEndian"):
        path, writer = os.path.join(folder, "frame.ply"), vtkPLYWriter()
        getattr(writer, set_type)()
        getattr(writer, set_order)()
        writer.SetFileName(path)
        writer.SetInputData(poly)
        writer.Write()
        facts = describe(path)
        if facts["particles"].replace(" ", "") != str(COUNT) or facts["missing"] != "velocity, id, density, material":
            sys.exit(f"{path}: {facts}")
        if facts["bounds"] != "0 -50 0 to 250.5 -0.5 124.875 m":
            sys.exit(f"{path}: bounds {facts['bounds']}")
        tested += 1
print(f"read {tested} frames of VTK's writers")
