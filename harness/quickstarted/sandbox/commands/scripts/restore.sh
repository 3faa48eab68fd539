# Gives the shell the exports that the command before it left; what that had unset stays unset.
if [ -r /.quickstarted/shell/state ]; then
	_qs_ifs=$IFS
	IFS='
'
	set -f
	for _qs_line in $(export -p); do
		case $_qs_line in export\ [A-Za-z_]*) ;; *) continue ;; esac
		_qs_line=${_qs_line#export }
		_qs_line=${_qs_line%%=*}
		case $_qs_line in PWD | OLDPWD | _* | *[!A-Za-z0-9_]*) ;; *) unset "$_qs_line" ;; esac
	done
	set +f
	IFS=$_qs_ifs
	unset _qs_ifs _qs_line
	{ . /.quickstarted/shell/state; } 2>/dev/null
	_qs_old=${OLDPWD-}
	cd . && OLDPWD=$_qs_old
	unset _qs_old
fi
