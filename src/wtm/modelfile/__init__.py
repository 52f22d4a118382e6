"""The model file: a trained classifier in one safetensors file that holds no code; docs/model-file.md describes it."""

from wtm.modelfile.model import load_model, save_model

__all__ = ["load_model", "save_model"]
