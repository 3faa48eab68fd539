# Whether a file has a line with a text, or one that a pattern matches.

# qs__has_text FILE TEXT
qs__has_text() {
  if qs__find grep; then
    "$qs__found" -qF -e "$2" "$1"
    return
  fi
  while IFS= read -r qs__line || [ -n "$qs__line" ]; do
    case $qs__line in *"$2"*) return 0 ;; esac
  done <"$1"
  return 1
}

# qs__has_match FILE ERE
qs__has_match() {
  qs__find grep || qs__broken "--matches needs grep, and this image has none"
  "$qs__found" -qE -e "$2" "$1"
}

# qs__valid_pattern ERE
qs__valid_pattern() {
  qs__find grep || qs__broken "--matches needs grep, and this image has none"
  "$qs__found" -qE -e "$1" /dev/null 2>/dev/null
  [ "$?" -le 1 ] || qs__broken "--matches: not an extended regular expression: $1"
}
