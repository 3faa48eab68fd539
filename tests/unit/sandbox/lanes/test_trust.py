import io
import tarfile

import pytest

from quickstarted.sandbox.lanes import trust
from quickstarted.sandbox.lanes.image_files import FileToPut, ImageFiles, pack
from quickstarted.sandbox.lanes.trust import TrustMaterial, trust_environment, trust_files
from quickstarted.sandbox.lanes.trust_config import (
    BUNDLE,
    CA_FILE,
    TRUST_DIR,
    TRUSTSTORE,
    with_setting,
)

CA = "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n"
ROOTS = "-----BEGIN CERTIFICATE-----\nroots\n-----END CERTIFICATE-----\n"
MATERIAL = TrustMaterial(ca_pem=CA, roots_pem=ROOTS, truststore=b"pkcs12")
IMAGES_OWN = b"# the image's own\n"

DEBIAN_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
FEDORA_BUNDLE = "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"

DEBIAN = ImageFiles(
    files={DEBIAN_BUNDLE: IMAGES_OWN, "/etc/debian_version": b"13\n"},
    folders=frozenset({"/etc", "/etc/apt", "/etc/apt/apt.conf.d", "/etc/ssl", "/etc/ssl/certs"}),
)
DEBIAN_WITHOUT_ROOTS = ImageFiles(
    files={"/etc/debian_version": b"13\n"}, folders=frozenset({"/etc", "/etc/apt"})
)
ALPINE = ImageFiles(
    files={DEBIAN_BUNDLE: IMAGES_OWN},
    links={"/etc/ssl/cert.pem": "certs/ca-certificates.crt"},
    folders=frozenset({"/etc", "/etc/ssl", "/etc/ssl/certs"}),
)
FEDORA = ImageFiles(
    files={FEDORA_BUNDLE: IMAGES_OWN},
    links={
        "/etc/ssl/certs": "../pki/tls/certs",
        "/etc/pki/tls/certs/ca-bundle.crt": FEDORA_BUNDLE,
        "/etc/pki/tls/cert.pem": "/etc/pki/tls/certs/ca-bundle.crt",
    },
    folders=frozenset({"/etc", "/etc/pki/ca-trust", "/etc/pki/tls/certs"}),
)
EVERY_IMAGE = pytest.mark.parametrize(
    "image",
    [DEBIAN, DEBIAN_WITHOUT_ROOTS, ALPINE, FEDORA, ImageFiles()],
    ids=["debian", "bare-debian", "alpine", "fedora", "empty"],
)


def environment(env=None):
    return trust_environment("10.213.0.2", ["10.213.0.3"], env or {})


def put(image):
    return {file.path: file for file in trust_files(MATERIAL, environment(), image)}


def followed(files, path):
    while files[path].link:
        path = files[path].link
    return files[path].content


@EVERY_IMAGE
def test_every_variable_names_a_file_that_is_put(image):
    files = put(image)
    variables = environment()

    assert {BUNDLE} == {variables[name] for name in trust.BUNDLE_VARIABLES}
    assert followed(files, BUNDLE).endswith(CA.encode())
    assert CA.encode() == files[variables["NODE_EXTRA_CA_CERTS"]].content
    assert f"-Djavax.net.ssl.trustStore={TRUSTSTORE} " in variables["JAVA_TOOL_OPTIONS"] + " "
    assert files[TRUSTSTORE].content == b"pkcs12"


@EVERY_IMAGE
def test_no_private_key_is_ever_put(image):
    assert not any(b"PRIVATE KEY" in file.content for file in put(image).values())


@pytest.mark.parametrize(
    ("image", "path"),
    [(DEBIAN, DEBIAN_BUNDLE), (ALPINE, DEBIAN_BUNDLE), (FEDORA, FEDORA_BUNDLE)],
    ids=["debian", "alpine", "fedora"],
)
def test_the_distributions_bundle_keeps_its_roots_and_the_bundle_is_a_link_to_it(image, path):
    files = put(image)

    assert IMAGES_OWN + CA.encode() == files[path].content
    assert path == files[BUNDLE].link


def test_an_image_without_roots_gets_the_sidecars():
    assert (ROOTS + CA).encode() == put(DEBIAN_WITHOUT_ROOTS)[DEBIAN_BUNDLE].content


def test_links_of_the_distribution_stay_links():
    assert "/etc/ssl/cert.pem" not in put(ALPINE)
    assert not {"/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/tls/cert.pem"} & set(put(FEDORA))


@pytest.mark.parametrize(
    ("image", "anchor"),
    [
        (DEBIAN, "/usr/local/share/ca-certificates/quickstarted.crt"),
        (ALPINE, "/usr/local/share/ca-certificates/quickstarted.crt"),
        (FEDORA, "/etc/pki/ca-trust/source/anchors/quickstarted.pem"),
    ],
    ids=["debian", "alpine", "fedora"],
)
def test_the_authority_is_where_the_distributions_tool_looks(image, anchor):
    assert CA.encode() == put(image)[anchor].content


