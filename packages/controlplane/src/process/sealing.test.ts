import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { jsonLog } from '@weir/core';
import { openSealing } from './sealing.ts';

async function stage(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'weir-sealing-'));
  t.after(() => rm(folder, { recursive: true }));
  const lines: { level: string; message: string; error: string }[] = [];
  const log = jsonLog({ level: 'debug', nowMs: () => 0, write: (line) => lines.push(JSON.parse(line)) });
  const keysFile = join(folder, 'keys');
  await writeFile(keysFile, `${'5e'.repeat(32)}\n`, { mode: 0o600 });
  return { folder, keysFile, lines, log };
}

test('PostgreSQL without a file of keys has no single sign-on, and the log says so and what to do', async (t) => {
  const { log, lines } = await stage(t);
  assert.equal(await openSealing({ databaseUrl: 'postgres://db/weir', log }, randomBytes), undefined);
  const [line, ...others] = lines;
  assert.deepEqual(
    [line?.level, line?.message],
    ['warn', 'disabled single sign-on: no sealing keys configured'],
  );
  assert.match(line!.error, /PostgreSQL.*openssl rand -hex 32.*-sealingKeysFile/);
  assert.deepEqual(others, []);
});

test('with a file, beside SQLite and in memory nothing is logged', async (t) => {
  const { folder, keysFile, log, lines } = await stage(t);
  const settings = [
    { databaseUrl: 'postgres://db/weir', sealingKeysFile: keysFile },
    { databaseUrl: join(folder, 'weir.db') },
    { databaseUrl: 'memory://x' },
  ];
  for (const setting of settings) {
    const box = await openSealing({ ...setting, log }, randomBytes);
    assert.equal(box?.open(box.seal('secret', 'test'), 'test'), 'secret', setting.databaseUrl);
  }
  assert.deepEqual(lines, []);
});

test('an unusable file is named with its flag', async (t) => {
  const { folder, log } = await stage(t);
  const sealingKeysFile = join(folder, 'none');
  await assert.rejects(
    openSealing({ databaseUrl: 'postgres://db/weir', sealingKeysFile, log }, randomBytes),
    {
      message: new RegExp(`^-sealingKeysFile ${sealingKeysFile}: `),
    },
  );
});
