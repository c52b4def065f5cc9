"""Reads sample frames (tests/sample_frame.h) with Debian's VTK: read_frames.py FOLDER COUNT...

Every number of every particle must come back exactly, in its type. Exits with 1 at the first that does not, and when VTK is not
there.
"""
import sys

from vtkmodules.vtkIOPLY import vtkPLYReader
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader


def expected(count):
    """Type and values of each array; all numbers are exact in single precision."""
    numbers = range(count)
    return {
        "position": ("float", [[i * 0.25, i % 100 * -0.5, i * 7 % 1000 * 0.125] for i in numbers]),
        "velocity": ("float", [[i % 7 - 3.0, i * 0.0625, -1.0] for i in numbers]),
        "id": ("unsigned int", [4000000000 + 3 * i for i in numbers]),
        "density": ("float", [1 + i % 16 * 0.0078125 for i in numbers]),
        "material": ("unsigned char", [i % 256 for i in numbers]),
        "connectivity": ("int", list(numbers)),
        "offsets": ("int", list(range(count + 1))),
    }


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


def check_array(path, name, array, wanted):
    kind, values = wanted
    check(path, array is not None, f"no array {name}")
    check(path, array.GetDataTypeAsString() == kind, f"{name}: expected {kind}, got {array.GetDataTypeAsString()}")
    got = memoryview(array).tolist()
    check(path, len(got) == len(values), f"{name}: expected {len(values)} rows, got {len(got)}")
    for i, (a, b) in enumerate(zip(got, values)):
        check(path, a == b, f"{name} of row {i}: expected {b}, got {a}")


def check_vtp(path, count):
    data, wanted = read(vtkXMLPolyDataReader(), path), expected(count)
    check(path, data.GetNumberOfPoints() == count, f"expected {count} points, got {data.GetNumberOfPoints()}")
    check(path, data.GetNumberOfVerts() == count, f"expected {count} vertex cells, got {data.GetNumberOfVerts()}")
    time = data.GetFieldData().GetArray("TimeValue")
    check(path, time is not None and time.GetNumberOfTuples() == 1 and time.GetValue(0) == 1.25, "TimeValue is not 1.25")
    if count == 0:
        return
    check_array(path, "position", data.GetPoints().GetData(), wanted["position"])
    check_array(path, "connectivity", data.GetVerts().GetConnectivityArray(), wanted["connectivity"])
    check_array(path, "offsets", data.GetVerts().GetOffsetsArray(), wanted["offsets"])
    for name in ("id", "velocity", "density", "material"):
        check_array(path, name, data.GetPointData().GetArray(name), wanted[name])


def check_ply(path, count):
    data = read(vtkPLYReader(), path)
    check(path, data.GetNumberOfPoints() == count, f"expected {count} points, got {data.GetNumberOfPoints()}")
    if count > 0:
        check_array(path, "position", data.GetPoints().GetData(), expected(count)["position"])


def main(folder, *counts):
    check(folder, len(counts) > 0, "no counts given")
    for count in map(int, counts):
        check_vtp(f"{folder}/sample_{count}.vtp", count)
        check_ply(f"{folder}/sample_{count}.ply", count)
    print(f"read .vtp and .ply frames of {', '.join(counts)} particles")


main(*sys.argv[1:])
