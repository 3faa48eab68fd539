"""
What makes bash say which commands it is given: marks in what it prints to its terminal.

A mark is an OSC sequence with a nonce: `ESC ] 7777 ; NONCE ; B BEL` before a command runs, and
`... ; E ; EXIT CODE ; PORTS ; COMMAND BEL` before the next prompt; `... ; X BEL` when the shell
ends, which one that is replaced (`exec`) does not. Nothing of it is on disk, and `marks` takes it
out again before the person sees it.
"""

from __future__ import annotations

OSC = "7777"
LINE_BREAK = "\x1e"
"""Stands for a line break in a mark: the terminal would turn the real one into two characters."""
PROMPT = "(recording) "
LONGEST_COMMAND = 100_000
"""Characters; a file of that size is nothing to type."""

_PROGRAM = r"""
set +H
unset HISTFILE
HISTSIZE=100000 HISTCONTROL= HISTIGNORE= HISTTIMEFORMAT=
shopt -s cmdhist lithist
bind 'set enable-bracketed-paste off' 2>/dev/null
ulimit -n 65536 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"
cd -- @WORKSPACE@ || cd /
_qs_number=
_qs_mark() {
  local line= command= ports= file= address= state= IFS=$' \t\n'
  local code=$1
  line=$(builtin history 1)
  if [[ -z $_qs_number ]]; then
    _qs_number=0
  elif [[ $line =~ ^\ *([0-9]+)[*\ ]\  && ${BASH_REMATCH[1]} != "$_qs_number" ]]; then
    _qs_number=${BASH_REMATCH[1]}
    command=${line#"${BASH_REMATCH[0]}"}
    command=${command//$'\n'/@BREAK@}
    command=${command//$'\a'/}
    (( ${#command} > @LONGEST@ )) && command="# ${#command} characters: too long to be recorded"
  fi
  for file in /proc/net/tcp /proc/net/tcp6; do
    [[ -r $file ]] || continue
    while read -r _ address _ state _; do
      [[ $state == 0A && $address != 0B00007F:* ]] && ports+=",$((16#${address##*:}))"
    done <"$file"
  done
  builtin printf '\e]@OSC@;@NONCE@;E;%s;%s;%s\a' "$code" "${ports#,}" "$command"
}
PROMPT_COMMAND='_qs_mark "$?" || :'
PS0='\e]@OSC@;@NONCE@;B\a'
trap 'builtin printf "\e]@OSC@;@NONCE@;X\a"' EXIT
PS1='@PROMPT@\w \$ '
PS2='> '
history -c
"""


def shell_rc(nonce: str, workspace: str) -> str:
    """The start-up file of the recorded shell; *workspace* must need no quoting."""
    return (
        _PROGRAM.replace("@NONCE@", nonce)
        .replace("@OSC@", OSC)
        .replace("@BREAK@", "$'\\x1e'")
        .replace("@PROMPT@", PROMPT)
        .replace("@LONGEST@", str(LONGEST_COMMAND))
        .replace("@WORKSPACE@", workspace)
    )
