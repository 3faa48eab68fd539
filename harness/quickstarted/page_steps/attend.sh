# Runs $attended and comes back when it has ended, with its exit code, or when it listens on a port
# and goes on: then it stays, as in a second terminal. $attended_as numbers it, $instead_of is the
# number of one that is ended first, $patience is how many seconds a known server may take.
qs_here=/tmp/quickstarted-attended
mkdir -p "$qs_here"

qs_listening() { cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -c ' 0A '; }

qs_end() {
  for qs_child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
    ( qs_end "$qs_child" )
  done
  kill "$1" 2>/dev/null
}

if [ -n "$instead_of" ] && [ -f "$qs_here/$instead_of.pid" ]; then
  qs_end "$(cat "$qs_here/$instead_of.pid")"
  sleep 1
fi

qs_log=$qs_here/$attended_as.log
qs_code=$qs_here/$attended_as.code
rm -f "$qs_code"
qs_before=$(qs_listening)
qs_left=$((patience * 5))
( ( eval "$attended" ); echo $? > "$qs_code" ) > "$qs_log" 2>&1 < /dev/null &
echo $! > "$qs_here/$attended_as.pid"

qs_goes_on=
while [ ! -s "$qs_code" ] && [ -z "$qs_goes_on" ]; do
  sleep 0.2
  qs_left=$((qs_left - 1))
  if [ "$(qs_listening)" -gt "$qs_before" ]; then
    sleep 1
    qs_goes_on=listens
  elif [ "$qs_left" -eq 0 ]; then
    qs_goes_on='goes on'
  fi
done
cat "$qs_log"
if [ ! -s "$qs_code" ]; then
  echo "(it $qs_goes_on, and is left running)"
  true
else
  ( exit "$(cat "$qs_code")" )
fi
