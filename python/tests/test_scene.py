"""Scenes from files, names and text; runs of the program in pandas."""
import gc

import numpy as np
import pytest

import coulis

TEXT = """
scene { title = "A drop", method = "pvfs", spacing = 0.03, duration = 1, fps = 20 }
body { name = "ground", shape = plane {} }
fluid { material = material("honey"), shape = sphere { radius = 0.12 }, at = {0, 0.2, 0} }
at(0.1, function(world) world.store.seen = true end)
camera { from = {1, 1, 1}, to = {0, 0, 0} }
"""


def test_scene_from_text():
    scene = coulis.Scene(TEXT, threads=1)
    assert scene.title == "A drop" and scene.fps == 20 and scene.duration == 1
    before = len(scene.world.particles)
    assert before > 100 and scene.world is scene.world and scene.world.find_body("ground").exists
    scene.advance()
    assert scene.world.time == pytest.approx(0.05)
    assert list(scene.camera.from_) == [1, 1, 1] and scene.camera_at(3.0).is_set


def test_scene_by_name_and_overrides():
    assert "dam-break-2d" in coulis.list_scenes()
    coarse = coulis.Scene("dam-break-2d", spacing=0.08, threads=1)
    fine = coulis.Scene("dam-break-2d", threads=1, set={"spacing": 0.05})
    assert 0 < len(coarse.world.particles) < len(fine.world.particles)
    assert coarse.world.definition.spacing == pytest.approx(0.08)
    assert coulis.Scene("dam-break-2d", method="iisph", spacing=0.08).world.definition.method == "iisph"


def test_all_faults_of_a_scene(tmp_path):
    path = tmp_path / "bad.lua"
    path.write_text('scene { spacing = -1, tite = "x" }\nbody { shape = sphere { radius = -2 } }\n', encoding="utf-8")
    with pytest.raises(coulis.FaultError) as caught:
        coulis.Scene(path)
    assert len(caught.value.faults) >= 3
    assert all(fault.where.startswith(str(path)) for fault in caught.value.faults) and ":2" in str(caught.value)
    with pytest.raises(coulis.FaultError):
        coulis.Scene(tmp_path / "none.lua")


def test_lua_errors_are_raised():
    scene = coulis.Scene(TEXT.replace("world.store.seen = true", "error('oh no')"), threads=1)
    with pytest.raises(coulis.SceneError, match="oh no"):
        for _ in range(5):
            scene.advance()


def test_state_of_a_scene_holds_its_store(tmp_path):
    scene = coulis.Scene(TEXT, threads=1)
    scene.advance(0.2)
    assert scene.run_console("world.store.seen") == "true"
    scene.world.save(tmp_path / "a.h5")
    other = coulis.Scene(TEXT, threads=1)
    other.world.resume(tmp_path / "a.h5")
    assert other.run_console("world.store.seen") == "true"
    assert other.world.hash == scene.world.hash
    with pytest.raises(coulis.SceneError):
        scene.run_console("nonsense(")


def test_a_world_keeps_its_scene():
    world = coulis.Scene(TEXT, threads=1).world
    gc.collect()
    world.advance(0.15)
    column = world.particles.position
    world.close()
    with pytest.raises(coulis.GoneError):
        column[0]
    with pytest.raises(coulis.GoneError):
        world.advance(0.1)


def test_closing_a_scene_closes_its_world():
    with coulis.Scene(TEXT, threads=1) as scene:
        world, column = scene.world, scene.world.particles.position
    for use in (lambda: column.sum(), lambda: world.time, lambda: scene.title):
        with pytest.raises(coulis.GoneError):
            use()


def test_tables_in_pandas(tmp_path, drop):
    (tmp_path / "diagnostics.csv").write_text("frame,time,p1 [Pa]\n1,0.1,5\n2,0.2,6\n", encoding="utf-8")
    table = coulis.read_csv(tmp_path)
    assert list(table.columns) == ["frame", "time", "p1"] and table.attrs["units"] == {"p1": "Pa"} and table.p1.sum() == 11
    particles = drop.particles.to_pandas()
    assert len(particles) == len(drop.particles) and {"x", "y", "z", "vx", "vy", "vz", "density"} <= set(particles.columns)
    assert particles.y.mean() == pytest.approx(float(drop.particles.position[:, 1].mean()), rel=1e-5)
    drop.advance(0.01)
    assert np.isfinite(particles.x).all()
