"""Stands in for transformers.image_transforms: boxes."""
import torch


def center_to_corners_format(boxes):
    center_x, center_y, width, height = boxes.unbind(-1)
    return torch.stack(
        [(center_x - 0.5 * width), (center_y - 0.5 * height), (center_x + 0.5 * width), (center_y + 0.5 * height)], dim=-1
    )


def corners_to_center_format(boxes):
    left, top, right, bottom = boxes.unbind(-1)
    return torch.stack([(left + right) / 2, (top + bottom) / 2, (right - left), (bottom - top)], dim=-1)


def to_channel_dimension_format(image, *args, **kwargs):
    return image
