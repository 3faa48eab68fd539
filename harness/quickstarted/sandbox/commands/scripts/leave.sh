# Saves the shell's exports, complete or not at all. Its output goes nowhere.
_qs=$?
set +efuvxC
{
	printf 'umask %s\n' "$(umask)"
	[ -z "${OLDPWD-}" ] || export OLDPWD
	export -p
	printf ':\n'
} >|/.quickstarted/shell/new/state &&
	pwd >|/.quickstarted/shell/new/cwd &&
	command -p mv -f -- /.quickstarted/shell/new/state /.quickstarted/shell/new/cwd \
		/.quickstarted/shell/
return "$_qs"
