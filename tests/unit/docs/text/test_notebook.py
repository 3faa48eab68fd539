"""Jupyter notebooks as a reader sees them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.docs.text.notebook import notebook_text

CELLS = [
    {"cell_type": "markdown", "source": ["# Start\n", "Read `x`."]},
    {"cell_type": "code", "source": ["import x\n", "x.run()"], "outputs": [
        {"output_type": "stream", "name": "stdout", "text": ["done\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "0", "image/png": "aGk="}},
        {"output_type": "display_data", "data": {"image/png": "aGk="}},
    ]},
    {"cell_type": "code", "source": "", "outputs": []},
    {"cell_type": "raw", "source": "end"},
]  # fmt: skip


def notebook(cells=CELLS, **more):
    return json.dumps({"nbformat": 4, "cells": cells, **more})


def test_cells_and_their_output_follow_each_other():
    assert notebook_text(notebook()) == (
        "# Start\nRead `x`.\n\n```python\nimport x\nx.run()\n```\n\n```\ndone\n```\n\n```\n0\n```"
        "\n\nend"
    )


def test_code_is_in_the_language_of_the_notebook():
    text = notebook_text(notebook(metadata={"language_info": {"name": "R"}}))

    assert "```r\nimport x" in text


@pytest.mark.parametrize("source", ["", "[]", "{}", '{"cells": []}', "not JSON", '{"nbformat": 4}'])
def test_what_is_no_notebook_is_none(source):
    assert notebook_text(source) is None


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["cell_type", "source", "outputs", "text", "data", "text/plain"]), inner
        )
    ),
)


@given(st.lists(JSON, max_size=4), JSON)
def test_no_notebook_makes_it_raise(cells, metadata):
    assert isinstance(notebook_text(notebook(cells, metadata=metadata)), str)
