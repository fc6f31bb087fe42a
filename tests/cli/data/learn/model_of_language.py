"""Stands in for a language model: reads a prompt, talks, and improves what was refused."""

import sys

prompt = sys.stdin.read()
assert "how many elements of a mask are true" in prompt and "x[keep]" in prompt and "mask_0: size 0 of mask, here 2" in prompt
value = "mask_0*mask_1//2" if "Refused before" in prompt else "mask_0*mask_1/2"
print(f'Half of them, I would say: {{"value": "{value}", "thinking": "half of the places"}} Does that help?')
