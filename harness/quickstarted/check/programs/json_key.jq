# `--json` of `qs_wait_http`: $path and $wanted; prints what is wrong. Runs in jq 1.5 or newer.
def step($part):
  if type == "object" and has($part) then {found: .[$part]}
  elif type == "array" and ($part | test("^[0-9]+$")) and ($part | tonumber) < length
  then {found: .[$part | tonumber]}
  else null end;
def find($parts):
  reduce $parts[] as $part ({found: .}; if . == null then null else (.found | step($part)) end);
find($path | split(".")) as $value
| (try ($wanted | fromjson) catch $wanted) as $right
| if $value == null then "body has no \($path)"
  elif $value.found == $right then empty
  else "\($path) is \($value.found | tojson), wanted \($wanted)" end
