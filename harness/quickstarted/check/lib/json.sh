# --json KEY=VALUE: each qs__json_NAME is given KEY and VALUE, reads $qs__dir/body and prints what is
# wrong with it, with the same words in each.

# Sets qs__json, and qs__json_tool to its program.
qs__choose_json() {
  for qs__json in python node jq perl; do
    if "qs__can_json_$qs__json" >/dev/null 2>&1; then
      qs__json_tool=$qs__found
      return 0
    fi
  done
  qs__broken "qs_wait_http: --json needs python3, node, jq or perl with JSON::PP, and this image has none"
}

qs__can_json_python() {
  qs__find python3 && "$qs__found" -I -c 'import json'
}

qs__can_json_node() {
  qs__find node && "$qs__found" -e 'JSON.parse("1")'
}

qs__can_json_jq() {
  qs__find jq && "$qs__found" -n 1
}

qs__can_json_perl() {
  qs__find perl && "$qs__found" -MJSON::PP -e 1
}

qs__json_python() {
  "$qs__json_tool" -I -c "$qs__json_key_py" "$qs__dir/body" "$1" "$2" 2>&1
}

qs__json_node() {
  "$qs__json_tool" -e "$qs__json_key_js" "$qs__dir/body" "$1" "$2" 2>&1
}

qs__json_jq() {
  if ! "$qs__json_tool" -es 'length == 1' "$qs__dir/body" >/dev/null 2>&1; then
    echo "body is not JSON"
    return 1
  fi
  qs__said=$("$qs__json_tool" -r --arg path "$1" --arg wanted "$2" "$qs__json_key_jq" "$qs__dir/body" 2>&1)
  [ -n "$qs__said" ] || return 0
  printf '%s\n' "$qs__said"
  return 1
}

qs__json_perl() {
  "$qs__json_tool" -e "$qs__json_key_pl" "$qs__dir/body" "$1" "$2" 2>&1
}
