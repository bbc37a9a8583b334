import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, shownCommands } from './blocks.ts';

const page = `Text.

\`\`\`sh
one
two
\`\`\`

<!-- block: in the background, ready at "is ready" -->
\`\`\`sh
serve
\`\`\`
<!-- block: not run, because it needs a cloud -->
\`\`\`sh
deploy
\`\`\`
\`\`\`console
$ a
b
c
$ d
\`\`\`
`;

test('blocks come in the order of the page, with what is noted before them', () => {
  assert.deepEqual(blocksOf(page), [
    { language: 'sh', text: 'one\ntwo\n', line: 3 },
    { language: 'sh', text: 'serve\n', line: 9, readyAt: 'is ready' },
    { language: 'sh', text: 'deploy\n', line: 13, notRun: 'it needs a cloud' },
    { language: 'console', text: '$ a\nb\nc\n$ d\n', line: 16 },
  ]);
});

test('a block that shows outputs is taken apart', () => {
  assert.deepEqual(shownCommands(blocksOf(page).at(-1)!), [
    { command: 'a', output: 'b\nc' },
    { command: 'd', output: '' },
  ]);
});

test('a misspelt note is an error, and so is a block without an end', () => {
  assert.throws(() => blocksOf('<!-- block: later -->\n```sh\na\n```\n'), /cannot be "later"/);
  assert.throws(() => blocksOf('```sh\na\n'), /no end/);
});
