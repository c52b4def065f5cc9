"""Worlds: things in them, steps, faults, callbacks, state."""
import gc
import weakref

import numpy as np
import pytest

import coulis
from conftest import make_drop


def test_a_drop_falls():
    world = coulis.World(spacing=0.03, threads=1)
    assert world.add_fluid(shape=coulis.sphere(0.12), material="water") > 100
    report = world.advance(0.2)
    assert report.substeps > 0 and not report.has_failed and report.phase_seconds.sum() > 0
    assert world.time == pytest.approx(0.2)
    assert -0.25 < world.measure().center[1] < -0.19
    assert sorted(world.particles.id) == list(range(len(world.particles)))
    assert "particles" in repr(world)


def test_all_faults_at_once(drop):
    with pytest.raises(coulis.FaultError) as caught:
        drop.add_body(shape=coulis.sphere(0.1), densty=3, frction=1, density="much")
    assert {fault.key for fault in caught.value.faults} == {"body.densty", "body.frction", "body.density"}
    assert "did you mean 'density'?" in str(caught.value) and "did you mean 'friction'?" in str(caught.value)
    with pytest.raises(coulis.FaultError) as caught:
        drop.add_body(shape=coulis.sphere(0.1), friction=3, bounce=-1)
    assert len(caught.value.faults) == 2 and "body.bounce" in str(caught.value)
    assert drop.body_count == 1
    with pytest.raises(coulis.FaultError, match="spacing"):
        coulis.World(spacing=-1)
    with pytest.raises(coulis.FaultError, match="radius"):
        coulis.sphere(-1)
    with pytest.raises(ValueError, match="did you mean 'honey'"):
        drop.material("hony")


def test_bad_arguments(drop):
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError):
            drop.advance(seconds)
    with pytest.raises(coulis.FaultError, match="3 numbers"):
        drop.add_body(shape=coulis.sphere(0.1), velocity=(1, 2, 3, 4))
    with pytest.raises(coulis.FaultError):
        drop.add_body(name="x" * 40, shape=coulis.sphere(0.1))
    with pytest.raises(ValueError, match="3 numbers"):
        drop.add_particles("water", np.zeros((5, 4)))
    with pytest.raises(ValueError, match="lengths"):
        drop.add_particles("water", np.zeros((5, 3)), np.zeros((4, 3)))
    with pytest.raises(IndexError):
        drop.particle_mass(7)
    with pytest.raises(TypeError):
        coulis.create_distance_grid(coulis.sphere(1), 0.1)
    for wrong in (lambda: drop.find_body(None), lambda: coulis.capture_samples(None), lambda: coulis.create_mesh(None, None),
                  lambda: drop.find_body("a\0b"), lambda: coulis.resample_mesh(None, 0.1), lambda: drop.body_at("x")):
        with pytest.raises((TypeError, ValueError)):
            wrong()
    assert drop.body_at(99) is None and drop.find_body("nobody") is None and drop.material_at(99) is None


def test_materials_by_name(drop):
    honey = drop.material("honey")
    assert drop.material("honey") == honey and honey.definition.viscosity > 1
    thin = drop.material("honey", viscosity=1.5, color=(1, 0, 0))
    assert thin != honey and thin.definition.viscosity == 1.5 and list(thin.definition.look.color) == [1, 0, 0]
    thin.change(viscosity=2.5)
    assert thin.definition.viscosity == 2.5
    assert "honey" in coulis.material_names()
    assert coulis.find_library_material("honey").definition.name == "honey"


def test_bodies_and_joints():
    world = coulis.World(spacing=0.05, threads=1)
    ball = world.add_body(name="ball", shape=coulis.sphere(0.1), at=(0, 1, 0), is_dynamic=True, density=500)
    arm = world.add_joint(kind="ball", a=ball, at=(0.5, 1, 0))
    assert world.find_body("ball") == ball == world.bodies[0] and ball.definition.shape.kind == coulis.ShapeKind.SPHERE
    assert ball.mass == pytest.approx(500 * 4 / 3 * np.pi * 1e-3, rel=1e-3)
    assert world.joints == [arm] and arm.definition.a == ball and arm.definition.b is None
    world.advance(0.1)
    assert ball.pose.position[1] < 1 and np.linalg.norm(np.array(ball.center) - (0.5, 1, 0)) == pytest.approx(0.5, abs=0.01)
    ball.set_velocity((0, 0, 1), (0, 0, 0))
    assert ball.velocity[2] == pytest.approx(1)
    with pytest.raises(coulis.FaultError):
        ball.change(density=700)
    ball.change(friction=0.5)
    assert ball.definition.friction == 0.5
    ball.remove()
    assert not ball.exists and not arm.exists and "gone" in repr(ball)
    for use in (lambda: ball.pose, lambda: ball.remove(), lambda: ball.definition, lambda: arm.position,
                lambda: world.add_joint(kind="ball", a=ball)):
        with pytest.raises((coulis.GoneError, coulis.FaultError)):
            use()


