import { commentsOf } from './source-text.ts';

/** Style rules for Markdown: short lines, and standard terms instead of this project's former ones. */

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
