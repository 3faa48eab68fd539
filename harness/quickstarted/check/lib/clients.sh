# One GET request, by whatever the image has. Each qs__get_NAME asks for $qs__url within $qs__seconds,
# follows no redirect, writes the body to $qs__dir/body and prints one line: `status N` or `error WHY`,
# with the same words in each.

# Sets qs__client, and qs__tool to its program. wget is last: it does not keep the body of a redirect.
qs__choose_client() {
  for qs__client in python curl node perl devtcp nc wget; do
    if "qs__can_$qs__client" >/dev/null 2>&1; then
      qs__tool=$qs__found
      return 0
    fi
  done
  if [ "$qs__scheme" = https ]; then
    qs__broken "qs_wait_http: https needs python3, curl, node or wget, and this image has none that works"
  fi
  qs__broken "qs_wait_http: nothing in this image can ask a web server; it needs one of python3, curl, node, perl, bash, nc, wget"
}

qs__can_python() {
  qs__find python3 && "$qs__found" -I -c 'import urllib.request'
}

qs__can_curl() {
  qs__find curl && "$qs__found" --version
}

qs__can_node() {
  qs__find node && "$qs__found" -e 'require("http").Agent'
}

# Other programs of that name do not say the status, or follow redirects.
qs__can_wget() {
  qs__find wget && case $("$qs__found" --version) in "GNU Wget 1."*) ;; *) return 1 ;; esac
}

qs__can_perl() {
  [ "$qs__scheme" = http ] && qs__find perl && "$qs__found" -MIO::Socket::INET -e 1
}

qs__can_devtcp() {
  [ "$qs__scheme" = http ] && qs__find timeout && qs__find bash
}

qs__can_nc() {
  [ "$qs__scheme" = http ] && command -v mkfifo && qs__find timeout && qs__find nc
}

qs__get_python() {
  "$qs__tool" -I -c "$qs__http_get_py" "$qs__url" "$qs__seconds" "$qs__dir/body" "$qs__proxy" 2>&1
}

qs__get_node() {
  "$qs__tool" -e "$qs__http_get_js" "$qs__url" "$qs__seconds" "$qs__dir/body" "$qs__proxy" 2>&1
}

qs__get_perl() {
  "$qs__tool" -e "$qs__http_get_pl" "$qs__host" "$qs__port" "$qs__authority" "$qs__target" "$qs__seconds" "$qs__dir/body" 2>&1
}

qs__get_curl() {
  set -- -q -g -s -S -o "$qs__dir/body" -w '%{http_code}' --max-filesize 16777217 \
    --max-time "$qs__seconds" -A quickstarted-check
  [ "$qs__proxy" != direct ] || set -- "$@" --noproxy '*'
  qs__said=$(LC_ALL=C "$qs__tool" "$@" "$qs__url" 2>"$qs__dir/said")
  qs__code=$?
  case $qs__code in
    0) echo "status $qs__said" ;;
    1) echo "error not an HTTP answer" ;;
    6) echo "error cannot resolve $qs__host" ;;
    7) echo "error connection refused" ;;
    8) echo "error not an HTTP answer" ;;
    18) echo "error connection closed in the middle of the answer" ;;
    28) echo "error no answer within $qs__seconds s" ;;
    63) echo "error the body is larger than 16 MiB" ;;
    52 | 56)
      case $qs__said in
        000) echo "error connection closed without an answer" ;;
        *) echo "error connection closed in the middle of the answer" ;;
      esac
      ;;
    *) echo "error request failed ($(cat "$qs__dir/said"))" ;;
  esac
}

