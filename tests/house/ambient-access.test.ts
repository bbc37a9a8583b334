import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ambientAccesses } from './ambient-access-rule.ts';
import { type SourceFile, typescriptFiles } from './repository.ts';
import { blankComments, blankCommentsAndStrings, lineOf } from './source-text.ts';

function forbiddenUses(file: SourceFile): string[] {
  const problems: string[] = [];
  for (const { banned, pattern, inStrings, allowedFiles, instead } of ambientAccesses) {
    if (allowedFiles.includes(file.path)) continue;
    const text = inStrings === true ? blankComments(file.text) : blankCommentsAndStrings(file.text);
    for (const match of text.matchAll(new RegExp(pattern, 'g'))) {
      problems.push(`${file.path}:${lineOf(text, match.index)}: ${banned}; ${instead}`);
    }
  }
  return problems;
}

test('time, chance, environment and console enter through their ambientAccesses only', () => {
  const rules = ['tests/house/ambient-access-rule.ts', 'tests/house/ambient-access.test.ts'];
  const files = typescriptFiles().filter(({ path }) => !rules.includes(path));
  assert.deepEqual(files.flatMap(forbiddenUses), []);
});

test('every file with ambient access exists', () => {
  const paths = new Set(typescriptFiles().map(({ path }) => path));
  for (const { allowedFiles } of ambientAccesses) {
    for (const path of allowedFiles) assert.ok(paths.has(path), `${path} is gone`);
  }
});

test('the rule distinguishes calls from prose', () => {
  const cases: [text: string, banned: string | undefined][] = [
    ['const now = Date.now();', 'Date.now'],
    ['const now = new Date();', 'new Date() of the present'],
    ['const now = new Date;', 'new Date() of the present'],
    ['const then = new Date(timestampMs);', undefined],
    ['const t = performance.now();', 'performance.now'],
    ['const n = Math.random();', 'Math.random'],
    ['setTimeout(run, 5);', 'a raw timer'],
    ['globalThis.setInterval(run, 5);', 'a raw timer'],
    ['socket.setTimeout(5);', undefined],
    ["import { setTimeout as sleep } from 'node:timers/promises';", 'a raw timer'],
    ["import { scheduler } from 'node:timers/promises';", 'a raw timer'],
    ['const home = process.env.HOME;', 'process.env'],
    ["const home = process.env['HOME'];", 'process.env'],
    ['const { env } = process;', 'process.env'],
    ["console.log('x');", 'console'],
    ['// console.log is banned', undefined],
    ['/** Never call Date.now here. */', undefined],
    ["const text = 'Date.now';", undefined],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    ['const text = `at ${Date.now()}`;', 'Date.now'],
    ['const consoleUrl = api.console;', undefined],
  ];
  for (const [text, banned] of cases) {
    const [problem] = forbiddenUses({ path: 'packages/agent/src/a.ts', text });
    if (banned === undefined) assert.equal(problem, undefined, text);
    else assert.ok(problem?.includes(banned), `${text}: ${problem}`);
  }
});
