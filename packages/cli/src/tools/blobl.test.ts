import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runArguments } from '../../testing/command-run.ts';

const blobl = (flags: readonly string[], ...input: string[]) =>
  runArguments(['cli', 'blobl', ...flags], { input });

test('a mapping runs on every line', async () => {
  const found = await blobl(
    ['-mapping', 'root = if this.a > 1 { this.a } else { deleted() }'],
    '{"a":1}\n{"a":2}\n\n{"a"',
    ':3}',
  );
  assert.deepEqual(found, { status: 0, out: '2\n3\n', err: '' });
});

test('a failure names the line, and the others go on', async () => {
  const found = await blobl(['-mapping', 'root = this.a.uppercase()'], '{"a":1}\n{"a":"x"}\n');
  assert.equal(found.status, 1);
  assert.equal(found.out, 'X\n');
  assert.equal(
    found.err,
    'line 1: failed assignment (line 1): expected string value, got number from field `this.a` (1)\n',
  );
});

test('a mistake has a caret', async () => {
  assert.deepEqual(await blobl(['-mapping', 'root = this.a.upercase()']), {
    status: 1,
    out: '',
    err: "line 1, column 15: unrecognised method 'upercase'; did you mean uppercase?\nroot = this.a.upercase()\n              ^\n",
  });
});

test('a file may import files beside it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-blobl-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'maps.blobl'), 'map twice {\n  root = this * 2\n}\n');
  writeFileSync(
    join(folder, 'main.blobl'),
    'import "maps.blobl"\nroot.b = this.a.apply("twice")\nmeta k = "v"\n',
  );
  const path = join(folder, 'main.blobl');
  assert.equal((await blobl(['-mapping-file', path], '{"a":2}')).out, '{"b":4}\n');
  const json = await blobl(['-mapping-file', path, '-output', 'json'], '{"a":2}');
  assert.deepEqual(JSON.parse(json.out), { kind: 'value', content: '{"b":4}', metadata: { k: 'v' } });
});

test('without a mapping, lines are mappings', async () => {
  const found = await blobl([], 'root = this.a | "none"\ninput {"a":7}\nroot = this.a\nroot = (\n');
  assert.equal(found.out, 'none\n7\n');
  assert.match(found.err, /^line 1, column 9: /);
  assert.equal(found.status, 1);
});

test('both kinds of mapping exclude each other', async () => {
  const found = await blobl(['-mapping', 'this', '-mapping-file', 'x']);
  assert.match(found.err, /exclude each other/);
});
