/** Completion scripts of shells, derived from the commands and the flags. */

import { type CommandName, commandNames, commandRow } from '../commands/catalogue.ts';
import { familyOf, topLevelNames } from '../commands/find.ts';
import { flagRows, rowsOf } from '../flags/catalogue.ts';
import type { FlagRow } from '../flags/row.ts';
import { flagSpellings } from '../flags/settings.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return bashScript();
    case 'zsh':
      return zshScript();
    case 'fish':
      return fishScript();
  }
}

const isAvailable = (name: CommandName) => commandRow(name).status === 'available';

const completed = commandNames.filter(isAvailable);

const completedRows = flagRows.filter(({ status, hasFlag }) => status === 'available' && hasFlag);

/** The words that may follow a command. */
function nextWords(command: CommandName | ''): readonly string[] {
  const names: readonly CommandName[] = command === '' ? topLevelNames : familyOf(command);
  const depth = command === '' ? 0 : command.split(' ').length;
  return names
    .filter((name) => isAvailable(name) && name.split(' ').length === depth + 1)
    .map((name) => name.split(' ').at(-1)!);
}

function flagsOf(command: CommandName): readonly string[] {
  return [
    ...rowsOf(command)
      .filter((row) => completedRows.includes(row))
      .map(({ name }) => `-${name}`),
    '-help',
  ];
}

/** What completes the value of a flag. */
function valuesOf({ type }: FlagRow): readonly string[] | 'path' | 'nothing' {
  const { words, label } = type.item ?? type;
  if (words !== undefined) return words;
  return label === 'path' ? 'path' : 'nothing';
}

const switches = completedRows.filter(({ type }) => type.impliedText !== undefined);
const paths = completedRows.filter((row) => valuesOf(row) === 'path');
const listedRows = completedRows.flatMap((row) => {
  const values = valuesOf(row);
  return typeof values === 'string' ? [] : [[row, values] as const];
});

/** A text between single quotes, for all three shells: texts of the catalogue have no control characters. */
function quoted(text: string, shell: Shell = 'bash'): string {
  return `'${shell === 'fish' ? text.replaceAll(/['\\]/g, '\\$&') : text.replaceAll("'", "'\\''")}'`;
}

/** What bash and zsh look up, as functions that both can run. */
function shellTables(): string {
  const tools = (['', ...completed] as const)
    .map((command) => [command, nextWords(command)] as const)
    .filter(([, words]) => words.length > 0)
    .map(([command, words]) => `    ${quoted(command)}) echo ${quoted(words.join(' '))} ;;\n`);
  const flags = completed.map(
    (command) => `    ${quoted(command)}) echo ${quoted(flagsOf(command).join(' '))} ;;\n`,
  );
  const words = listedRows.map(
    ([row, values]) => `    ${pattern([row])}) echo ${quoted(values.join(' '))} ;;\n`,
  );
  return `# Completes commands, tools, flags and their values. Written by weir completion.
_weir_tools() {
  case "$1" in
${tools.join('')}  esac
}
_weir_flags() {
  case "$1" in
${flags.join('')}  esac
}
_weir_values() {
  case "$1" in
    ${pattern(switches)}) [ -z "$2" ] || echo 'true false' ;;
    ${pattern(paths)}) echo @path ;;
${words.join('')}    *) echo @any ;;
  esac
}
`;
}

function bashScript(): string {
  return `${shellTables()}_weir() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command='' word='' values='' assigned='' i=1
  COMPREPLY=()
  if [ "$current" = '=' ]; then
    current='' assigned=1
  elif [ "$previous" = '=' ]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}" assigned=1
  fi
  while [ "$i" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[i]}"
    case "$word" in -*) break ;; esac
    case " $(_weir_tools "$command") " in *" $word "*) ;; *) return ;; esac
    command="\${command:+$command }$word"
    i=$((i + 1))
  done
  case "$previous" in
    -*)
      previous="\${previous#-}"
      values="$(_weir_values "-\${previous#-}" "$assigned")"
      ;;
  esac
  case "$values" in
    @path) COMPREPLY=($(compgen -f -- "$current")) ; compopt -o filenames 2>/dev/null ; return ;;
    @any) return ;;
    ?*) COMPREPLY=($(compgen -W "$values" -- "$current")) ; return ;;
  esac
  case "$current" in
    --*) COMPREPLY=($(compgen -P - -W "$(_weir_flags "$command")" -- "\${current#-}")) ;;
    -*) COMPREPLY=($(compgen -W "$(_weir_flags "$command")" -- "$current")) ;;
    *)
      COMPREPLY=($(compgen -W "$(_weir_tools "$command")" -- "$current"))
      [ -n "$(_weir_tools "$command")" ] || COMPREPLY=($(compgen -W "$(_weir_flags "$command")" -- "$current"))
      ;;
  esac
}
complete -F _weir weir
`;
}

