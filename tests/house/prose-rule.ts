import { blankCommentsAndStrings, commentsOf, stringsOf } from './source-text.ts';

/** Style rules for Markdown, comments, texts for people and names: short lines, and the terms of the field. */

const proseColumnsMax = 120;

interface ForbiddenWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

const forbiddenWords: readonly ForbiddenWord[] = [
  {
    pattern: /\b(?:who(?:m)?ever|(?:no|some|any|every)body)\b/gi,
    instead: 'name the actor: client, agent, reader, caller',
  },
  { pattern: /\b(?:he|him|his)\b/gi, instead: 'name the actor' },
  { pattern: /\b(?:tells?|told|telling)\b/gi, instead: 'report, return, list, show' },
  { pattern: /\bhear(?:s|d)?\b/gi, instead: 'receive, learn' },
  { pattern: /\bjudg\w*/gi, instead: 'validate, check; interop test' },
  { pattern: /\bdoors?\b/gi, instead: 'agent listener, TLS acceptor, ambient access' },
  { pattern: /\bdesks?\b/gi, instead: 'query queue' },
  { pattern: /\b(?:glances?|sights?)\b/gi, instead: 'cluster view, cluster snapshot' },
  { pattern: /\blandings?\b/gi, instead: 'receive buffer' },
  { pattern: /\baside\b/gi, instead: 'background append' },
  { pattern: /\bsurroundings\b/gi, instead: 'deps' },
  { pattern: /\bfigures\b/gi, instead: 'stats, metrics, results' },
];

/** Phrases that operators do not use, and the term for each. They are checked in texts for people. */
const oddPhrases: readonly ForbiddenWord[] = [
  { pattern: /\bgrave\b/gi, instead: 'high-severity, critical' },
  { pattern: /\bfor want of\b/gi, instead: 'because there is no; for memory: OOM-killed' },
  { pattern: /\bwithout a word\b/gi, instead: 'without a shutdown, silently' },
  { pattern: /\bgives? a write\b/gi, instead: 'has a timeout of' },
  { pattern: /\b(?:went|goes|gone) away\b/gi, instead: 'lost, stopped, disconnected' },
  { pattern: /\bin vain\b/gi, instead: 'without success, failed' },
  { pattern: /\bof (?:its|their) own accord\b/gi, instead: 'automatically' },
  { pattern: /\bit is he\b/gi, instead: 'name the actor' },
  { pattern: /\b(?:fell|falls?) silent\b/gi, instead: 'lost, stopped sending heartbeats' },
  { pattern: /\bwhat (?:became|becomes|came) of\b/gi, instead: 'outcome' },
  { pattern: /\bsince the last look\b/gi, instead: 'since the last run' },
  { pattern: /\b(?:has|have|had) the level NONE\b/gi, instead: 'has compatibility NONE' },
  { pattern: /\bunless (?:it|they|the \w+) says? otherwise\b/gi, instead: 'default' },
  { pattern: /\bdoes not get on\b/gi, instead: 'is stuck' },
  { pattern: /\bbeyond all measure\b/gi, instead: 'too large' },
  { pattern: /\bslowest hundredth\b/gi, instead: 'p99 latency' },
];

/** Words of `forbiddenWords` that names of things in code may not contain either. */
const forbiddenInNames = /^(?:whoever|nobody|somebody|anybody|grave|desk|desks|glance|glances|told)$/;

/** Whether a page is generated. Its sentences come from source code. */
export function isGenerated(text: string): boolean {
  return /Written by scripts\/docs\.ts|This page is generated|writes this page/.test(text.slice(0, 500));
}

/** Returns one problem per line that is too long and per forbidden word. Code and link targets are not checked. */
export function proseProblems({ path, text }: { readonly path: string; readonly text: string }): string[] {
  const problems: string[] = [];
  let fence: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const withoutTargets = line.replaceAll(/\]\([^)]*\)/g, ']()').replaceAll(/https?:\/\/\S+/g, '');
    const isTable = line.trimStart().startsWith('|');
    const columns = [...withoutTargets].length;
    if (!isTable && columns > proseColumnsMax) {
      problems.push(`${path}:${index + 1}: ${columns} columns; wrap prose at ${proseColumnsMax}`);
    }
    const words = withoutTargets.replaceAll(/`[^`]*`/g, '``');
    for (const { pattern, instead } of forbiddenWords) {
      for (const [word] of words.matchAll(pattern)) {
        problems.push(`${path}:${index + 1}: "${word}"; ${instead}`);
      }
    }
  }
  return problems;
}

/** One line per forbidden word, and per line that is too long, in the comments of a TypeScript file. */
export function commentProblems({ path, text }: { readonly path: string; readonly text: string }): string[] {
  const problems: string[] = [];
  const lines = text.split('\n');
  for (const [index, line] of commentsOf(text).split('\n').entries()) {
    const source = lines[index]!;
    if (/^\s*(?:\/\/|\/?\*)/.test(source) && source.length > proseColumnsMax) {
      problems.push(`${path}:${index + 1}: ${source.length} columns; wrap comments at ${proseColumnsMax}`);
    }
    const words = line.replaceAll(/`[^`]*`/g, '``');
    for (const { pattern, instead } of forbiddenWords) {
      for (const [word] of words.matchAll(pattern))
        problems.push(`${path}:${index + 1}: "${word}"; ${instead}`);
    }
  }
  return problems;
}

/** One line per forbidden word or phrase in the string literals and JSX texts of a TypeScript file. */
export function textProblems({ path, text }: { readonly path: string; readonly text: string }): string[] {
  const problems: string[] = [];
  const texts = path.endsWith('.tsx') ? [stringsOf(text), jsxTextsOf(text)] : [stringsOf(text)];
  for (const lines of texts) {
    for (const [index, line] of lines.split('\n').entries()) {
      // One word alone is a value of a protocol or a key, and names nothing to people.
      const phrases = line.match(/\S+(?: \S+)+/g)?.join(' ') ?? '';
      for (const { pattern, instead } of [...forbiddenWords, ...oddPhrases]) {
        for (const [word] of phrases.matchAll(pattern))
          problems.push(`${path}:${index + 1}: "${word}"; ${instead}`);
      }
    }
  }
  return problems;
}

/** The texts between tags; the code around them is blanked. */
function jsxTextsOf(text: string): string {
  const code = blankCommentsAndStrings(text);
  let texts = '';
  let at = 0;
  for (const match of code.matchAll(/(?<=[>}])[^<>{}]+(?=[<{])/g)) {
    texts +=
      code.slice(at, match.index).replaceAll(/[^\n]/g, ' ') + (/[;=()]/.test(match[0]) ? '' : match[0]);
    if (/[;=()]/.test(match[0])) texts += match[0].replaceAll(/[^\n]/g, ' ');
    at = match.index + match[0].length;
  }
  return texts;
}

/** One line per name in code that contains a forbidden word, such as `nobodyWaits` or `grave-errors`. */
export function nameProblems({ path, text }: { readonly path: string; readonly text: string }): string[] {
  const problems: string[] = [];
  for (const [index, line] of blankCommentsAndStrings(text).split('\n').entries()) {
    for (const [name] of line.matchAll(/[A-Za-z_$][\w$]*/g)) {
      const words = name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
      if (words.some((word) => forbiddenInNames.test(word)))
        problems.push(
          `${path}:${index + 1}: the name ${name} has a word that docs/contribute/glossary.md replaces`,
        );
    }
  }
  return problems;
}
