import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { coreLimits } from '@weir/core';
import { type RunOptions, runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';

const value = 'correct-horse-battery';

test('a secret is created, listed, rotated and deleted, and its value is never printed', async (t) => {
  const { url, key, client } = await startTestApi(t);
  const { virtual_cluster_id } = await client.call('create_virtual_cluster', {
    virtual_cluster_name: 'orders',
  });
  const environment = { SERVICE_API_URL: url, SERVICE_API_KEY: key };
  const weir = async (line: string, options: RunOptions = {}) => {
    const run = await runArguments(['secret', ...line.split(' ').filter(Boolean)], {
      environment,
      ...options,
    });
    assert.ok(!(run.out + run.err).includes('horse'), run.out + run.err);
    return run;
  };
  const made = await weir('create -secret-name one', { input: [`${value}\n`] });
  assert.deepEqual(made, { status: 0, out: 'made one\n', err: '' });
  const again = await weir('create -secret-name one -cluster orders', { input: ['x'] });
  assert.deepEqual([again.status, again.out], [1, '']);
  assert.match(again.err, /The cluster already has a secret named "one"/);

  const folder = mkdtempSync(join(tmpdir(), 'weir-secrets-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string | Uint8Array) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const rotated = await weir(
    `rotate -secret-name one -secret-file ${file('good', `${value}2`)} -output json`,
  );
  assert.deepEqual(JSON.parse(rotated.out), { name: 'one', version: 2 });
  const most = 'x'.repeat(coreLimits.secretBytesMax);
  assert.equal((await weir(`create -secret-name two -secret-file ${file('most', `${most}\r\n`)}`)).status, 0);
  // file, what is wrong
  const refused: readonly (readonly [string, RegExp])[] = [
    [join(folder, 'missing'), /failed to read the file \(ENOENT\)/],
    [file('empty', '\n'), /is empty/],
    [file('bytes', Uint8Array.of(255, 254)), /is not a text in UTF-8/],
    [file('large', `${most}xxx`), /is larger than 16/],
    [file('zero', 'a\0b'), /has control characters/],
  ];
  for (const [path, problem] of refused) {
    const run = await weir(`rotate -secret-name one -secret-file ${path}`);
    assert.equal(run.status, 1, path);
    assert.match(run.err, problem);
  }

  const listed = await weir('list');
  assert.match(
    listed.out,
    /^NAME +VERSION +UPDATED +BY +EXPORTERS +USED BY\none +2 .* akn_test +no +-\ntwo +1 /,
  );
  const { secrets } = await client.call('list_secrets', { virtual_cluster_id });
  assert.deepEqual(JSON.parse((await weir('list -output json')).out), { secrets });
  assert.deepEqual((await weir('delete -secret-name one')).out, 'deleted one\n');
  assert.equal((await weir('delete -secret-name one')).status, 1);
  await weir('delete -secret-name two');
  assert.equal((await weir('list')).out, 'no secrets\n');
});

test('a value cannot be given as a flag or a word, and a name has to be', async () => {
  const nameless = await runArguments(['secret', 'create'], { environment: { SERVICE_API_URL: 'http://h' } });
  assert.equal(nameless.status, 2);
  assert.match(nameless.err, /-secret-name/);
  for (const words of [['-secret', value], ['-secretValue', value], [value]]) {
    const run = await runArguments(['secret', 'create', '-secret-name', 'one', ...words]);
    assert.equal(run.status, 2);
    assert.ok(!run.err.includes(value), run.err);
  }
  const help = await runArguments(['secret']);
  assert.equal(help.status, 0);
  for (const word of ['create', 'list', 'rotate', 'delete'])
    assert.match(help.out, new RegExp(`secret ${word}`));
});
