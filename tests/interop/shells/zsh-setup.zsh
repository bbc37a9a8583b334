# Run by the shell that is asked: writes the words that it would offer into the file `answers`, and `--` after each
# question. A function of this name runs instead of the builtin that completion functions add words by.
PROMPT= RPROMPT=
answeredCount=0
autoload -Uz compinit && compinit -u -D
if [[ -e fpath ]]; then
  fpath=($PWD/fpath $fpath)
  autoload -Uz _weir
  compdef _weir weir
else
  source ./script
fi
bindkey '^I' complete-word
compadd() {
  local -a hits
  # Some functions of zsh only ask which words match.
  if [[ " ${(@)argv[1,(i)(-|--)]}" == *' -'[a-zA-Z]#[OAD]* ]]; then
    builtin compadd "$@"
    return
  fi
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- "$IPREFIX"$^hits >>| answers
  builtin compadd "$@"
}
answered() {
  (( answeredCount++ ))
  print -r -- '--' >>| answers
  : >| answered.$answeredCount
  compstate[insert]='' compstate[list]=''
}
# zsh empties both lists at every completion.
answering() {
  comppostfuncs=(answered) compprefuncs=(answering)
}
compprefuncs=(answering)
: >| ready
