"""The model file: a trained classifier in one safetensors file that holds no code; docs/model-file.md describes it."""

from wtm.modelfile.reader import read_model
from wtm.modelfile.schema import ModelRecord, scalar_attributes
from wtm.modelfile.writer import write_model

__all__ = ["ModelRecord", "read_model", "scalar_attributes", "write_model"]
