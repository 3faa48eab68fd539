# The keep-alive process of a sandbox: root, POSIX sh, told what to do on standard input.
#
# An order is a line with its name, a line with a token, and one line for each argument. The
# answer is the token and fields, separated by tabs. What must work when no process can be
# started any more (`reap`, `oom`) uses builtins only.

printf 'quickstarted' >/proc/$$/comm 2>/dev/null
trap '' HUP INT QUIT TERM USR1 USR2 ALRM
exec 2>/dev/null
cd /
umask 022
tab='	'

answer() {
	printf '%s' "$token"
	for field; do printf '\t%s' "$field"; done
	printf '\n'
}

# Sets `text` to all of a file, `rest` to what follows the name of the process in /proc/N/stat.
# A process may have line breaks and parentheses in its name.
read_stat() {
	text=
	while IFS= read -r line || [ -n "$line" ]; do
		text=$text$line
		line=
	done <"/proc/$1/stat" || return 1
	rest=${text##*) }
	[ -n "$rest" ]
}

# Notes parent, start time and state of every process in variables named after its number.
scan() {
	pids=
	for entry in /proc/[0-9]*; do
		pid=${entry#/proc/}
		read_stat "$pid" || continue
		set -- $rest
		[ "$1" = Z ] || [ "$1" = X ] || pids="$pids $pid"
		eval "parent_$pid=\$2 start_$pid=\${20} seen_$pid=\$round"
	done
}

# True when the process was there before the command: the command's outer shell has number $first
# and start time $since. Start times are in ticks, so within a tick numbers decide.
is_older() {
	eval "begun=\$start_$1"
	[ "$begun" -lt "$since" ] || { [ "$begun" -eq "$since" ] && [ "$1" -lt "$first" ]; }
}

# True when neither the process nor an ancestor (the first process aside) is older.
belongs() {
	at=$1
	while [ "$at" -gt 1 ]; do
		is_older "$at" && return 1
		eval "at=\$parent_$at"
		eval "[ \"\${seen_$at:-}\" = \"\$round\" ]" || return 0
	done
	return 0
}

# Answers with how many of the command's processes are left, and how many passes it took.
reap() {
	first=$1 since=$2 passes=0 round=${round:-0}
	while :; do
		passes=$((passes + 1))
		kill -s STOP -- -1
		round=$((round + 1))
		scan
		for pid in $pids; do
			[ "$pid" -ne "$$" ] && [ "$pid" -ne 1 ] && belongs "$pid" && kill -s KILL "$pid"
		done
		kill -s CONT -- -1
		tries=0
		while :; do
			count_left
			[ "$left" -gt 0 ] && [ "$tries" -lt 20 ] || break
			tries=$((tries + 1))
		done
		[ "$left" -gt 0 ] && [ "$passes" -lt 3 ] || break
	done
	answer "$left" "$passes"
}

count_left() {
	left=0
	round=$((round + 1))
	scan
	for pid in $pids; do
		[ "$pid" -ne "$$" ] && [ "$pid" -ne 1 ] && belongs "$pid" && left=$((left + 1))
	done
}

# Answers with the number of kills for lack of memory and with processes now and at most.
counters() {
	oom=0 now= most=
	for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
		[ -r "$file" ] && while read -r key value; do
			[ "$key" = oom_kill ] && oom=$value
		done <"$file"
	done
	for folder in /sys/fs/cgroup /sys/fs/cgroup/pids; do
		[ -r "$folder/pids.max" ] && read -r now <"$folder/pids.current" && read -r most <"$folder/pids.max"
	done
	answer "$oom" "${now:-0}" "${most:-max}"
}

resolve_at() {
	printf 'nameserver %s\noptions timeout:5 attempts:2\n' "$1" >/etc/resolv.conf
	answer "$?"
}

# Sets uid, gid and home of a user given as `docker run --user` takes it.
find_user() {
	wanted=${1%%:*} group=
	case $1 in *:*) group=${1#*:} ;; esac
	uid= gid= home=
	while IFS=: read -r name _ number primary _ folder _; do
		if [ "$name" = "$wanted" ] || [ "$number" = "$wanted" ]; then
			uid=$number gid=$primary home=$folder
			break
		fi
	done </etc/passwd
	case $wanted in *[!0-9]*) ;; *) uid=${uid:-$wanted} gid=${gid:-0} ;; esac
	[ -n "$group" ] || return
	gid=$group
	while IFS=: read -r name _ number _; do
		[ "$name" = "$group" ] && gid=$number
	done </etc/group
}

