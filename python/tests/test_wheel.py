"""The wheel: made without a network, unpacked elsewhere, used without the tree."""
import os
import subprocess
import sys
import zipfile


def test_wheel_works_elsewhere(source, tmp_path):
    package = os.path.join(os.environ["PYTHONPATH"].split(":")[0], "coulis")
    maker = os.path.join(source, "python", "make_wheel.py")
    subprocess.run([sys.executable, maker, package, source, tmp_path / "dist"], check=True, capture_output=True)
    wheels = os.listdir(tmp_path / "dist")
    assert len(wheels) == 1 and wheels[0].startswith("coulis-") and "-py3-none-linux_" in wheels[0]
    with zipfile.ZipFile(tmp_path / "dist" / wheels[0]) as wheel:
        names = wheel.namelist()
        wheel.extractall(tmp_path / "site")
    for wanted in ("coulis/_api.py", "coulis/py.typed", "coulis/lib/libcoulis.so.0", "coulis/lib/libcoulis-studio.so.0",
                   "coulis/lib/libcoulis-pin.so", "coulis/share/coulis/scenes/dam-break-2d.lua"):
        assert wanted in names
    assert not any("__pycache__" in name for name in names)
    code = ("import coulis; s = coulis.Scene('dam-break-2d', spacing=0.08, threads=1); s.advance(0.05); print(s.path); "
            "print([l.split()[-1] for l in open('/proc/self/maps') if 'libcoulis' in l])")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("COULIS", "PYTHONPATH", "LD_"))}
    result = subprocess.run([sys.executable, "-c", code], env={**environment, "PYTHONPATH": str(tmp_path / "site")}, cwd=tmp_path,
                            check=True, capture_output=True, text=True).stdout.splitlines()
    assert result[0].startswith(str(tmp_path)), "the gallery of the wheel is used"
    assert set(eval(result[1])) == {str(tmp_path / "site" / "coulis" / "lib" / name)
                                    for name in ("libcoulis.so.0", "libcoulis-studio.so.0", "libcoulis-pin.so")}
