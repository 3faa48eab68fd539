"""Which commands of a recording are told to hold a key."""

import pytest

from quickstarted.authoring.recording.keys import has_key


@pytest.mark.parametrize(
    "command",
    [
        "export OPENAI_API_KEY=sk-abcdefghijklmnopqrst",
        "export TOKEN=hunter2",
        "DB_PASSWORD='correct horse' ./run",
        "curl -H 'Authorization: Bearer abcdef123' https://a.example",
        'curl -H "authorization: Basic dXNlcjpwYXNz" https://a.example',
        "git clone https://me:hunter2@git.example/x",
        "tool login --token abcd1234",
        "tool login --password=hunter2",
        "mysql -u root --password hunter2",
        "echo ghp_abcdefghijklmnopqrstuvwxyz0123456789 > .token",
        "cat > .env <<'E'\nSECRET_KEY=abcdef\nE",
    ],
)
def test_a_key_that_is_spelled_out_is_seen(command):
    assert has_key(command)


@pytest.mark.parametrize(
    "command",
    [
        "export TOKEN=$OTHER",
        'curl -H "Authorization: Bearer $TOKEN" https://a.example',
        "export API_KEY=",
        "export API_KEY=...",
        "tool login --token <your-token>",
        "tool login --password-stdin < file",
        "pip install tokenizers",
        "python -m secrets",
        "git config user.email me@a.example",
        "cat token.txt",
        "npm install passport-auth",
        "django-admin startproject auth",
        "echo https://docs.example/a@b",
    ],
)
def test_variables_placeholders_and_names_are_none(command):
    assert not has_key(command)
