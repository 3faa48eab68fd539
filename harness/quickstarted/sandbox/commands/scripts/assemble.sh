# Puts the command together from its pieces.
_qs='unset _qs; ' _qs_i=1
while [ "$_qs_i" -le "$_QS_COUNT" ]; do
	eval "_qs=\$_qs\$_QS_$_qs_i; unset _QS_$_qs_i"
	_qs_i=$((_qs_i + 1))
done
unset _QS_COUNT _QS_ENTER _qs_i
