import pytest

from quickstarted.task.findings.silent import Kind, spots

S, I = Kind.SILENT, Kind.IGNORED  # noqa: E741

CASES = [
    ("test -f x", [(S, 1)]),
    ("[ -f x ]", [(S, 1)]),
    ("[[ -f x ]]", [(S, 1)]),
    ("(( 1 > 2 ))", [(S, 1)]),
    ("false", [(S, 1)]),
    ("grep -q a b", [(S, 1)]),
    ("grep a b", [(S, 1)]),
    ("python x | grep -q a", [(S, 1)]),
    ("! grep -q a b", [(S, 1)]),
    ("command -v node", [(S, 1)]),
    ("cmp -s a b", [(S, 1)]),
    ("cmp a b", []),
    ("curl -sf http://x", [(S, 1)]),
    ("curl -fsS http://x", []),
    ("curl -f http://x", []),
    ("python a.py", []),
    ("python a.py > /dev/null", []),
    ("python a.py > /dev/null 2>&1", [(S, 1)]),
    ("python a.py &> /dev/null", [(S, 1)]),
    ("test -f x || exit 1", [(S, 1)]),
    ("test -f x || { echo no; exit 1; }", []),
    ("test -f x || { echo no >&2; exit 1; }", []),
    ('test -f x || qs_fail "no x"', []),
    ("python a.py || exit 1", []),
    ("python a.py && [ -f b ] || exit 1", [(S, 1)]),
    ("test -f a && test -f b", [(S, 1), (S, 1)]),
    ("if ! test -f x; then\n  exit 1\nfi", [(S, 2)]),
    ("if ! test -f x; then\n  echo no\n  exit 1\nfi", []),
    ("if ! python a.py; then exit 1; fi", []),
    ("if test -f x; then echo ok; else exit 3; fi", [(S, 1)]),
    ("if a; then b; elif [ c ]; then exit 1; fi", []),
    ("if a; then b; elif [ c ]; then exit 1; fi; [ d ]", [(S, 1)]),
    ("if [ a ]; [ b ]; then exit 1; fi", [(S, 1)]),
    ("for f in a b; do\n  [ -f $f ] || exit 1\ndone", [(S, 2)]),
    ("case $x in\n  a) exit 1 ;;\n  *) echo no; exit 1 ;;\nesac", [(S, 2)]),
    ("(cd a && exit 1)", [(S, 1)]),
    ("exit 0", []),
    ("exit $code", []),
    ("set -e\ntest -f x\npython a.py", [(S, 2)]),
    ("set -eu\ntest -f x || qs_fail no\npython a.py", []),
    ("set -o errexit\ntest -f x\npython a.py", [(S, 2)]),
    ("set -euo pipefail\nn=$(grep -c a b)\necho $n", [(S, 2)]),
    ("set -e\nn=$(python a.py)\necho $n", []),
    ("set -e\nset +e\ntest -f x\nif [ $? = 1 ]; then echo no; exit 1; fi", []),
    ("test -f x\npython a.py", [(I, 1)]),
    ("[ -f x ]\n[[ -f y ]]\ngrep -q a b\npython a.py", [(I, 1), (I, 2), (I, 3)]),
    ("python a | grep -q b\npython a.py", [(I, 1)]),
    ("grep a b\npython a.py", []),
    ("test -f x\nif [ $? -ne 0 ]; then echo no; exit 1; fi", []),
    ("set -x\ntest -f x", []),
    ("trap 'echo failed at $LINENO' ERR\nset -e\ntest -f x", []),
    ("f() { [ -f $1 ]; }\nf a || qs_fail no", []),
    ("qs_wait_http / --contains hello", []),
    ("qs_expect_output --contains hello", []),
    ("if [", []),
    ("", []),
]


@pytest.mark.parametrize(("script", "expected"), CASES, ids=[script for script, _ in CASES])
def test_statements_that_fail_in_silence_or_decide_nothing(script, expected):
    assert expected == [(spot.kind, spot.line) for spot in spots(script)]
