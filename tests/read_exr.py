#!/usr/bin/env python3
"""Reads the colour and the albedo of an OpenEXR file with ffmpeg, whose decoder is its own, and compares them with PFM files.

usage: read_exr.py LAYERS.exr RADIANCE.pfm ALBEDO.pfm
"""
import struct
import subprocess
import sys


def read_pfm(path):
    """Width, height, and rows of (r, g, b) from the top."""
    with open(path, "rb") as file:
        head, size, scale = (file.readline().split() for _ in range(3))
        data = file.read()
    width, height = map(int, size)
    if head != [b"PF"] or float(scale[0]) >= 0:
        sys.exit(f"{path}: no little-endian PFM of three channels")
    values = list(struct.iter_unpack("<fff", data))
    return width, height, [pixel for y in reversed(range(height)) for pixel in values[y * width:(y + 1) * width]]


def read_exr(path, layer, count):
    """Pixels (r, g, b) from the top of a layer, "" for the picture itself."""
    command = ["ffmpeg", "-v", "error", "-layer", layer, "-i", path, "-pix_fmt", "gbrpf32le", "-f", "rawvideo", "-"]
    data = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    green, blue, red = (struct.unpack_from(f"<{count}f", data, 4 * plane * count) for plane in range(3))
    return list(zip(red, green, blue))


def main():
    for layer, path in (("", sys.argv[2]), ("albedo", sys.argv[3])):
        width, height, expected = read_pfm(path)
        got = read_exr(sys.argv[1], layer, width * height)
        different = [i for i in range(len(expected)) if got[i] != expected[i]]
        if different:
            i = different[0]
            sys.exit(f"layer '{layer}': {len(different)} pixels differ, first {i}: expected {expected[i]}, got {got[i]}")
        if len(set(expected)) < 10:
            sys.exit(f"layer '{layer}': hardly a picture")
    print("same")


if __name__ == "__main__":
    main()
