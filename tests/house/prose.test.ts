import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commentProblems, isGenerated, nameProblems, proseProblems, textProblems } from './prose-rule.ts';
import { isTest, repositoryFiles, root, typescriptFiles } from './repository.ts';

const pages = repositoryFiles()
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

test('Markdown is wrapped and free of forbidden words', () => {
  const written = pages.filter(({ text }) => !isGenerated(text));
  assert.ok(written.length > 30, 'the pages were found');
  assert.deepEqual(written.flatMap(proseProblems), []);
});

test('the prose rule finds what it should', () => {
  const long = 'word '.repeat(25).trim();
  const link = `[a page](${'path/'.repeat(30)}page.md)`;
  // text, expected part of the problem
  const cases: [text: string, problem: string | undefined][] = [
    [long, '124 columns'],
    [long.slice(0, 119), undefined],
    ['é'.repeat(120), undefined],
    [`| ${long} |`, undefined],
    [`See ${link}.`, undefined],
    [`See https://example.com/${'a'.repeat(120)}`, undefined],
    [`\`\`\`\n${long}\n\`\`\``, undefined],
    [`\`\`\`\ncode\n\`\`\`\n${long}`, ':4: 124 columns'],
    ['Whoever asks', '"Whoever"'],
    ['nobody waits', '"nobody"'],
    ['| somebody | asks |', '"somebody"'],
    ['An agent tells the leader.', '"tells"'],
    ['what he may', '"he"'],
    ['the judges of the protocol', '"judges"'],
    ['the door for agents', '"door"'],
    ['a desk', '"desk"'],
    ['the figures of an agent', '"figures"'],
    ['the file `agent-door.ts` and `figures/`', undefined],
    ['[listener](../agent-door.ts)', undefined],
    ['```\nnobody\n```', undefined],
    ['the header, there, this', undefined],
  ];
  for (const [text, problem] of cases) {
    const [found] = proseProblems({ path: 'docs/a.md', text });
    if (problem === undefined) assert.equal(found, undefined, text);
    else assert.ok(found?.includes(problem), `${text}: ${found}`);
  }
});

test('comments are wrapped and free of forbidden words', () => {
  assert.deepEqual(typescriptFiles().flatMap(commentProblems), []);
});

test('the rule for comments finds what it should', () => {
  const cases: [text: string, problem: string | undefined][] = [
    ['// nobody asks', ':1: "nobody"'],
    ['const a = 1; // what he said', ':1: "he"'],
    ['/**\n * Whoever asks.\n */', ':2: "Whoever"'],
    [`// ${'word '.repeat(30)}`, 'columns'],
    ["const told = 'nobody';", undefined],
    ['/** Calls `tell`. */', undefined],
    ["const url = 'http://nobody';", undefined],
  ];
  for (const [text, problem] of cases) {
    const [found] = commentProblems({ path: 'packages/a.ts', text });
    if (problem === undefined) assert.equal(found, undefined, text);
    else assert.ok(found?.includes(problem), `${text}: ${found}`);
  }
});

const sources = typescriptFiles().filter(({ path }) => /^(?:packages|scripts)\//.test(path) && !isTest(path));

test('texts for people are free of forbidden words', () => {
  assert.ok(sources.length > 500, 'the files were found');
  assert.deepEqual(sources.flatMap(textProblems), []);
});

test('names in code are free of forbidden words', () => {
  assert.deepEqual(sources.flatMap(nameProblems), []);
});

test('the rules for texts and names find what they should', () => {
  const texts: [path: string, text: string, problem: string | undefined][] = [
    ['a.ts', "throw new Error('the agent went away');", ':1: "went away"'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
    ['a.ts', 'const title = `${count} grave problems`;', '"grave"'],
    ['a.ts', "const doc =\n  'It ended for want of memory.';", ':2: "for want of"'],
    ['a.ts', "log.warn('nobody waits for it');", '"nobody"'],
    ['a.ts', "const key = 'nobody';", undefined],
    ['a.ts', '// the agent went away', undefined],
    ['a.ts', "throw new Error('the agent was lost');", undefined],
    ['a.tsx', 'return <p>An agent went away.</p>;', '"went away"'],
    ['a.tsx', 'return (\n  <p>\n    {count} grave problems\n  </p>\n);', ':3: "grave"'],
    ['a.tsx', 'return <p>2 agents are lost</p>;', undefined],
    ['a.tsx', 'const isGrave = a > 0 ? grave : other; return <p>x</p>;', undefined],
  ];
  for (const [path, text, problem] of texts) {
    const [found] = textProblems({ path, text });
    if (problem === undefined) assert.equal(found, undefined, text);
    else assert.ok(found?.includes(problem), `${text}: ${found}`);
  }
  assert.match(
    nameProblems({ path: 'a.ts', text: 'const isGrave = nobodyWaits();' }).join(),
    /isGrave.*nobodyWaits/,
  );
  assert.deepEqual(nameProblems({ path: 'a.ts', text: "const isSevere = f('nobody');" }), []);
});

function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
}

function deadLinks({ path, text }: { readonly path: string; readonly text: string }): string[] {
  return linksOf(text)
    .filter((target) => !existsSync(join(root, path, '..', target)))
    .map((target) => `${path} links to ${target}`);
}

test('links of every page lead to files of the repository', () => {
  assert.deepEqual(pages.flatMap(deadLinks), []);
  const planted = { path: 'docs/contribute/tour.md', text: 'See [gone](../packages/agent/src/gone.ts#top).' };
  assert.deepEqual(deadLinks(planted), ['docs/contribute/tour.md links to ../packages/agent/src/gone.ts']);
});

test('files and folders named in backticks exist', () => {
  const all = repositoryFiles();
  const isThere = (name: string) =>
    all.some((path) => path === name || path.endsWith(`/${name}`) || `/${path}`.includes(`/${name}/`));
  const pages = all.filter((path) =>
    /^(?:DESIGN\.md|docs\/contribute\/(?:glossary|tour)\.md|docs\/adr\/.*|.*\/SPEC\.md)$/.test(path),
  );
  assert.ok(pages.length > 10, 'the pages were found');
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/`([\w./-]+(?:\.ts|\/))`/g)]
      .map((match) => match[1]!.replace(/\/$/, ''))
      .filter((name) => !isThere(name))
      .map((name) => `${page}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('every decision is in the index, and only once', () => {
  const index = pages.find(({ path }) => path === 'docs/adr/README.md')!.text;
  const decisions = pages.flatMap(({ path }) => /^docs\/adr\/(\d{4}-.*)$/.exec(path)?.[1] ?? []);
  assert.deepEqual(linksOf(index), decisions);
});

test('numbers of invariants are unique', () => {
  const spec = pages.find(({ path }) => path === 'packages/machine/SPEC.md')!.text;
  const numbers = [...spec.matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(([, number]) => number!);
  assert.ok(numbers.length > 80);
  assert.deepEqual(
    numbers.filter((number, index) => numbers.indexOf(number) !== index),
    [],
  );
});
