import os
import stat
import threading

import pytest

from fakes.npm_registry import archive, npm_registry
from quickstarted.errors import ProgramUnavailable, StorageFault
from quickstarted.programs.download import address, cache_folder, fetch
from quickstarted.registries import NPM_REGISTRY


@pytest.fixture
def registry():
    with npm_registry() as serving:
        yield serving


@pytest.fixture
def environ(registry, tmp_path):
    return {**registry.environ, "XDG_CACHE_HOME": str(tmp_path)}


def test_an_archive_is_downloaded_once_and_then_taken_from_the_cache(registry, environ):
    content = archive()
    package = registry.publish(content)

    first, second = fetch(package, environ), fetch(package, environ)

    assert first == second
    assert first.read_bytes() == content
    assert len(registry.asked) == 1
    assert stat.S_ISREG(first.stat().st_mode)


def test_the_person_who_waits_hears_of_the_download_and_of_nothing_else(registry, environ):
    package, said = registry.publish(archive()), []

    fetch(package, environ, progress=said.append)
    fetch(package, environ, progress=said.append)

    assert said == ["downloading @maker/tool-linux 1.2.3"]


def test_a_damaged_file_in_the_cache_is_downloaded_again(registry, environ):
    package = registry.publish(content := archive())
    path = fetch(package, environ)
    path.write_bytes(content[:-1])

    assert fetch(package, environ).read_bytes() == content
    assert len(registry.asked) == 2


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 0])
def test_what_may_pass_is_tried_again(registry, environ, status):
    package = registry.publish(content := archive())
    registry.script = [status]

    assert fetch(package, environ).read_bytes() == content
    assert len(registry.asked) == 2


def test_another_archive_under_the_name_is_refused_and_not_kept(registry, environ):
    package = registry.publish(archive())
    registry.publish(archive({"package/bin/tool": b"something else"}))

    with pytest.raises(ProgramUnavailable, match="is not what was published under that name"):
        fetch(package, environ)

    assert list(cache_folder(environ).iterdir()) == []
    assert len(registry.asked) == 1


def test_a_package_that_the_registry_does_not_have_is_not_asked_for_again(registry, environ):
    package = registry.publish(archive())
    registry.archives.clear()

    with pytest.raises(
        ProgramUnavailable, match=r"does not have @maker/tool-linux 1\.2\.3"
    ) as info:
        fetch(package, environ)

    assert "NPM_CONFIG_REGISTRY" in info.value.hint
    assert len(registry.asked) == 1


def test_a_registry_that_is_not_there_is_named_with_what_to_do(registry, environ):
    package = registry.publish(archive())
    nobody = {**environ, "NPM_CONFIG_REGISTRY": "http://127.0.0.1:9"}

    with pytest.raises(ProgramUnavailable, match=r"could not be downloaded: .*refused"):
        fetch(package, nobody)


def test_a_cache_that_cannot_be_written_is_named(registry, environ, tmp_path):
    package = registry.publish(archive())
    (tmp_path / "quickstarted").write_text("a file where the folder should be")

    with pytest.raises(StorageFault, match="cannot be written") as info:
        fetch(package, environ)

    assert "XDG_CACHE_HOME" in info.value.hint


def test_many_at_once_leave_one_whole_file(registry, environ):
    package = registry.publish(content := archive())
    threads = [threading.Thread(target=fetch, args=(package, environ)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (kept,) = cache_folder(environ).iterdir()
    assert kept.read_bytes() == content


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"XDG_CACHE_HOME": "/var/cache", "HOME": "/home/ada"}, "/var/cache/quickstarted/programs"),
        ({"HOME": "/home/ada"}, "/home/ada/.cache/quickstarted/programs"),
        (
            {"XDG_CACHE_HOME": "relative", "HOME": "/home/ada"},
            "/home/ada/.cache/quickstarted/programs",
        ),
    ],
)
def test_archives_are_kept_where_caches_are_kept(environ, folder):
    assert str(cache_folder(environ)) == folder


@pytest.mark.parametrize(
    ("environ", "base"),
    [
        ({}, NPM_REGISTRY),
        ({"NPM_CONFIG_REGISTRY": "https://npm.example.org/all/"}, "https://npm.example.org/all"),
        ({"npm_config_registry": "https://npm.example.org"}, "https://npm.example.org"),
    ],
)
def test_the_registry_is_the_one_that_npm_would_ask(registry, environ, base):
    package = registry.publish(archive())

    assert address(package, environ) == f"{base}/@maker/tool-linux/-/tool-linux-1.2.3.tgz"


def test_the_real_environment_names_a_cache_folder():
    assert cache_folder(os.environ).is_absolute()
