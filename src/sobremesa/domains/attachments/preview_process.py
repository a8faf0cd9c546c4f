"""Creates one preview, in its own process with limits on memory and CPU time.

Run as a script: `python -I preview_process.py SOURCE TARGET`. It imports nothing of the package, so that it starts
quickly. It prints the upright size of the image and the size of the preview, and exits with a nonzero status if the
file is not an image.
"""

from __future__ import annotations

import json
import sys

MAX_SIDE = 640
MAX_PIXELS = 40_000_000
MEMORY_BYTES = 768 * 1024 * 1024
CPU_SECONDS = 10
QUALITY = 80
ORIENTATION = 0x0112
FORMATS = ("PNG", "JPEG", "GIF", "WEBP")


def main(source: str, target: str) -> None:
    limit_resources()
    # Pillow would import the plugins of all its formats to find the one that writes WebP.
    from PIL import Image, WebPImagePlugin  # noqa: F401

    # EXIF orientations, and the operation that turns the image upright.
    upright = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_270,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_90,
    }
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    with Image.open(source, formats=FORMATS) as picture:
        width, height = picture.size
        orientation = picture.getexif().get(ORIENTATION, 1)
        # A JPEG can be decoded at a fraction of its size.
        picture.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))
        mode = "RGBA" if picture.has_transparency_data else "RGB"
        small = picture if picture.mode == mode else picture.convert(mode)
        small.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS, reducing_gap=2.0)
        if orientation in upright:
            small = small.transpose(upright[orientation])
        bare = Image.new(mode, small.size)
        bare.paste(small)
        bare.save(target, "WEBP", quality=QUALITY)
    if orientation in (5, 6, 7, 8):
        width, height = height, width
    print(json.dumps([[width, height], bare.size]))


def limit_resources() -> None:
    """Limit memory and CPU time where the platform can; a decoder that exceeds a limit ends the process."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(*sys.argv[1:])
