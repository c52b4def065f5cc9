"""Columns without a copy whose lifetime is safe."""
import gc
import pickle
import threading

import numpy as np
import pytest

import coulis
from coulis._library import pins
from conftest import make_drop

NAMES = ("position", "velocity", "id", "material", "density")


def uses(column):
    """All ways to read it."""
    return [lambda: column[0], lambda: column + 1, lambda: np.asarray(column), lambda: np.sum(column), lambda: column.max(),
            lambda: len(column), lambda: list(column), lambda: column[1:], lambda: column.shape, lambda: column.copy(),
            lambda: np.concatenate([column, column]), lambda: column == column, lambda: column.tolist(), lambda: 0 in column,
            lambda: column.ctypes, lambda: column.__array_interface__, lambda: memoryview(np.asarray(column)),
            lambda: pickle.dumps(column), lambda: column.T, lambda: np.mean(column, axis=0), lambda: np.array(column)]


def assert_gone(column, why):
    assert "gone" in repr(column)
    for number, use in enumerate(uses(column)):
        with pytest.raises(coulis.GoneError, match=why):
            use()
            pytest.fail(f"use {number} was let through")


def test_uses_work(drop):
    for name in NAMES:
        for use in uses(getattr(drop.particles, name)):
            use()


def test_no_copy(drop):
    view = coulis.raw.lib.couWorld_Particles(drop._pointer)
    for name in NAMES:
        column = getattr(drop.particles, name)
        address = int(coulis.raw.ffi.cast("uintptr_t", getattr(view, name)))
        assert np.asarray(column).ctypes.data == address == column.__array_interface__["data"][0]
        assert column[0:].ctypes.data == address
    assert drop.particles.position.shape == (len(drop.particles), 3)
    assert drop.particles.pressure is None


def test_a_million_particles_without_a_copy():
    world = coulis.World(spacing=0.01, threads=1)
    grid = np.stack(np.meshgrid(*[np.arange(100, dtype=np.float32) * 0.01] * 3, indexing="ij"), -1).reshape(-1, 3)
    world.add_particles("water", grid)
    view = coulis.raw.lib.couWorld_Particles(world._pointer)
    column = world.particles.position
    assert len(column) == view.count == 1_000_000
    assert np.asarray(column).ctypes.data == int(coulis.raw.ffi.cast("uintptr_t", view.position))
    assert np.shares_memory(np.asarray(column), np.asarray(world.particles.position))
    assert not np.asarray(column).flags.owndata
    assert np.allclose(column.mean(axis=0), 0.495, atol=1e-4)


def test_pressure_is_there_for_sph():
    world = make_drop(method="dfsph")
    world.advance(0.02)
    assert world.particles.pressure.shape == (len(world.particles),)


def test_read_only(drop):
    column = drop.particles.position
    with pytest.raises(TypeError):
        column[0] = 1
    with pytest.raises(ValueError):
        np.asarray(column)[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        np.add(column, 1, out=column)
    with pytest.raises(ValueError, match="read-only"):
        column += 1


def test_gone_after_a_step(drop):
    column, part = drop.particles.position, drop.particles.velocity[:, 1]
    drop.advance(0.01)
    assert_gone(column, "has changed")
    assert_gone(part, "has changed")
    assert drop.particles.position.shape == column._array.shape


def test_gone_after_particles_were_added(drop):
    column = drop.particles.position
    drop.add_particles("water", np.random.default_rng(1).random((20000, 3)) + 1)
    assert_gone(column, "has changed")


def test_gone_after_particles_were_removed(drop):
    column = drop.particles.id
    drop.add_body(shape=coulis.sphere(0.05), at=(0, 0.2, 0))
    assert_gone(column, "has changed")


def test_gone_with_the_world(drop):
    column = drop.particles.density
    drop.close()
    assert_gone(column, "closed or gone")
    with pytest.raises(coulis.GoneError):
        drop.particles
    with pytest.raises(coulis.GoneError):
        drop.advance(0.1)


def test_gone_when_the_world_is_collected():
    world = make_drop()
    column, particles = world.particles.density, world.particles
    del world
    gc.collect()
    assert_gone(column, "closed or gone")
    with pytest.raises(coulis.GoneError):
        particles.position


def test_reading_does_not_end_columns(drop):
    column = drop.particles.position
    drop.measure(), drop.time, drop.hash, drop.bodies[0].pose, drop.frame()
    assert column.shape[1] == 3


def test_plain_arrays_outlive_the_world():
    """What numpy holds cannot be called back: its memory stays."""
    before = pins.couPin_Count()
    world = make_drop()
    plain = np.asarray(world.particles.position)
    kept = plain.copy()
    world.close()
    blocks = [np.full(plain.nbytes // 4 + 64, 7, np.float32) for _ in range(50)]  # would take the place of freed memory
    assert np.array_equal(plain, kept) and len(blocks) == 50
    assert pins.couPin_Count() == before + 1
    del plain
    gc.collect()
    assert pins.couPin_Count() == before


def test_plain_arrays_outlive_growth(drop):
    plain = np.asarray(drop.particles.position)
    kept = plain.copy()
    for _ in range(3):
        drop.add_particles("water", np.random.default_rng(1).random((50000, 3)) + 1)
    assert np.array_equal(plain, kept)


def test_results_are_arrays_of_their_own(drop):
    total = drop.particles.position + 1
    ids = drop.particles.id[[0, 1]]
    high = drop.particles.position[drop.particles.position[:, 1] > 0.2]
    drop.close()
    assert type(total) is type(ids) is type(high) is np.ndarray and np.isfinite(total).all() and np.isfinite(high).all()


def test_solids_have_columns():
    world = coulis.World(spacing=0.1, threads=1)
    mesh = coulis.create_box_solid_mesh(3, (1, 1, 1), (2, 2, 2))
    solid = world.add_solid(mesh=mesh)
    position = solid.position
    assert position.shape == (27, 3) and solid.mass.sum() == pytest.approx(1000)
    assert solid.stress.shape == (mesh.cell_count, 6) and solid.mises.shape == (27,)
    world.advance(0.01)
    with pytest.raises(coulis.GoneError):
        position[0]
    with pytest.raises(IndexError):
        solid.drag(27, (0, 0, 0), 1.0)
    points = mesh.points
    del mesh
    gc.collect()
    assert points.shape == (27, 3) and np.isfinite(points).all()


def test_threads_take_turns(drop):
    """Two threads that read and step the same world: waits and GoneError, no crash."""
    errors = []

    def read():
        for _ in range(300):
            try:
                drop.particles.position.sum()
            except coulis.GoneError:
                pass
            except Exception as error:  # noqa: BLE001
                errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        drop.step(0.001)
    for thread in threads:
        thread.join()
    assert not errors


def test_python_ends_well_with_all_held(tmp_path):
    """Worlds, scenes, columns and arrays that are still there when Python ends."""
    import subprocess
    import sys
    code = """
import coulis, numpy as np
scene = coulis.Scene("dam-break-2d", spacing=0.08, threads=2)
world = coulis.World(spacing=0.05)
world.add_fluid(shape=coulis.sphere(0.2), material="water")
world.add_event(0.01, 0.01, lambda *_: None)
scene.advance(0.02), world.advance(0.02)
held = [scene, world, world.particles.position, np.asarray(scene.world.particles.velocity), world.surface().vertices,
        world.frame(), coulis.Renderer(1), world.save_state(), coulis.open_film("a.mp4", 96, 64, 10.0)]
held.append(held)
coulis.everything = held
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
