#!/usr/bin/env python3
"""Makes a wheel of the built package, with the shared libraries and the gallery in it. Needs no network.

usage: make_wheel.py PACKAGE_DIR SOURCE_DIR DIST_DIR

What Coulis itself stands on (ODE, HDF5, Embree, Lua...) is not in the wheel: it comes from the system's packages.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

SETUP = '''
from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(name="coulis", version={version!r}, description="Particle simulator of fluids, viscoelastic matter, bodies and solids",
      license="MIT", python_requires=">=3.9", install_requires=["cffi>=1.15", "numpy>=1.20"],
      extras_require={{"tables": ["pandas"]}},
      packages=["coulis"], package_data={{"coulis": {files}}}, include_package_data=False,
      distclass=Binary, cmdclass={{"bdist_wheel": AnyPython}})
'''


def package_files(folder):
    """All files in it, one by one: setuptools of Debian 12 does not know ** in package_data."""
    return [os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    package, source, dist = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        staged = os.path.join(folder, "coulis")
        shutil.copytree(package, staged, ignore=shutil.ignore_patterns("__pycache__"))  # follows links: the libraries themselves
        shutil.copytree(os.path.join(source, "scenes"), os.path.join(staged, "share", "coulis", "scenes"))
        shutil.copy(os.path.join(source, "LICENSE"), folder)
        version = {}
        with open(os.path.join(staged, "_data.py"), encoding="utf-8") as file:
            exec(file.read(), version)  # our own, generated
        files = [name for name in package_files(staged) if not name.endswith(".py")]
        text = SETUP.format(version=version["CONSTANTS"]["COU_VERSION"], files=files)
        with open(os.path.join(folder, "setup.py"), "w", encoding="utf-8") as file:
            file.write(text)
        made = os.path.join(folder, "made")
        result = subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel", "--dist-dir", made], cwd=folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        wheels = glob.glob(os.path.join(made, "*.whl"))
        if result.returncode or len(wheels) != 1:
            sys.exit(f"make_wheel: setuptools failed:\n{result.stdout}")
        os.makedirs(dist, exist_ok=True)
        path = os.path.join(dist, os.path.basename(wheels[0]))
        shutil.move(wheels[0], path + ".tmp")
        os.replace(path + ".tmp", path)
        print(path)


if __name__ == "__main__":
    main()
