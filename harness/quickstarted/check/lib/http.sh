# qs_wait_http: ask until the answer is as said.

# qs_wait_http PATH|URL [--status N] [--contains T] [--matches ERE] [--json K=V] [--timeout S]
qs_wait_http() {
  qs__isolated qs__wait_http "$@"
}

qs__wait_http() {
  qs__need_dir qs_wait_http
  [ "$#" -gt 0 ] || qs__broken "qs_wait_http needs a path or a URL"
  qs__read_url "$1"
  shift
  qs__read_options "$@"
  qs__choose_client
  qs__clock
  qs__started=$qs__now
  until qs__attempt "$@"; do
    # Seen before this request: one that ended while it was made may have answered the next.
    if [ -n "$qs__dead" ]; then
      qs__refuse "$qs__why; $qs__dead"
    fi
    qs__clock
    if [ "$((qs__now - qs__started))" -ge "$qs__limit" ]; then
      qs__refuse "$qs__why after $(((qs__now - qs__started + 50) / 100)) s"
    fi
    qs__nap 0.25
  done
}

# qs__refuse WHY: fail, with the beginning of the last answer's body.
qs__refuse() {
  qs__body=
  if [ "$qs__answer" = answered ] && [ -s "$qs__dir/body" ]; then
    qs__body="
the body begins: $(head -c 300 "$qs__dir/body" | tr -d '\000')"
  elif [ "$qs__answer" = answered ]; then
    qs__body=" (the body is empty)"
  fi
  qs_fail "GET $qs__url: $1$qs__body"
}

# qs__read_url PATH|URL: set qs__url, qs__scheme, qs__host, qs__port, qs__target.
qs__read_url() {
  case $1 in
    http://* | https://*) qs__url=${1%%#*} ;;
    *://*) qs__broken "qs_wait_http: not an http URL: $1" ;;
    /*) qs__url=http://127.0.0.1:$QS_PORT${1%%#*} ;;
    *) qs__url=http://127.0.0.1:$QS_PORT/${1%%#*} ;;
  esac
  # In the C locale, so that these are ranges of ASCII.
  (LC_ALL=C && export LC_ALL && case $qs__url in *[!\!-~]*) exit 1 ;; esac) ||
    qs__broken "qs_wait_http: write spaces and letters beyond ASCII as %XX: $1"
  qs__scheme=${qs__url%%://*}
  qs__rest=${qs__url#*://}
  qs__authority=${qs__rest%%[/?]*}
  qs__target=${qs__rest#"$qs__authority"}
  case $qs__target in /*) ;; *) qs__target=/$qs__target ;; esac
  qs__url=$qs__scheme://$qs__authority$qs__target
  qs__port=
  case $qs__authority in
    '' | *@*) qs__broken "qs_wait_http: not a URL of a host: $1" ;;
    \[*\]) qs__host=$qs__authority ;;
    *:*) qs__port=${qs__authority##*:} qs__host=${qs__authority%:*} ;;
    *) qs__host=$qs__authority ;;
  esac
  qs__host=${qs__host#\[}
  qs__host=${qs__host%\]}
  if [ -z "$qs__port" ]; then
    case $qs__scheme in https) qs__port=443 ;; *) qs__port=80 ;; esac
  fi
  case $qs__port in *[!0-9]*) qs__broken "qs_wait_http: not a port: $qs__port" ;; esac
  # What listens in the sandbox is never asked through a proxy.
  case $qs__host in
    localhost | *.localhost | 127.* | ::1 | 0.0.0.0) qs__proxy=direct ;;
    *) qs__proxy=environment ;;
  esac
}

# qs__read_options OPTION VALUE ...: set qs__status and qs__limit; refuse what makes no sense.
qs__read_options() {
  qs__status=200
  qs__limit=4000
  while [ "$#" -gt 0 ]; do
    [ "$#" -gt 1 ] || qs__broken "qs_wait_http: $1 needs a value"
    qs__one_line "qs_wait_http: $1" "$2"
    case $1 in
      --status) qs__status=$2 ;;
      --timeout) qs__read_timeout "$2" ;;
      --contains) ;;
      --matches) qs__valid_pattern "$2" ;;
      --json)
        case $2 in [!=]*=*) ;; *) qs__broken "qs_wait_http: --json takes KEY=VALUE, got $2" ;; esac
        qs__choose_json
        ;;
      *) qs__broken "qs_wait_http: unknown option $1" ;;
    esac
    shift 2
  done
  case $qs__status in
    [1-9][0-9][0-9]) ;;
    *) qs__broken "qs_wait_http: --status takes a number like 200, got $qs__status" ;;
  esac
}

# qs__read_timeout SECONDS: set qs__limit, in hundredths of a second.
qs__read_timeout() {
  case $1 in
    *[!0-9.]* | *.*.* | . | ??????????*) qs__broken "qs_wait_http: --timeout takes seconds, got $1" ;;
  esac
  qs__whole=${1%%.*}
  qs__part=
  case $1 in *.*) qs__part=${1#*.} ;; esac
  case $qs__part in
    '') qs__part=00 ;;
    ?) qs__part=${qs__part}0 ;;
    ??*) qs__part=${qs__part%"${qs__part#??}"} ;;
  esac
  # A leading zero would make the number octal.
  qs__limit=$((1${qs__part} - 100))
  while :; do
    case $qs__whole in 0*) qs__whole=${qs__whole#0} ;; *) break ;; esac
  done
  qs__limit=$((${qs__whole:-0} * 100 + qs__limit))
}

# qs__attempt OPTION VALUE ...: one request; qs__why says what is wrong with the answer.
qs__attempt() {
  qs__dead=
  qs__server_died || qs__dead=
  qs__clock
  # A quarter of the time, at least ten seconds: a request that hangs does not use it up.
  qs__seconds=$((qs__limit / 400))
  [ "$qs__seconds" -ge 10 ] || qs__seconds=10
  qs__left=$(((qs__limit - (qs__now - qs__started) + 99) / 100))
  [ "$qs__left" -ge 1 ] || qs__left=1
  [ "$qs__seconds" -le "$qs__left" ] || qs__seconds=$qs__left
  : >|"$qs__dir/body"
  qs__answer=$("qs__get_$qs__client")
  case $qs__answer in
    "status "*) qs__code=${qs__answer#status } qs__answer=answered ;;
    *)
      qs__why=${qs__answer#error }
      [ -n "$qs__why" ] || qs__why="no answer from $qs__client"
      return 1
      ;;
  esac
  if [ "$qs__code" != "$qs__status" ]; then
    qs__why="status $qs__code, wanted $qs__status"
    return 1
  fi
  qs__judge_body "$@"
}

# qs__judge_body OPTION VALUE ...
qs__judge_body() {
  if [ "$(wc -c <"$qs__dir/body")" -gt 16777216 ]; then
    qs__why="the body is larger than 16 MiB"
    return 1
  fi
  while [ "$#" -gt 0 ]; do
    case $1 in
      --contains)
        qs__why="body does not contain $2"
        qs__has_text "$qs__dir/body" "$2" || return 1
        ;;
      --matches)
        qs__why="no line of the body matches $2"
        qs__has_match "$qs__dir/body" "$2" || return 1
        ;;
      --json) qs__why=$("qs__json_$qs__json" "${2%%=*}" "${2#*=}") || return 1 ;;
    esac
    shift 2
  done
}