def test_handles_of_another_world_are_refused(drop):
    other = make_drop()
    with pytest.raises(ValueError, match="another world"):
        drop.add_fluid(shape=coulis.sphere(0.1), at=(1, 1, 1), material=other.materials[0])


def test_emitters_sinks_fields_blowers():
    world = coulis.World(spacing=0.02, threads=1)
    down = coulis.Pose((0, 1, 0), coulis.rotation((1, 0, 0), 180))
    tap = world.add_emitter(material="water", shape=coulis.disk(0.05), speed=0.5, pose=down)
    drain = world.add_sink(shape=coulis.sphere(5), is_inverted=True)
    wind = world.add_field(kind="uniform", vector=(1, 0, 0))
    fan = world.add_blower(shape=coulis.cylinder(0.3, 0.4), force=0.1)
    world.advance(0.2)
    assert len(world.particles) > 0 and world.particles.velocity[:, 0].mean() > 0
    assert [world.emitters, world.sinks, world.fields, world.blowers] == [[tap], [drain], [wind], [fan]]
    fan.set_on(False)
    assert not fan.is_on
    wind.change(vector=(0, 0, 2))
    assert list(wind.definition.vector) == [0, 0, 2] and wind.definition.kind == coulis.FieldKind.UNIFORM
    tap.set_on(False)
    count = len(world.particles)
    world.advance(0.1)
    assert len(world.particles) == count


def test_functions_are_called():
    world = coulis.World(spacing=0.05, threads=1)
    seen = []
    world.add_fluid(shape=coulis.box((0.2, 0.2, 0.2)), material="water", velocity_function=lambda place: (0, place[1], 0))
    world.add_field(kind="function", function=lambda position, velocity, time: (0, 9.81, 0))
    paddle = world.add_body(shape=coulis.sphere(0.1), at=(3, 0, 0), motion=lambda time: (3, 0, time))
    world.add_event(0.05, 0.0, lambda world, time: seen.append((time, world.add_body(shape=coulis.sphere(0.1), at=(9, 0, 0)))))
    gc.collect()
    world.advance(0.1)
    assert len(seen) == 1 and seen[0][0] >= 0.05 and seen[0][1] in world.bodies
    assert paddle.pose.position[2] == pytest.approx(0.1, abs=1e-5)
    assert abs(world.measure().center[1]) < 0.01  # the field holds gravity up