# A home must exist, be the user's, and be neither the root folder nor in the workspace.
choose_home() {
	[ -n "$1" ] && home=$1
	case $home in
	/workspace | /workspace/* | /nonexistent | / | '' | [!/]*) home=/home/sandbox ;;
	esac
	[ -d "$home" ] || { mkdir -p "$home" && chown "$uid:$gid" "$home"; }
}

choose_tmp() {
	tmp=${1:-/tmp}
	case $tmp in /workspace | /workspace/* | [!/]*) tmp=/tmp ;; esac
	[ -d "$tmp" ] || mkdir -p "$tmp"
	[ "$tmp" != /tmp ] || chmod 1777 /tmp
}

make_workspace() {
	[ -d /workspace ] || mkdir -p /workspace
	chown "$uid:$gid" /workspace && chmod u+rwx /workspace
}

# Sets `lines` to that many lines of the order, a line break after each.
take_lines() {
	read -r number
	lines=
	while [ "$number" -gt 0 ]; do
		IFS= read -r line
		lines="$lines$line
"
		number=$((number - 1))
	done
}

# Arguments: user, HOME and TMPDIR of the image, and the programs leave.bash and leave.sh, each as
# a number of lines and the lines.
# Answer: uid, gid, sh, bash or nothing, home, temporary folder, entries in the workspace, and
# something where `unpack` can be ordered.
prepare() {
	read -r wanted_user
	IFS= read -r wanted_home
	IFS= read -r wanted_tmp
	take_lines
	leave=$lines
	take_lines
	bash=$(command -v bash)
	[ -n "$bash" ] || leave=$lines
	find_user "$wanted_user"
	choose_home "$wanted_home"
	choose_tmp "$wanted_tmp"
	make_workspace
	mkdir -p /.quickstarted && chmod 755 /.quickstarted
	printf '%s' "$leave" >/.quickstarted/leave
	forget "$uid" "$gid"
	entries=0
	for entry in /workspace/* /workspace/.[!.]* /workspace/..?*; do
		if [ -e "$entry" ] || [ -L "$entry" ]; then entries=$((entries + 1)); fi
	done
	unpacks=$(command -v head) && unpacks=$(command -v tar) || unpacks=
	answer "$uid" "$gid" "$(command -v sh)" "$bash" "$home" "$tmp" "$entries" "$unpacks"
}

# Empties the state of the agent's shell, which belongs to user $1 and group $2.
forget() {
	rm -rf /.quickstarted/shell
	mkdir -p /.quickstarted/shell/new
	chmod 700 /.quickstarted/shell
	chown "$1:$2" /.quickstarted/shell /.quickstarted/shell/new
}

while IFS= read -r order && IFS= read -r token; do
	case $order in
	ping) answer ;;
	prepare) prepare ;;
	forget)
		read -r uid
		read -r gid
		forget "$uid" "$gid"
		answer "$?"
		;;
	counters) counters ;;
	unpack)
		# That many bytes of a tar archive follow the order.
		read -r size
		head -c "$size" | tar -x -f - -C /
		answer "$?"
		;;
	empty)
		IFS= read -r file
		: >"$file"
		answer "$?"
		;;
	resolve)
		read -r address
		resolve_at "$address"
		;;
	reap)
		read -r number
		read -r ticks
		reap "$number" "$ticks"
		;;
	esac
done
