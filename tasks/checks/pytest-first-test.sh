# pytest ends with 0 when all tests passed, 1 when one failed, 5 when there was none.
# https://docs.pytest.org/en/stable/reference/exit-codes.html
run_pytest() {
  .venv/bin/pytest --color=no -p no:cacheprovider "$1" > report.txt 2>&1
  ended=$?
}

test -x .venv/bin/pytest || qs_fail "pytest is not installed in .venv"
for file in test_sample.py test_sysexit.py; do
  test -f "$file" || qs_fail "there is no $file in the workspace"
done

run_pytest test_sysexit.py
[ "$ended" -eq 0 ] || qs_fail "test_sysexit.py does not pass (exit code $ended): $(tail -n 3 report.txt)"

run_pytest test_sample.py
[ "$ended" -eq 1 ] ||
  qs_fail "test_sample.py should fail as on the page (exit code $ended): $(tail -n 3 report.txt)"
grep -q 'assert 4 == 5' report.txt ||
  qs_fail "test_sample.py fails for another reason: $(tail -n 3 report.txt)"
