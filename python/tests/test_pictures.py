"""Surfaces, frames, pictures and film."""
import gc
import os
import struct

import numpy as np
import pytest

import coulis
from conftest import make_drop


def test_frames_go_to_files_and_back(drop, tmp_path):
    frame = drop.frame()
    assert len(frame) == len(drop.particles) and (np.diff(frame.id.astype(int)) > 0).all()
    for name in ("a.vtp", "a.ply"):
        frame.save(tmp_path / name)
        back = coulis.read_frame(tmp_path / name)
        assert np.array_equal(back.position, frame.position) and back.missing_names == ""
    assert np.allclose(frame.column("y"), frame.position[:, 1])
    assert np.allclose(coulis.read_frame_column(tmp_path / "a.vtp", back, "speed"), 0)
    with pytest.raises(KeyError):
        frame.column("temperature")
    with pytest.raises(coulis.FaultError):
        coulis.read_frame_column(tmp_path / "a.vtp", back, "temperature")
    assert coulis.list_frames([str(tmp_path / "a.vtp")]).items == [(str(tmp_path / "a.vtp"), 1)]
    made = coulis.allocate_frame(2)
    made.position[:] = 1
    assert made.position.sum() == 6 and made.pressure is None


def test_surfaces(drop, tmp_path):
    surface = drop.surface()
    assert 0.006 < surface.volume < 0.01 and surface.indices.max() < surface.vertex_count  # 280 particles of 0.03 m: 0.0076
    surface.save(tmp_path / "a.ply")
    back, time = coulis.read_surface(tmp_path / "a.ply")
    assert np.allclose(back.vertices, surface.vertices) and time == 0
    vertices = surface.vertices
    del surface
    gc.collect()
    assert np.isfinite(vertices).all()
    with pytest.raises(coulis.FaultError, match="spacing"):
        drop.frame().surface(spacing=-1)


def decode_size(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def test_pictures(drop, tmp_path):
    image = drop.picture(width=160, height=90)
    assert image.array.shape == (90, 160, 3) and image.array.std() > 5
    assert decode_size(image._repr_png_()) == (160, 90)
    image.save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(image._repr_png_())
    assert np.array_equal(coulis.read_png(tmp_path / "a.png").array, image.array)
    assert np.array_equal(coulis.read_png(tmp_path / "b.png").array, image.array)
    assert np.array_equal(coulis.Image.from_array(image.array).array, image.array)
    assert decode_size(drop._repr_png_()) == (640, 360)
    with pytest.raises(TypeError, match="widht"):
        drop.picture(widht=3)
    with pytest.raises(coulis.FaultError):
        drop.picture(width=3)


def test_qualities_and_colors(drop):
    drop.advance(0.02)
    plain = drop.picture(width=96, height=64)
    renderer = coulis.Renderer(1)
    for options in ({"quality": "splats"}, {"quality": "final", "paths": 1}, {"color_by": "speed", "low": 0, "high": 1},
                    {"from_": (1, 1, 1), "to": (0, 0.1, 0)}):
        image = drop.picture(width=96, height=64, renderer=renderer, **options)
        assert image.array.shape == plain.array.shape and not np.array_equal(image.array, plain.array), options
    with pytest.raises(ValueError, match="preview"):
        drop.picture(quality="best")


def test_plane_worlds_and_solids_are_drawn():
    flat = coulis.Scene("dam-break-2d", spacing=0.08, threads=1)
    assert flat.picture(width=96, height=64).array.std() > 5
    world = coulis.World(spacing=0.05, threads=1)
    world.add_solid(mesh=coulis.create_box_solid_mesh(3, (0.2, 0.2, 0.2), (2, 2, 2)), at=(0, 0.5, 0))
    assert world.picture(width=96, height=64, from_=(1, 1, 1), to=(0, 0.5, 0)).array.std() > 1


def test_film(tmp_path):
    world = make_drop()
    path = tmp_path / "a.mp4"
    with coulis.open_film(path, 96, 64, 10.0) as film:
        for _ in range(3):
            film.add_frame(world.picture(width=96, height=64))
            world.advance(0.02)
    assert os.path.getsize(path) > 0
    with pytest.raises(coulis.GoneError):
        film.add_frame(world.picture(width=96, height=64))
