"""Write trained models for other programs: JSON, Python, C, SQL, ONNX and Verilog.

Each function returns the text (or the ONNX model) that predicts what the classifier or regressor predicts.
docs/export.md says what each format guarantees.
"""

from wtm.export.c_source import CSource, to_c
from wtm.export.json_model import (
    ExportedClassifier,
    ExportedFuzzyClassifier,
    ExportedFuzzyRegressor,
    ExportedRegressor,
    from_json,
    to_json,
)
from wtm.export.model_size import Summary, summarize
from wtm.export.onnx_graph import to_onnx
from wtm.export.python_module import to_python
from wtm.export.sql_query import to_sql
from wtm.export.verilog_module import to_verilog

__all__ = [
    "CSource",
    "ExportedClassifier",
    "ExportedFuzzyClassifier",
    "ExportedFuzzyRegressor",
    "ExportedRegressor",
    "Summary",
    "from_json",
    "summarize",
    "to_c",
    "to_json",
    "to_onnx",
    "to_python",
    "to_sql",
    "to_verilog",
]