def test_openssl_without_variables_finds_the_bundle_on_debian():
    assert put(DEBIAN)["/usr/lib/ssl/cert.pem"].link == BUNDLE
    assert "/usr/lib/ssl/cert.pem" not in put(ALPINE)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"])
def test_the_proxy_is_named_in_both_cases(name):
    assert environment()[name] == "http://10.213.0.2:8080"


@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
def test_the_sandbox_itself_is_never_asked_for_through_the_proxy(name):
    variables = environment({"NO_PROXY": "db.internal,localhost"})

    assert variables[name] == "localhost,127.0.0.1,::1,0.0.0.0,10.213.0.3,db.internal"


def test_java_options_of_the_image_are_kept():
    options = environment({"JAVA_TOOL_OPTIONS": "-Xmx1g"})["JAVA_TOOL_OPTIONS"]

    assert options.startswith("-Xmx1g -Djavax.net.ssl.trustStore=")


def test_socks_is_not_promised():
    assert not {"ALL_PROXY", "all_proxy"} & set(environment())


def test_children_with_a_scrubbed_environment_find_the_bundle_in_their_own_files():
    files = put(DEBIAN)
    naming = {
        path for path, file in files.items() if BUNDLE.encode() in file.content and not file.link
    }

    assert {
        "/.cargo/config.toml",
        "/etc/apt/apt.conf.d/99quickstarted",
        "/etc/conda/condarc.d/quickstarted.yml",
        "/etc/environment",
        "/etc/gitconfig",
        "/etc/npmrc",
        "/etc/pip.conf",
        "/usr/local/etc/npmrc",
    } == naming
    assert TRUSTSTORE.encode() in files["/etc/mavenrc"].content


def test_apt_has_the_proxy_no_pipelining_and_asks_localhost_directly():
    text = put(DEBIAN)["/etc/apt/apt.conf.d/99quickstarted"].content.decode()

    assert 'Acquire::https::Proxy "http://10.213.0.2:8080";\n' in text
    assert 'Acquire::http::Proxy::localhost "DIRECT";\n' in text
    assert 'Acquire::http::Pipeline-Depth "0";\n' in text
    assert "/etc/apt/apt.conf.d/99quickstarted" not in put(ALPINE)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/etc/environment", b"LANG=C", b'LANG=C\nAWS_CA_BUNDLE="'),
        ("/etc/gitconfig", b"[user]\n\tname = x\n", b"[user]\n\tname = x\n[http]\n\tsslCAInfo"),
        ("/etc/npmrc", b"registry=https://r\n", b"registry=https://r\ncafile="),
        ("/etc/pip.conf", b"[global]\nindex-url = x\n", f"[global]\ncert = {BUNDLE}\n".encode()),
        ("/etc/pip.conf", b"\xff\n", b"\xff\n[global]\n"),
    ],
)
def test_configuration_of_the_image_is_added_to(path, before, after):
    image = ImageFiles(files={path: before})

    assert after in put(image)[path].content


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "[http]\ncainfo = x\n"),
        ("[net]\nretry = 3\n", "[net]\nretry = 3\n[http]\ncainfo = x\n"),
        ("[http]\ntimeout = 9\n", "[http]\ncainfo = x\ntimeout = 9\n"),
        ("[http] # slow\ncainfo = old\n", "[http] # slow\ncainfo = x\n"),
        ("[a]\ncainfo = old\n[http]\n", "[a]\ncainfo = old\n[http]\ncainfo = x\n"),
        ("[http]\ncainfo-extra = y", "[http]\ncainfo = x\ncainfo-extra = y\n"),
    ],
)
def test_a_setting_is_put_into_its_section_and_nothing_else_changes(text, expected):
    assert expected == with_setting(text, "http", "cainfo = x")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/etc/plain", "/etc/plain"),
        ("/etc/ssl/certs/ca-bundle.crt", FEDORA_BUNDLE),
        ("/etc/pki/tls/cert.pem", FEDORA_BUNDLE),
    ],
)
def test_writing_goes_where_links_lead(path, expected):
    assert expected == FEDORA.resolve(path)


def test_links_in_a_circle_do_not_hang():
    circle = ImageFiles(links={"/etc/a": "b", "/etc/b": "a"})

    assert circle.read("/etc/a") is None


def test_the_archive_holds_files_links_and_only_folders_of_our_own():
    packed = pack(
        [FileToPut(path="/etc/x/y", content=b"1", mode=0o600), FileToPut(path="/z", link="/etc")],
        folders=[TRUST_DIR],
    )
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        members = {member.name: (member.type, member.mode) for member in archive}

    assert members == {
        "etc/ssl/quickstarted": (tarfile.DIRTYPE, 0o755),
        "etc/x/y": (tarfile.REGTYPE, 0o600),
        "z": (tarfile.SYMTYPE, 0o777),
    }


def test_the_authority_alone_is_in_its_own_file():
    assert CA.encode() == put(DEBIAN)[CA_FILE].content
