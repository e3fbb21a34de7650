# Kills the process groups of commands whose program ended before them.
#
# Standard input: lines `+ GROUP` when a command starts and `- GROUP` when it has ended, from the
# program; it ends with the program, however that ends.
trap '' HUP INT QUIT TERM
groups=' '
while read -r sign group; do
  case $sign in
  +) groups="$groups$group " ;;
  -)
    case $groups in
    *" $group "*) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
    esac
    ;;
  esac
done
for group in $groups; do
  kill -s KILL -- "-$group"
done
