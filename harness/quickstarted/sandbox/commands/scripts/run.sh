# The outer shell of one command: says that it began, runs the inner shell, says how that ended.
#
# It has its own marks in the output, so that a command has ended when its shell has, whatever
# still holds the pipe; and it outlives signals to the process group. It also limits open files: an
# engine that itself may open fewer refuses to start a container with such a limit.

_n=$_QS_NONCE _shell=$_QS_SHELL _text=$_QS_TEXT _cwd=$_QS_CWD
unset _QS_RUN _QS_NONCE _QS_SHELL _QS_TEXT _QS_CWD
exec 3>&1 </dev/null 2>/dev/null
ulimit -n 65536 || ulimit -S -n "$(ulimit -H -n)"
trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE

_oom() {
	_kills=0
	for _file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
		[ -r "$_file" ] && while read -r _key _value; do
			[ "$_key" = oom_kill ] && _kills=$_value
		done <"$_file"
	done
}

_slurp() {
	_got=
	while IFS= read -r _line; do
		_got=$_got$_line
		_got=$_got'
'
	done <"$1"
	_got=${_got%?}
}

read -r _stat </proc/$$/stat
_stat=${_stat##*) }
set -- $_stat
_oom
printf '\036%s:begin:%s:%s:%s\036%s\036' "$_n" "$$" "${20:-0}" "$_kills" "$_n" >&3

_flags=
[ -d /workspace ] || { command -p mkdir -p /workspace && _flags=made; }
_got=
[ -z "$_cwd" ] || [ ! -r "$_cwd" ] || _slurp "$_cwd"
if [ -z "$_got" ]; then
	cd /workspace || cd /
elif ! cd -- "$_got"; then
	_flags=${_flags:-fallback}
	cd /workspace || cd /
fi
(
	exec >&3 2>&3 3>&-
	case $_shell in
	*bash) exec "$_shell" --noprofile --norc -c "$_text" bash ;;
	*) exec "$_shell" -c "$_text" sh ;;
	esac
)
_code=$?
_got=$PWD
[ -z "$_cwd" ] || [ -r /.quickstarted/leave ] || _flags=bare
[ -z "$_cwd" ] || [ ! -r "$_cwd" ] || _slurp "$_cwd"
_oom
printf '\036%s:end:%s:%s:%s:%s\036%s\036' "$_n" "$_code" "$_kills" "$_flags" "$_got" "$_n" >&3
exit "$_code"