/** Works when it is sourced, and as a file `_weir` of $fpath, which zsh runs as the function of that name. */
function zshScript(): string {
  return `#compdef weir
${shellTables()}_weir() {
  emulate -L zsh
  local current="$PREFIX" previous="$words[CURRENT-1]" command='' word values='' assigned=''
  local -a tools flags
  if [[ "$current" == -*=* ]]; then
    previous="\${current%%=*}" assigned=1
    compset -P '*='
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -* ]] && break
    tools=($(_weir_tools "$command"))
    (( \${tools[(Ie)$word]} )) || return 1
    command="\${command:+$command }$word"
  done
  [[ "$previous" == -* ]] && values="$(_weir_values "-\${\${previous#-}#-}" "$assigned")"
  case "$values" in
    @path) _files ; return ;;
    @any) return 1 ;;
    ?*) compadd -- \${=values} ; return ;;
  esac
  tools=($(_weir_tools "$command"))
  flags=($(_weir_flags "$command"))
  case "$current" in
    --*) compadd -- -\${^flags} ;;
    -*) compadd -- $flags ;;
    *) if (( $#tools )); then compadd -- $tools; else compadd -- $flags; fi ;;
  esac
}
if [ "$funcstack[1]" = _weir ]; then
  _weir "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _weir weir
fi
`;
}

function pattern(rows: readonly FlagRow[]): string {
  return rows
    .flatMap(flagSpellings)
    .map((spelling) => quoted(spelling))
    .join(' | ');
}

function fishScript(): string {
  const described = (word: string, help: string) => `${quoted(word, 'fish')} ${quoted(help, 'fish')}`;
  const tools = (['', ...completed] as const)
    .map((command) => [command, nextWords(command)] as const)
    .filter(([, words]) => words.length > 0)
    .map(([command, words]) => {
      const rows = words.map((word) =>
        described(word, commandRow((command === '' ? word : `${command} ${word}`) as CommandName).help),
      );
      return `    case ${quoted(command, 'fish')}\n      printf '%s\\t%s\\n' ${rows.join(' ')}\n`;
    });
  const flags = completedRows.flatMap((row) => {
    const takers = row.commands.filter(isAvailable).map((name) => quoted(name, 'fish'));
    const line = `  contains -- "$argv" ${takers.join(' ')}; and printf '%s\\t%s\\n' ${described(`-${row.name}`, row.help)}\n`;
    return takers.length === 0 ? [] : [line];
  });
  const cases = (rows: readonly FlagRow[]) =>
    rows
      .flatMap(flagSpellings)
      .map((spelling) => quoted(spelling, 'fish'))
      .join(' ');
  const words = listedRows.map(
    ([row, values]) =>
      `    case ${cases([row])}\n      printf '%s\\n' ${values.map((value) => quoted(value, 'fish')).join(' ')}\n`,
  );
  const names = completed.map((name) => quoted(name, 'fish')).join(' ');
  return `# Completes commands, tools, flags and their values. Written by weir completion.
function __weir_tools
  switch "$argv"
${tools.join('')}  end
end
function __weir_flags
${flags.join('')}  contains -- "$argv" ${names}; and printf '%s\\t%s\\n' ${described('-help', 'Show the flags.')}
end
function __weir_values
  switch "$argv[1]"
    case ${cases(switches)}
      test -n "$argv[2]"; and printf '%s\\n' true false
    case ${cases(paths)}
      echo @path
${words.join('')}    case '*'
      echo @any
  end
end
function __weir
  set -l words (commandline -opc)[2..-1]
  set -l current (commandline -ct)
  set -l previous "$words[-1]"
  set -l assigned ''
  set -l command ''
  if string match -q -- '-*=*' "$current"
    set previous (string replace -r -- '=.*' '' "$current")
    set assigned "$previous="
  end
  for word in $words
    string match -q -- '-*' "$word"; and break
    __weir_tools "$command" | string match -q -r -- '^'(string escape --style=regex -- "$word")'\\t'; or return
    set command (string trim -- "$command $word")
  end
  if string match -q -- '-*' "$previous"
    set -l values (__weir_values (string replace -r -- '^--' '-' "$previous") "$assigned")
    switch "$values[1]"
      case ''
      case @path
        __fish_complete_path (string sub -s (math 1 + (string length -- "$assigned")) -- "$current") \\
          | string replace -r -- '^' "$assigned"
        return
      case @any
        return
      case '*'
        printf '%s\\n' "$assigned"$values
        return
    end
  end
  if string match -q -- '--*' "$current"
    __weir_flags "$command" | string replace -r -- '^' '-'
  else if string match -q -- '-*' "$current"
    __weir_flags "$command"
  else
    set -l tools (__weir_tools "$command")
    test -n "$tools[1]"; and printf '%s\\n' $tools; or __weir_flags "$command"
  end
end
complete -c weir -f -a '(__weir)'
`;
}
