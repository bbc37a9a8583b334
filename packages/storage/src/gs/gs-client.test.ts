import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { error, startFakeGcs } from '../../testing/fake-gcs.ts';
import { Renewed } from '../store-http/renewed.ts';
import { GsClient } from './gs-client.ts';

const content = [Buffer.from('x')];

/** A client with numbered tokens, and a server that takes only the tokens of a list. */
async function withTokens(
  accepted: readonly string[],
  check: (client: GsClient, used: readonly (string | undefined)[]) => Promise<void>,
): Promise<void> {
  const fake = await startFakeGcs(systemClock);
  const used: (string | undefined)[] = [];
  fake.intercept = ({ headers: { authorization } }) => {
    used.push(authorization);
    return accepted.some((token) => authorization === `Bearer ${token}`)
      ? undefined
      : error(401, 'authError', 'Invalid Credentials');
  };
  let issued = 0;
  const source = async () => ({ token: `token-${issued++}`, expiresMs: systemClock.nowMs() + 3_600_000 });
  const tokens = new Renewed({
    clock: systemClock,
    subject: 'gs://bucket',
    renew: source,
    renewAheadMs: 60_000,
  });
  const location = { bucket: 'bucket', endpoint: `http://${fake.address}`, isAnonymous: false };
  const client = new GsClient({ location, clock: systemClock, tokens });
  try {
    await check(client, used);
  } finally {
    client.close();
    await fake.stop();
  }
}

test('all requests carry the same token', () =>
  withTokens(['token-0'], async (client, used) => {
    await client.insert({ key: 'a', content }, undefined);
    await client.head('a', undefined);
    await client.delete('a', undefined);
    assert.deepEqual(used, ['Bearer token-0', 'Bearer token-0', 'Bearer token-0']);
  }));

test('a request whose token was refused is sent once more, with another', () =>
  withTokens(['token-1'], async (client, used) => {
    await client.insert({ key: 'a', content }, undefined);
    await client.head('a', undefined);
    assert.deepEqual(used, ['Bearer token-0', 'Bearer token-1', 'Bearer token-1']);
  }));

test('credentials whose tokens are refused are denied, without the token in the error', () =>
  withTokens([], async (client, used) => {
    await assert.rejects(
      client.insert({ key: 'a', content }, undefined),
      (caught: Error & { kind?: string }) => caught.kind === 'denied' && !caught.message.includes('token-'),
    );
    assert.equal(used.length, 2);
  }));
