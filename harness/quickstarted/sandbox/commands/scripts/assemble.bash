# Puts the command together from its pieces, where bash itself keeps the text of `bash -c`.
BASH_EXECUTION_STRING=
for ((_qs = 1; _qs <= _QS_COUNT; _qs++)); do
  _qs_piece=_QS_$_qs
  BASH_EXECUTION_STRING+=${!_qs_piece}
  unset -v "$_qs_piece"
done
unset -v _QS_COUNT _QS_ENTER _qs _qs_piece