qs__get_wget() {
  set -- --no-config -S -O "$qs__dir/body" --tries=1 --max-redirect=0 --content-on-error --no-hsts \
    --timeout="$qs__seconds" -U quickstarted-check
  [ "$qs__proxy" != direct ] || set -- "$@" --no-proxy
  # Its own limit is for each step, not for the whole.
  if qs__find timeout; then
    set -- "$qs__found" "$qs__seconds" "$qs__tool" "$@"
  else
    set -- "$qs__tool" "$@"
  fi
  LC_ALL=C "$@" "$qs__url" >"$qs__dir/said" 2>&1
  case $? in
    124 | 143) echo "error no answer within $qs__seconds s" && return ;;
    0) qs__wrong="not an HTTP answer" ;;
    *) qs__wrong="request failed ($(tail -n 1 "$qs__dir/said"))" ;;
  esac
  qs__code=
  while IFS= read -r qs__line; do
    case $qs__line in
      "  HTTP/"*)
        qs__line=${qs__line#  HTTP/* }
        qs__code=${qs__line%% *}
        qs__wrong=
        ;;
      *"Connection refused"*) qs__wrong="connection refused" ;;
      *"unable to resolve"*) qs__wrong="cannot resolve $qs__host" ;;
      *"timed out"*) qs__wrong="no answer within $qs__seconds s" ;;
      *"No data received"* | *"Read error"*"in headers"*) qs__wrong="connection closed without an answer" ;;
      *"Connection closed at byte"* | *"Read error at byte"*)
        qs__wrong="connection closed in the middle of the answer"
        ;;
    esac
  done <"$qs__dir/said"
  if [ -n "$qs__wrong" ]; then
    echo "error $qs__wrong"
  else
    echo "status $qs__code"
  fi
}

# HTTP/1.0, so that the body is not sent in chunks and ends with the connection.
qs__write_request() {
  printf 'GET %s HTTP/1.0\r\nHost: %s\r\nUser-Agent: quickstarted-check\r\nAccept: */*\r\nConnection: close\r\n\r\n' \
    "$qs__target" "$qs__authority" >|"$qs__dir/request"
}

qs__get_devtcp() {
  qs__write_request
  qs__find timeout
  LC_ALL=C "$qs__found" "$qs__seconds" "$qs__tool" -c \
    'exec 3<>"/dev/tcp/$1/$2" && cat <"$3" >&3 && exec cat <&3' \
    qs_wait_http "$qs__host" "$qs__port" "$qs__dir/request" >|"$qs__dir/raw" 2>"$qs__dir/said"
  qs__read_raw "$?"
}

# At the end of its input most close their half of the connection, and some servers then give up: so
# it is a pipe that stays open. Only OpenBSD's does not, and would wait for the end.
qs__get_nc() {
  qs__write_request
  qs__find timeout
  case $("$qs__tool" -h 2>&1) in
    *OpenBSD*)
      "$qs__found" "$qs__seconds" "$qs__tool" "$qs__host" "$qs__port" \
        <"$qs__dir/request" >|"$qs__dir/raw" 2>"$qs__dir/said"
      ;;
    *)
      [ -p "$qs__dir/pipe" ] || mkfifo "$qs__dir/pipe"
      {
        cat "$qs__dir/request" >&3
        "$qs__found" "$qs__seconds" "$qs__tool" "$qs__host" "$qs__port" \
          <&3 3>&- >|"$qs__dir/raw" 2>"$qs__dir/said"
      } 3<>"$qs__dir/pipe"
      ;;
  esac
  qs__read_raw "$?"
}

# qs__read_raw EXIT_CODE: take an answer as it came over the connection apart.
qs__read_raw() {
  case $1 in
    124 | 143) echo "error no answer within $qs__seconds s" && return ;;
  esac
  if [ ! -s "$qs__dir/raw" ]; then
    case $1:$(cat "$qs__dir/said") in
      *"not known"* | *"resolution"* | *"bad address"*) echo "error cannot resolve $qs__host" ;;
      *"refused"*) echo "error connection refused" ;;
      0:* | *"reset by peer"*) echo "error connection closed without an answer" ;;
      # Some nc say nothing at all.
      *) echo "error connection refused" ;;
    esac
    return
  fi
  qs__split_raw <"$qs__dir/raw"
}

qs__split_raw() {
  IFS= read -r qs__line
  case $qs__line in
    HTTP/*" "[1-9][0-9][0-9]*) ;;
    *) echo "error not an HTTP answer" && return ;;
  esac
  qs__line=${qs__line#* }
  qs__code=${qs__line%"${qs__line#???}"}
  qs__length=
  while IFS= read -r qs__line; do
    qs__line=${qs__line%"$qs__cr"}
    case $qs__line in
      '') break ;;
      [Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[Ll][Ee][Nn][Gg][Tt][Hh]:*)
        qs__length=${qs__line#*:}
        qs__length=${qs__length# }
        ;;
    esac
  done
  cat >|"$qs__dir/body"
  case $qs__length in
    '' | *[!0-9]*) ;;
    *)
      if [ "$(wc -c <"$qs__dir/body")" -lt "$qs__length" ]; then
        echo "error connection closed in the middle of the answer" && return
      fi
      ;;
  esac
  echo "status $qs__code"
}

qs__cr=$(printf '\r')
