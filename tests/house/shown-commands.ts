import type { CommandName } from '../../packages/cli/src/commands/catalogue.ts';
import { findCommand } from '../../packages/cli/src/commands/find.ts';
import { flagRows } from '../../packages/cli/src/flags/catalogue.ts';
import {
  flagSpellings,
  readArguments,
  type Setting,
  variableSpellings,
  withoutStyle,
} from '../../packages/cli/src/flags/settings.ts';

/** Commands, flags and variables that pages show, against the catalogues of the command line. */

interface Page {
  readonly path: string;
  readonly text: string;
}

/** A piece of code of a page. */
interface Code {
  readonly line: number;
  readonly text: string;
  /** Whether it is part of a sentence, where a flag may be named without its value. */
  readonly isInline: boolean;
}

/** What looks like a flag in sentences, and is none of `weir`. */
const otherWords: ReadonlySet<string> = new Set(['-h', '-help', '-all', '-Infinity']);

const flagNames: ReadonlySet<string> = new Set(flagRows.flatMap(flagSpellings).map(withoutStyle));
const variableNames: ReadonlySet<string> = new Set(flagRows.flatMap(variableSpellings));

/** Returns one problem per `weir` command that does not parse, and per flag or variable that does not exist. */
export function shownCommandProblems({ path, text }: Page): string[] {
  return codesOf(text).flatMap((code) =>
    [...commandProblems(code), ...nameProblems(code)].map((problem) => `${path}:${code.line}: ${problem}`),
  );
}

/** The code spans of sentences and the commands of blocks, in page order. Continued lines are one command. */
export function codesOf(page: string): Code[] {
  const codes: Code[] = [];
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, fence, language] = /^\s*(`{3,})(\w*)/.exec(lines[at]!) ?? [];
    if (fence === undefined) {
      for (const [, text] of lines[at]!.matchAll(/`([^`]+)`/g))
        codes.push({ line: at + 1, text: text!, isInline: true });
      continue;
    }
    for (at++; at < lines.length && !lines[at]!.trimStart().startsWith(fence); at++) {
      const line = at + 1;
      let text = lines[at]!;
      while (text.endsWith('\\') && at + 1 < lines.length)
        text = `${text.slice(0, -1)} ${lines[++at]!.trim()}`;
      // In a configuration, `weir = ` is the name of a provider.
      const isOutput = language === 'hcl' || (language === 'console' && !text.startsWith('$ '));
      const isRefused = /^weir .*: /.test(lines[at + 1] ?? '');
      if (!isOutput && !isRefused) codes.push({ line, text, isInline: false });
    }
  }
  return codes;
}

function commandProblems({ text, isInline }: Code): string[] {
  const start = isInline ? /^(?:bin\/)?weir (.*)$/s : /(?:^|[\s|;&(])(?:bin\/)?weir (.*)$/s;
  const found = start.exec(text)?.[1];
  // `weir agent: …` is a message.
  if (found === undefined || /^[a-z- ]+:/.test(found)) return [];
  // Words after two dashes are a command of the user.
  const all = wordsOf(found);
  const words = all.includes('--') ? all.slice(0, all.indexOf('--')) : all;
  if (words.length === 0) return [];
  const command = findCommand(words);
  if ('problem' in command) return [`${command.problem.subject}: ${command.problem.rule}`];
  return argumentProblems(command.value.command, command.value.rest, isInline);
}

function argumentProblems(command: CommandName, rest: readonly string[], isInline: boolean): string[] {
  if (command.startsWith('help')) return [];
  const read = readArguments(command, rest);
  if ('problem' in read) {
    const { subject, rule } = read.problem;
    return isInline && rule.startsWith('a value is needed') ? [] : [`weir ${command}: ${subject}: ${rule}`];
  }
  return read.value.settings.flatMap((setting) => {
    const problem = settingProblem(setting);
    return problem === undefined ? [] : [`weir ${command}: ${setting.spelling}: ${problem}`];
  });
}

function settingProblem({ row, text, spelling }: Setting): string | undefined {
  if (row.status === 'planned') return 'is not available in this release';
  if (row.deprecatedNames?.includes(spelling)) return `is a former name; write -${row.name}`;
  if (/[$<…]/.test(text) || text === '') return undefined;
  const parsed = row.type.parse(text);
  return 'problem' in parsed ? `${text}: ${parsed.problem}` : undefined;
}

function nameProblems({ text, isInline }: Code): string[] {
  const flag = isInline ? /^(--?[A-Za-z][\w-]*)(?:$|[= ])/.exec(text)?.[1]?.replace(/^--/, '-') : undefined;
  const isUnknown = flag !== undefined && !flagNames.has(withoutStyle(flag)) && !otherWords.has(flag);
  const variables = [...text.matchAll(/\bSERVICE_[A-Z0-9_]+\b(?!…)/g)].map(([name]) => name);
  return [
    ...(isUnknown ? [`${flag}: unknown flag`] : []),
    ...variables.filter((name) => !variableNames.has(name)).map((name) => `${name}: unknown variable`),
  ];
}

/** The words of a command as a shell reads them, up to a comment, a pipe, a redirection or a closing bracket. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  const word = /\s*((?:"[^"]*"|'[^']*'|<[\w -]+>|\$\([^)]*\)|\$\{[^}]*\}|[^\s"'|;&()<>#])+)|\s*([|;&()<>#])/y;
  for (;;) {
    const match = word.exec(text);
    if (match?.[1] === undefined) return words;
    words.push(match[1].replaceAll(/["']/g, ''));
  }
}
