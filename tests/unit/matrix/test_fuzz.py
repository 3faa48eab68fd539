"""Whatever stands in a matrix file: it is cells, or lines that say where it is wrong."""

import json
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quickstarted.errors import FileInvalid
from quickstarted.matrix import attempts_of
from quickstarted.matrix.file import Exclude, Include, MatrixFile, load_matrix
from quickstarted.matrix.product import cells_of, task_paths
from quickstarted.task import load_task

NAMES = (
    "flask lxml * [ f* claude replay claude:x all none docs no-docs skill=skill skill auto auto:4"
    " tasks tasks/*.yaml ../x"
)
WORDS = st.sampled_from(["", *NAMES.split()])
SCALARS = st.one_of(
    WORDS, st.none(), st.booleans(), st.integers(-1, 4), st.floats(), st.text(max_size=4)
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=5)


def entries(model):
    return st.dictionaries(st.sampled_from([*model.model_fields, "other"]), SCALARS, max_size=3)


FILES = st.fixed_dictionaries(
    {"agents": st.one_of(VALUES, st.just(["claude", "replay"]))},
    optional={
        name: VALUES
        for name in MatrixFile.model_fields
        if name not in {"agents", "include", "exclude", "limits"}
    }
    | {
        "include": st.lists(entries(Include), max_size=3),
        "exclude": st.lists(entries(Exclude), max_size=3),
        "limits": st.dictionaries(WORDS, SCALARS, max_size=2),
        "other": VALUES,
    },
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(FILES)
def test_any_file_is_cells_or_lines_with_places(tmp_path, make_task, file):
    for name in ("flask", "lxml"):
        make_task(name, folder=tmp_path / "tasks")
    (tmp_path / "skill").mkdir(exist_ok=True)
    (tmp_path / "skill" / "AGENTS.md").write_text("x")
    path = tmp_path / "matrix.yaml"
    path.write_text(json.dumps(file))

    try:
        matrix = load_matrix(path)
        cells = cells_of(matrix, [load_task(one) for one in task_paths(matrix)], 2)
    except FileInvalid as invalid:
        problems = invalid.problems
        place = re.compile(rf"{re.escape(str(path))}:\d+:\d+.*: .+")
        assert problems
        assert [] == [line for line in problems if not place.fullmatch(line)]
    else:
        keys = [cell.key.attempt(number) for cell, number in attempts_of(cells)]
        assert 0 < len(keys) == len(set(keys))
