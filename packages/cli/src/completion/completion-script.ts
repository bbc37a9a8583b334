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
      // zsh runs functions of bash, so that both complete the same.
      return `#compdef weir\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript()}`;
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

/** A text between single quotes, for all three shells: texts of the catalogue have no control characters. */
function quoted(text: string, shell: Shell = 'bash'): string {
  return `'${shell === 'fish' ? text.replaceAll(/['\\]/g, '\\$&') : text.replaceAll("'", "'\\''")}'`;
}

function bashScript(): string {
  const tools = (['', ...completed] as const)
    .map((command) => [command, nextWords(command)] as const)
    .filter(([, words]) => words.length > 0)
    .map(([command, words]) => `    ${quoted(command)}) echo ${quoted(words.join(' '))} ;;\n`);
  const flags = completed.map(
    (command) => `    ${quoted(command)}) echo ${quoted(flagsOf(command).join(' '))} ;;\n`,
  );
  const switches = completedRows.filter(({ type }) => type.impliedText !== undefined);
  const paths = completedRows.filter((row) => valuesOf(row) === 'path');
  const words = completedRows.flatMap((row) => {
    const values = valuesOf(row);
    const isListed = typeof values !== 'string';
    return isListed ? [`    ${pattern([row])}) echo ${quoted(values.join(' '))} ;;\n`] : [];
  });
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
_weir() {
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
    case " $(_weir_tools "$command") " in *" $word "*) ;; *) break ;; esac
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

function pattern(rows: readonly FlagRow[]): string {
  return rows
    .flatMap(flagSpellings)
    .map((spelling) => quoted(spelling))
    .join(' | ');
}

function fishScript(): string {
  const commands = (['', ...completed] as const).flatMap((command) =>
    nextWords(command).map((word) => {
      const name = (command === '' ? word : `${command} ${word}`) as CommandName;
      const help = quoted(commandRow(name).help, 'fish');
      return `complete -c weir -n "__weir_at ${quoted(command, 'fish')}" -a ${quoted(word, 'fish')} -d ${help}\n`;
    }),
  );
  const flags = completedRows.map((row) => {
    const takers = row.commands.filter(isAvailable).map((name) => quoted(name, 'fish'));
    const values = valuesOf(row);
    const taken =
      row.type.impliedText !== undefined
        ? ''
        : values === 'path'
          ? ' -r -F'
          : values === 'nothing'
            ? ' -x'
            : ` -x -a ${quoted(values.join(' '), 'fish')}`;
    const help = quoted(row.help, 'fish');
    return takers.length === 0
      ? ''
      : `complete -c weir -n "__weir_at ${takers.join(' ')}" -o ${quoted(row.name, 'fish')}${taken} -d ${help}\n`;
  });
  return `# Completes commands, tools, flags and their values. Written by weir completion.
function __weir_at
  set -l command
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and break
    set -a command $word
  end
  contains -- "$command" $argv
end
complete -c weir -f
${commands.join('')}${flags.join('')}`;
}
