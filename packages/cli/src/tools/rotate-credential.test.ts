import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';

test('a password is rotated, only the new one is printed, and the old one is ended', async (t) => {
  const { url, key, client } = await startTestApi(t);
  const { virtual_cluster_id } = await client.call('create_virtual_cluster', {
    virtual_cluster_name: 'orders',
  });
  const { username, id } = await client.call('create_virtual_cluster_credentials', {
    virtual_cluster_id,
    credentials_name: 'shop',
  });
  const run = (...words: readonly string[]) =>
    runArguments(['cli', ...words], { environment: { SERVICE_API_URL: url, SERVICE_API_KEY: key } });
  const listed = async () => {
    const { credentials } = await client.call('list_virtual_cluster_credentials', { virtual_cluster_id });
    return credentials[0]!;
  };

  const rotated = await run('rotate-credential', '-credential', 'shop');
  assert.equal(rotated.status, 0, rotated.err);
  assert.match(rotated.out, /^ccp_[0-9a-f]{64}\n$/);
  const { old_password, password_created_at } = await listed();
  const { ends_at } = old_password!;
  assert.equal(Date.parse(ends_at) - Date.parse(password_created_at!), 86_400_000);
  assert.equal(
    rotated.err,
    `weir cli rotate-credential: rotated ccn_shop (${username}); the old password is valid until ${ends_at}; the new one is shown only once\n`,
  );
  const again = await run('rotate-credential', '-credential', 'ccn_shop');
  assert.deepEqual([again.status, again.out], [1, '']);
  assert.match(again.err, /its old password is valid until .*End that one first\./);

  const ended = await run('end-rotation', '-credential', username);
  assert.deepEqual(ended, { status: 0, out: 'the old password of ccn_shop has ended\n', err: '' });
  assert.equal((await listed()).old_password, null);
  assert.match((await run('end-rotation', '-credential', id)).err, /has no old password/);

  const atOnce = await run('rotate-credential', '-credential', id, '-overlap', '0s', '-output', 'json');
  const { password, ...rest } = JSON.parse(atOnce.out) as Record<string, unknown>;
  assert.match(String(password), /^ccp_/);
  assert.deepEqual(rest, { id, name: 'ccn_shop', username, old_password_ends_at: null });
  assert.match(atOnce.err, /the old password has ended/);
});

// words, what is wrong
const refused: readonly (readonly [string, RegExp])[] = [
  ['rotate-credential', /-credential/],
  ['rotate-credential -credential shop -overlap 31d', /-overlap/],
  ['end-rotation', /-credential/],
  ['end-rotation -credential shop -overlap 1d', /-overlap/],
];

for (const [words, problem] of refused) {
  test(`refused: ${words}`, async () => {
    const run = await runArguments(['cli', ...words.split(' ')]);
    assert.equal(run.status, 2);
    assert.match(run.err, problem);
  });
}

test('a credential that does not exist is named, with those that do', async (t) => {
  const { url, key, client } = await startTestApi(t);
  const { virtual_cluster_id } = await client.call('create_virtual_cluster', {
    virtual_cluster_name: 'orders',
  });
  const run = () =>
    runArguments(['cli', 'end-rotation', '-credential', 'bank'], {
      environment: { SERVICE_API_URL: url, SERVICE_API_KEY: key },
    });
  assert.match((await run()).err, /-credential=bank: not found; the cluster has no credentials\n$/);
  await client.call('create_virtual_cluster_credentials', { virtual_cluster_id, credentials_name: 'shop' });
  assert.match((await run()).err, /-credential=bank: not found; the cluster has ccn_shop\n$/);
});
