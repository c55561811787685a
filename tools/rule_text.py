# SPDX-License-Identifier: MIT
"""How texts of findings keep fact, limit, cause and action apart: for gen-rules.py, and for the tests of outputs."""
import re

# A text that says what the data does not show: a limit, which is no basis and no cause.
LIMIT = re.compile(r"\b(do(es)?|did) not (show|say|count which|name|tell)\b|\bcannot (tell|show|be told)\b"
                   r"|\b(is|are|was|were) not (in (them|(this|the|these) (table|listing|list|lines?|log|text|data|trace|recording|summary|counters?|input|plan|dump|message))\b|shown|tested|measured|visible|known)\b")
# The beginning of the thing that is not known, as a clause after "Not known:".
UNKNOWN_BEGINS = re.compile(r"(whether|which|what|how|since when|when|why|who|whom|where|whose|of which|for which|for what|by which|the|their|its|a) ")
# The beginning of a next step that is no action: a thing, or a question without the command that answers it.
NO_ACTION = re.compile(r"(a|an|the|is|are|can|does|what|which|who|why|how|fewer|more|less|near|longer|larger|shorter)\b(?!-)")
