# Types each line of the file `lines` and a tab into an interactive zsh, and waits until it has answered.
zmodload zsh/zpty zsh/zselect
zpty shell 'TERM=dumb zsh -f -i'
wait_for() {
  local text
  until [[ -e $1 ]]; do
    zpty -r -t shell text
    zselect -t 1
  done
}
zpty -w shell 'source ./setup.zsh'
wait_for ready
count=0
while IFS= read -r line; do
  zpty -w -n shell "$line"$'\t'
  (( count++ ))
  wait_for answered.$count
  zpty -w -n shell $'\x15'
done < lines
zpty -d shell
