import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openSecretBox, parseSecretKeys } from './secret-key-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-secret-key-'));
after(() => rmSync(folder, { recursive: true }));

test('secret keys: processes that start together beside one SQLite file have the same key', async () => {
  const place = join(folder, 'together');
  const databaseUrl = join(place, 'weir.db');
  const boxes = await Promise.all(
    Array.from({ length: 8 }, () => openSecretBox({ databaseUrl, randomBytes })),
  );
  const sealed = boxes[0]!.seal('secret', 'x');
  for (const box of boxes) assert.equal(box!.open(sealed, 'x'), 'secret');
  const later = await openSecretBox({ databaseUrl, randomBytes });
  assert.equal(later!.open(sealed, 'x'), 'secret');
  assert.deepEqual(readdirSync(place), ['weir.db.secret-key'], 'no draft stays');
  assert.equal(statSync(join(place, 'weir.db.secret-key')).mode & 0o777, 0o600);
});

test('secret keys: a file that others can read is refused, and not replaced', async () => {
  const path = join(folder, 'open.db.secret-key');
  writeFileSync(path, `${'ab'.repeat(32)}\n`);
  chmodSync(path, 0o644);
  await assert.rejects(openSecretBox({ databaseUrl: join(folder, 'open.db'), randomBytes }), /chmod it/);
  assert.equal(readFileSync(path, 'utf8'), `${'ab'.repeat(32)}\n`);
});

test('secret keys: the location depends on the database', async () => {
  const keyFile = join(folder, 'named');
  writeFileSync(keyFile, 'ab'.repeat(32), { mode: 0o600 });
  const cases: [databaseUrl: string, keyFile: string | undefined, hasBox: boolean][] = [
    ['memory://x', undefined, true],
    ['postgres://host/x', undefined, false],
    ['postgres://host/x', keyFile, true],
    [join(folder, 'x.db'), keyFile, true],
  ];
  for (const [databaseUrl, file, hasBox] of cases) {
    const box = await openSecretBox({ databaseUrl, keyFile: file, randomBytes });
    assert.equal(box !== undefined, hasBox, databaseUrl);
  }
  await assert.rejects(
    openSecretBox({ databaseUrl: 'x', keyFile: join(folder, 'none'), randomBytes }),
    /ENOENT/,
  );
});

test('secret keys: one per line', () => {
  const [one, two] = ['ab'.repeat(32), 'CD'.repeat(32)];
  assert.deepEqual(
    parseSecretKeys(`${one}\n\n ${two} \n`).map((key) => key.length),
    [32, 32],
  );
  const wrong: [text: string, problem: RegExp][] = [
    ['', /no key found/],
    [`${one}\nsecret`, /^Error: line 2 is not a key of 64 hex digits$/],
    [`${one}0`, /line 1/],
    [`${one}\n`.repeat(17), /17 keys; at most 16/],
  ];
  for (const [text, problem] of wrong) assert.throws(() => parseSecretKeys(text), problem);
});
