"""A world before the camera."""
import numpy as np

from . import _convert as convert
from ._calls import call
from ._library import lib

_OPTIONS = ("width", "height", "fov", "quality", "samples", "paths", "seed", "aperture", "focus_distance", "shutter", 
            "frame_time", "is_denoised", "max_grain", "max_radiance", "uniform_light", "turn", "is_turning")
QUALITIES = {"preview": 0, "splats": 1, "final": 2}


def picture(world, width=640, height=360, quality="preview", from_=None, to=None, frame=None, color_by="", low=None, high=None,
            color_map="viridis", has_legend=True, renderer=None, threads=0, **options):
    """An Image of the world as it is.

    quality: preview (spheres), splats (the liquid's skin as discs), final (light through surfaces). from_, to: the camera [m];
    else the scene's, or one that frames the particles, or the bounds `frame`. color_by: a column of frames (speed, pressure,
    vx...), from `low` to `high` (else of this picture), by the map `color_map`, with a legend. More options are those of
    PictureOptions: fov, samples, paths, seed, aperture, focus_distance, shutter...
    """
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise TypeError(f"picture() has no option {', '.join(unknown)}; known are {', '.join(_OPTIONS)}")
    if quality not in QUALITIES:
        raise ValueError(f"quality {quality!r}: known are {', '.join(QUALITIES)}")
    definition, particles = world.definition, world.frame()
    drawn = _scene(world, particles, definition)
    legend = _color(drawn, particles, color_by, low, high, color_map) if color_by else None
    look = {"width": width, "height": height, "quality": QUALITIES[quality], **options,
            **_camera(world, from_, to, frame, options)}
    if definition.dimension == 3 and quality != "preview":
        _add_skin(drawn, world, particles, definition.spacing, quality)
    image = call("couRenderPicture", renderer or convert.CLASSES["Renderer"](threads), drawn, look)
    if legend and has_legend:
        call("couImage_DrawLegend", image, legend)
    return image


def _camera(world, from_, to, frame, options):
    if from_ is not None:
        return {"from": from_, "to": (0, 0, 0) if to is None else to, "is_auto_camera": False}
    camera = world._scene.camera_at(world.time) if world._scene is not None else None
    if camera is not None and camera.is_set:
        return {"from": camera.from_, "to": camera.to, "is_auto_camera": False, "fov": options.get("fov", camera.fov)}
    return {"frame": frame} if frame is not None else {}


def _scene(world, particles, definition):
    """All that is to be seen but the liquid's skin."""
    looks = [material.definition.look for material in world.materials]
    bodies = []
    for body in world.bodies:
        shown = body.definition
        if shown.look.opacity > 0:
            bodies.append({"shape": shown.shape, "pose": body.pose, "look": shown.look, "velocity": body.velocity,
                           "spin": body.spin})
    solids = [{"surface": call("couWorld_BuildSolidSurface", world, solid), "look": solid.definition.look, "is_solid": True,
               "is_colored": solid.definition.color_by != 0} for solid in world.solids]
    return {"dimension": definition.dimension, "positions": particles.position, "velocities": particles.velocity,
            "materials": particles.material, "colors": [look.color for look in looks] or [(1, 1, 1)],
            "opacities": [look.opacity for look in looks] or [1.0], "radius": 0.5 * definition.spacing, "bodies": bodies,
            "surfaces": solids, "ground": float("nan"), "has_floor": True}


def _color(drawn, particles, name, low, high, color_map):
    values = particles.column(name)
    number = convert.word(color_map, convert.enum_words("couColorMap"), "color_map")
    shown = values[np.isfinite(values)]
    low = float(shown.min()) if low is None and len(shown) else float(low or 0.0)
    high = float(shown.max()) if high is None and len(shown) else float(1.0 if high is None else high)
    high = high if high > low else low + max(abs(low), 1.0) * 1e-6
    # 256 colours are as many as a picture can tell apart; the map's are for displays, the scene's linear.
    steps = np.array([[getattr(c, axis) for axis in "xyz"] for c in (lib.couColorMap_At(number, t / 255) for t in range(256))])
    linear = np.where(steps <= 0.04045, steps / 12.92, ((steps + 0.055) / 1.055) ** 2.4).astype(np.float32)
    drawn["particle_colors"] = linear[np.clip((values - low) / (high - low) * 255, 0, 255).astype(int)]
    unit = call("couFrameColumn_Unit", name)
    return {"title": f"{name} [{unit}]" if unit else name, "low": low, "high": high, "map": number}


def _add_skin(drawn, world, particles, spacing, quality):
    """Splats, or a surface for each material."""
    if quality == "splats":
        drawn["splats"] = call("couFindSplats", {"spacing": spacing}, particles.points(), 0.0)
        return
    for number, material in enumerate(world.materials):
        chosen = particles.material == number
        look = material.definition.look
        if not chosen.any() or not look.opacity > 0:
            continue
        points = {"dimension": 3, "positions": particles.position[chosen], "velocities": particles.velocity[chosen],
                  "ids": particles.id[chosen]}
        drawn["surfaces"] = drawn["surfaces"] + [{"surface": call("couBuildSurface", {"spacing": spacing}, points), "look": look,
                                                  "gap": spacing}]
