"""Stands in for transformers.image_processing_utils: the choice of a grid of tiles."""


def select_best_resolution(original_size, possible_resolutions):
    """The resolution in which most pixels of a picture are kept, of these the one with the least empty room."""
    height, width = original_size
    best, most, least = None, 0, float("inf")
    for h, w in possible_resolutions:
        scale = min(w / width, h / height)
        kept = min(int(width * scale) * int(height * scale), width * height)
        wasted = w * h - kept
        if kept > most or (kept == most and wasted < least):
            best, most, least = (h, w), kept, wasted
    return best


class BatchFeature(dict):
    pass


class BaseImageProcessor:
    pass


def get_size_dict(size=None, *args, **kwargs):
    return size
