"""What the tests share. The package is the one that was built: PYTHONPATH says where."""
import os

import pytest

import coulis

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture
def source():
    return SOURCE


@pytest.fixture
def drop():
    """A drop above the ground, a few hundred particles."""
    return make_drop()


def make_drop(**fields):
    world = coulis.World(**{"spacing": 0.03, "threads": 1, **fields})
    world.add_body(name="ground", shape=coulis.plane())
    world.add_fluid(shape=coulis.sphere(0.12), at=(0, 0.2, 0), material=world.add_material(density=1400, viscosity=8))
    return world
