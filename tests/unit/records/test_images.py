"""An image's name may have come to stand for another image."""

from dataclasses import replace

import pytest

from fakes.records import TWO_TASKS as PLANS
from fakes.records import opened, refused
from fakes.results_folders import IMAGE_ID, Made, key_of, made_of, write_all
from quickstarted.errors import ImageFault


class Image:
    def __init__(self, image_id, digest):
        self.image_id, self.digest = image_id, digest


class TestImages:
    """An image's name may have come to stand for another image."""

    @pytest.mark.parametrize(
        ("image_id", "digest", "then"),
        [(IMAGE_ID, None, None), ("sha256:other", "b@sha256:d", "a@sha256:d")],
    )
    def test_the_same_image_by_id_or_by_digest_is_no_change(self, tmp_path, image_id, digest, then):
        replace(PLANS[0], image_digest=then).write(tmp_path)
        folder = opened(
            tmp_path,
            made_of([key_of(), key_of(2)]),
            image_of=lambda _: Image(image_id, digest),
        )

        assert [key_of(2)] == [plan.key for plan in folder.missing]

    def test_another_image_is_refused(self, tmp_path):
        PLANS[0].write(tmp_path)
        opened(tmp_path, made_of([key_of(), key_of(2)]))
        other = Image("sha256:2222222222222", "p@sha256:3333333333333")
        more = made_of([key_of(), key_of(2), key_of(3)])
        message = refused(tmp_path, more, image_of=lambda _: other)

        assert message.splitlines()[1:] == [
            (
                "  flask, replay (1 attempt): the image python:3.12: sha256:111111111111, now"
                " sha256:333333333333"
            )
        ]

    def test_only_cells_with_attempts_of_both_kinds_are_asked_about(self, tmp_path):
        write_all(tmp_path, [PLANS[0], PLANS[2]])
        asked = []
        opened(tmp_path, image_of=asked.append)

        assert [] == asked

    def test_an_image_that_cannot_be_had_is_left_to_the_attempts(self, tmp_path):
        PLANS[0].write(tmp_path)
        asked = []

        def refuse(plan: Made):
            asked.append(plan.key)
            raise ImageFault("no such image")

        opened(tmp_path, image_of=refuse)

        assert [key_of(2)] == asked