def test_what_functions_raise_is_raised():
    world = make_drop()
    event = world.add_event(0.01, 0.0, lambda world, time: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        world.advance(0.1)
    assert event.exists and world.time > 0
    world.add_field(kind="function", function=lambda *_: world.add_body(shape=coulis.plane()))
    with pytest.raises(coulis.BusyError, match="must not change"):
        world.advance(0.01)


def test_no_step_within_a_step():
    world = make_drop()
    for wrong in (lambda: world.advance(0.1), world.close, lambda: world.load_state(coulis.State())):
        world.add_event(world.time, 0.0, lambda *_: wrong())
        with pytest.raises(coulis.BusyError):
            world.advance(0.01)
    assert len(world.particles) > 0


def test_worlds_with_functions_are_collected():
    world = make_drop()
    world.add_event(0.01, 0.01, lambda own, time: world.time)  # a circle through the function
    world.advance(0.02)
    gone = weakref.ref(world)
    del world
    gc.collect()
    assert gone() is None


def test_state_and_hash(drop):
    other = make_drop()
    drop.prepare(), other.prepare()
    assert drop.hash == other.hash
    state = drop.save_state()
    assert state.arrays["particles/position"].shape[0] == len(drop.particles)
    assert state.units["particles/position"] == "m"
    drop.advance(0.05)
    assert drop.hash != other.hash
    drop.load_state(state)
    assert drop.hash == state.hash == other.hash
    positions = state.arrays["particles/position"]
    del state
    gc.collect()
    assert np.isfinite(positions).all()


def test_save_and_resume(drop, tmp_path):
    drop.advance(0.05)
    drop.save(tmp_path / "a.h5")
    drop.advance(0.05)
    other = make_drop()
    info = other.resume(tmp_path / "a.h5")
    assert info.time == pytest.approx(0.05) and info.particles == len(other.particles)
    other.advance(0.05)
    assert other.hash == drop.hash
    with pytest.raises(coulis.FaultError, match="missing.h5"):
        other.resume(tmp_path / "missing.h5")
    with pytest.raises(coulis.FaultError):
        coulis.World(spacing=0.03).resume(tmp_path / "a.h5")


def test_parameters(drop):
    drop.set_param("pvfs.height_error", "0.05")
    assert float(drop.method_params()["height_error"]) == pytest.approx(0.05)
    with pytest.raises(coulis.FaultError, match="pvfs"):
        drop.set_param("pvfs.hight_error", "0.05")
    drop.set_gravity((0, -1, 0), "all")
    assert drop.gravity[1] == -1
    assert set(coulis.method_names()) >= {"pvfs", "dfsph"} and coulis.find_method_traits("dfsph").has_pressure
    with pytest.raises(coulis.FaultError, match="method"):
        coulis.World(method="dfhps")


def test_step_reports_add_up(drop):
    first, second = drop.advance(0.02), drop.advance(0.02)
    both = first.add(second)
    assert both.substeps == first.substeps + second.substeps and first.substeps < both.substeps
    assert set(first.to_dict()) >= {"substeps", "max_speed"}


def test_springs():
    world = coulis.World(spacing=0.05, threads=1)
    jelly = world.add_material(springs="plastic", shear_modulus=1000)
    world.add_fluid(shape=coulis.box((0.3, 0.3, 0.3)), material=jelly)
    world.advance(0.01)
    world.add_springs(jelly)
    assert len(world.springs) == world.spring_count > 0 and (world.springs["id_a"] < world.springs["id_b"]).all()


def test_shapes_and_meshes(tmp_path):
    glass = coulis.shell(coulis.cylinder(0.1, 0.2), 0.01, is_open=True)
    assert glass.distance(3, (0, 0, 0)) > 0 and not glass.is_convex
    assert coulis.plane().bounds(3) is None and coulis.sphere(2).bounds(3).upper[0] == 2
    both = coulis.union(coulis.sphere(1), coulis.box((1, 1, 1)).placed((3, 0, 0)))
    assert both.distance(3, (3, 0, 0)) < 0 and len(both.definition.children) == 2
    bowl = (coulis.sphere(1) & coulis.plane()) - coulis.sphere(0.8)
    assert bowl.distance(3, (0, -0.9, 0)) < 0 < bowl.distance(3, (0, -0.5, 0))
    assert bowl.mass(3).volume == pytest.approx(2 / 3 * np.pi * (1 - 0.512), rel=1e-3)
    assert coulis.difference(coulis.box((1, 1, 1), rounding=0.2), coulis.sphere(0.3)).distance(3, (0.49, 0.49, 0.49)) > 0
    assert coulis.intersection(coulis.sphere(1), coulis.sphere(2)).is_convex
    frame = coulis.polygon([(0, 0), (4, 0), (4, 4), (0, 4), (1, 1), (3, 1), (3, 3), (1, 3)], 1, outlines=(4, 4))
    assert frame.mass(3).volume == pytest.approx(12) and list(frame.definition.outlines) == [4, 4]
    ring = coulis.text("o", "dejavu-sans", height=1.0, depth=0.5)
    assert ring.distance(3, (0, 0, 0)) > 0.1 and len(ring.definition.outlines) == 2 and "dejavu-sans" in coulis.font_names()
    with pytest.raises(coulis.FaultError, match="no font"):
        (tmp_path / "bad.ttf").write_text("not a font")
        coulis.text("o", str(tmp_path / "bad.ttf"), 1.0)
    with pytest.raises(coulis.FaultError, match="nothing is left"):
        coulis.sphere(1) - coulis.sphere(2)
    assert coulis.sphere(1).mass(3).volume == pytest.approx(4 / 3 * np.pi)
    distance, normal = coulis.sphere(1).distance_normal(3, (2, 0, 0))
    assert distance == pytest.approx(1) and normal[0] == pytest.approx(1)
    assert coulis.sphere(1).planes((1.1, 0, 0), 0.5)[0][1] == pytest.approx(0.1, abs=1e-5)
    surface = coulis.sphere(0.1).build_surface(3, 0.0, ((-1, -1, -1), (1, 1, 1)))
    mesh = coulis.create_mesh(surface.vertices, surface.indices)
    assert mesh.triangle_count == surface.element_count and mesh.inspect().is_closed
    assert np.array_equal(mesh.vertices, surface.vertices)
    solid = coulis.mesh_shape(mesh, 0.01)
    assert solid.distance(3, (0, 0, 0)) == pytest.approx(-0.1, abs=0.01)
    grid = coulis.create_distance_grid(mesh, 0.02)
    assert coulis.unpack_distance_grid(mesh, grid.pack()).bytes == grid.bytes and grid.mesh.hash == mesh.hash
    surface.save(tmp_path / "ball.obj")
    assert coulis.read_mesh(tmp_path / "ball.obj").triangle_count == mesh.triangle_count
    with pytest.raises(coulis.FaultError, match="uses vertex"):
        coulis.create_mesh(surface.vertices, surface.indices + 10**6)
