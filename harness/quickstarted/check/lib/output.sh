# What the agent's commands printed.

# qs_expect_output --contains TEXT | --matches ERE ...: all of them must hold.
qs_expect_output() {
  qs__isolated qs__expect_output "$@"
}

qs__expect_output() {
  [ "$#" -gt 0 ] || qs__broken "qs_expect_output needs --contains or --matches"
  [ -r "$qs__outputs" ] || qs__broken "what the agent's commands printed is not at $qs__outputs"
  while [ "$#" -gt 0 ]; do
    [ "$#" -gt 1 ] || qs__broken "qs_expect_output: $1 needs a value"
    qs__one_line "qs_expect_output: $1" "$2"
    case $1 in
      --contains)
        qs__has_text "$qs__outputs" "$2" || qs__unexpected "contains: $2"
        ;;
      --matches)
        qs__valid_pattern "$2"
        qs__has_match "$qs__outputs" "$2" || qs__unexpected "matches: $2"
        ;;
      *) qs__broken "qs_expect_output: unknown option $1" ;;
    esac
    shift 2
  done
}

# qs__unexpected WHAT
qs__unexpected() {
  if [ -s "$qs__outputs" ]; then
    qs_fail "no line that the agent's commands printed $1
it ends:
$(tail -n 20 "$qs__outputs" | tail -c 2000)"
  fi
  qs_fail "no line that the agent's commands printed $1
(no command that succeeded printed anything)"
}
