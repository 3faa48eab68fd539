import pytest

from fakes.attempts import result
from quickstarted.comparison.pairing import Pair, mismatches

ID = "sha256:" + "1" * 64
OTHER = "sha256:" + "2" * 64


def _facets(before, after):
    pair = Pair(before[0].cell_key, before, after)
    return [(one.facet, one.before, one.after) for one in mismatches(pair)]


def _one(**fields):
    return [result("passed", **fields)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {}, []),
        (
            {"models_reported": ["a"]},
            {"models_reported": ["b"]},
            [("models", ["a"], ["b"])],
        ),
        (
            {"models_reported": ["a"]},
            {"models_reported": ["a", "b"]},
            [("models", ["a"], ["a, b"])],
        ),
        ({"prompt_hash": "x"}, {"prompt_hash": "y"}, [("prompt", ["x"], ["y"])]),
        ({"prompt_hash": "x"}, {}, [("prompt", ["x"], [""])]),
        ({"arm_hash": "x"}, {"arm_hash": "y"}, [("arm", ["x"], ["y"])]),
        ({}, {"enforced": False}, [("enforcement", ["enforced"], ["nothing enforced"])]),
        ({"image_digest": ID}, {"image_digest": OTHER}, [("image", [ID], [OTHER])]),
        ({"image_id": ID}, {"image_id": OTHER}, [("image", [ID], [OTHER])]),
        # A digest is a registry's; the image is the same without one.
        ({"image_digest": OTHER, "image_id": ID}, {"image_id": ID}, []),
        (
            {"image": "python", "image_id": ID},
            {"image": "python"},
            [("image", [ID], ["not recorded"])],
        ),
        # What does not make the rate another one.
        ({"harness_version": "1"}, {"harness_version": "2"}, []),
        ({"architecture": "amd64"}, {"architecture": "arm64"}, []),
    ],
)
def test_rates_that_are_not_about_the_same_are_not_compared(before, after, expected):
    assert expected == _facets(_one(**before), _one(**after))


def test_a_side_that_does_not_agree_with_itself_is_not_compared():
    mixed = [*_one(models_reported=["a"]), *_one(models_reported=["b"])]

    assert _facets(mixed, mixed) == [("models", ["a", "b"], ["a", "b"])]


def test_attempts_without_evidence_are_not_asked():
    lost = [*_one(models_reported=["a"]), result("infra_error", models_reported=["b"])]

    assert _facets(lost, _one(models_reported=["a"])) == []
    assert _facets([result("infra_error")], _one(models_reported=["a"])) == []
