from quickstarted.console.entries import Entry
from quickstarted.console.lines import plain_lines, shown


def test_an_entry_is_time_label_and_story():
    entry = Entry(label="$", text="make\nit", said="exit 2", at_s=12.34, output=("a", "b"))

    assert list(plain_lines(entry)) == [
        "  12.3s $        make",
        "                 it  exit 2",
        "                 | a",
        "                 | b",
    ]


def test_what_belongs_to_the_entry_before_has_no_time():
    assert list(plain_lines(Entry(label="refused", text="a.example"))) == [
        "        refused  a.example"
    ]


def test_lines_of_attempts_side_by_side_say_whose_they_are():
    entry = Entry(label="read", text="x", at_s=0.0, output=("o",))

    assert list(plain_lines(entry, prefix="flask/3 ")) == [
        "flask/3    0.0s read     x",
        "flask/3                  | o",
    ]


def test_control_characters_do_not_pass():
    (line,) = plain_lines(Entry(label="\x1b[2J$", text="a\x07", said="\r", at_s=0.0))

    assert line == "   0.0s $        a\\x07  \\r"


def test_details_are_for_those_who_want_everything():
    entries = [Entry(label="a", text=""), Entry(label="b", text="", detail=True)]

    assert (entries[:1], entries) == (shown(entries, verbose=False), shown(entries, verbose=True))
