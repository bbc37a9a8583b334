import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startAgentUnderTest } from '@weir/agent/testing';
import {
  addUser,
  errorName,
  logInByPassword,
  logInByScram,
  logInByToken,
  type RequestBody,
  type TestClient,
} from '@weir/broker/testing';
import { pause, until } from '@weir/core/testing';

const dayMs = 86_400_000;

async function stage(t: TestContext) {
  const { cluster, connect, clock } = await startAgentUnderTest(t, {
    sasl: { isRequired: false, passwordMechanisms: ['PLAIN', 'SCRAM-SHA-512'], sessionMsMax: 0 },
  });
  for (const user of ['ann', 'bob', 'eve']) addUser(cluster, user, `password of ${user}`);
  addUser(cluster, 'root', 'password of root', { name: 'ccn_root', isSuperuser: true });
  const as = async (user: string) => {
    const client = await connect();
    assert.equal((await logInByPassword(client, user, `password of ${user}`)).errorCode, 0);
    return client;
  };
  await pause();
  /** Logs in when the token has arrived at the agent. */
  const withToken = async (tokenId: string, hmac: Uint8Array) => {
    for (;;) {
      const client = await connect();
      if ((await inTime(logInByToken(client, tokenId, hmac))).errorCode === 0) return client;
    }
  };
  /** Waits for an answer that is delayed. */
  const inTime = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    let isThere = false;
    const there = () => {
      isThere = true;
    };
    answer.then(there, there);
    await until(() => {
      clock.advance(isThere ? 0 : 10);
      return isThere;
    });
    return answer;
  };
  return { cluster, connect, clock, as, withToken, inTime };
}

const create = (
  client: TestClient,
  differences: Partial<RequestBody<'CreateDelegationToken'>> = {},
  version = 3,
) => client.call('CreateDelegationToken', version, { renewers: [], maxLifetimeMs: -1n, ...differences });

const user = (principalName: string) => ({ principalType: 'User', principalName });

test('a client logs in with a token as its owner, and cannot make others with it', async (t) => {
  const { as, connect, withToken, inTime } = await stage(t);
  const ann = await as('ann');
  for (const version of [1, 2, 3]) {
    const { errorCode, tokenId, hmac, ...rest } = await create(ann, {}, version);
    assert.equal(errorName(errorCode), 'NONE');
    assert.equal(hmac.length, 64);
    assert.match(tokenId, /^[\w-]{22}$/);
    assert.deepEqual([rest.principalType, rest.principalName], ['User', 'ann']);
    if (version >= 3) assert.equal(rest.tokenRequesterPrincipalName, 'ann');
    assert.equal(rest.maxTimestampMs - rest.issueTimestampMs, BigInt(7 * dayMs));
    assert.equal(rest.expiryTimestampMs - rest.issueTimestampMs, BigInt(dayMs));
    if (version < 3) continue;
    const client = await withToken(tokenId, hmac);
    for (const [api, body] of [
      ['CreateDelegationToken', { renewers: [], maxLifetimeMs: -1n }],
      ['RenewDelegationToken', { hmac, renewPeriodMs: -1n }],
      ['ExpireDelegationToken', { hmac, expiryTimePeriodMs: -1n }],
      ['DescribeDelegationToken', { owners: null }],
    ] as const) {
      const answer = await client.call(api, 2, body as never);
      assert.equal(errorName(answer.errorCode), 'DELEGATION_TOKEN_REQUEST_NOT_ALLOWED', api);
    }
    const password = Buffer.from(hmac).toString('base64');
    const { errorCode: withoutExtension } = await inTime(logInByScram(await connect(), tokenId, password));
    assert.equal(errorName(withoutExtension), 'SASL_AUTHENTICATION_FAILED', 'the id of a token is no user');
  }
});

test('a client that has not authenticated manages no tokens', async (t) => {
  const { connect } = await stage(t);
  const client = await connect();
  const { errorCode, issueTimestampMs, hmac } = await create(client);
  assert.equal(errorName(errorCode), 'DELEGATION_TOKEN_REQUEST_NOT_ALLOWED');
  assert.deepEqual([issueTimestampMs, hmac.length], [-1n, 0]);
  const renewed = await client.call('RenewDelegationToken', 2, { hmac: Buffer.from('x'), renewPeriodMs: 1n });
  assert.deepEqual(
    [errorName(renewed.errorCode), renewed.expiryTimestampMs],
    ['DELEGATION_TOKEN_REQUEST_NOT_ALLOWED', -1n],
  );
});

test('owners and renewers renew, end and see a token; an ended one is refused', async (t) => {
  const { as, connect, withToken, inTime } = await stage(t);
  const [ann, bob, eve] = [await as('ann'), await as('bob'), await as('eve')];
  const { tokenId, hmac } = await create(ann, { renewers: [user('bob')] });
  await withToken(tokenId, hmac);
  const seenBy = async (client: TestClient, owners: readonly string[] | null) => {
    const { errorCode, tokens } = await client.call('DescribeDelegationToken', 3, {
      owners: owners === null ? null : owners.map(user),
    });
    assert.equal(errorName(errorCode), 'NONE');
    return tokens.map((token) => [token.tokenId, token.hmac.equals(hmac)]);
  };
  const it = [[tokenId, true]];
  assert.deepEqual(await seenBy(ann, null), it);
  assert.deepEqual(await seenBy(ann, ['ann']), it);
  assert.deepEqual(await seenBy(ann, ['bob']), it, 'a renewer counts as an owner');
  assert.deepEqual(await seenBy(ann, ['eve']), []);
  assert.deepEqual(await seenBy(ann, []), []);
  assert.deepEqual(await seenBy(bob, null), it);

  const renew = async (client: TestClient, secret: Buffer) =>
    errorName((await client.call('RenewDelegationToken', 2, { hmac: secret, renewPeriodMs: -1n })).errorCode);
  assert.equal(await renew(ann, hmac), 'NONE');
  assert.equal(await renew(bob, hmac), 'NONE');
  assert.equal(await renew(eve, hmac), 'DELEGATION_TOKEN_OWNER_MISMATCH');
  assert.equal(await renew(ann, Buffer.alloc(64)), 'DELEGATION_TOKEN_NOT_FOUND');
  const wrong = await inTime(logInByToken(await connect(), tokenId, Buffer.alloc(64)));
  assert.equal(errorName(wrong.errorCode), 'SASL_AUTHENTICATION_FAILED');

  const { errorCode } = await bob.call('ExpireDelegationToken', 2, { hmac, expiryTimePeriodMs: -1n });
  assert.equal(errorName(errorCode), 'NONE');
  assert.equal(await renew(ann, hmac), 'DELEGATION_TOKEN_NOT_FOUND');
  const comes = async () => (await inTime(logInByToken(await connect(), tokenId, hmac))).errorCode === 0;
  // Until the agent has learned of it.
  while (await comes()) await pause();
});

test('a session lasts no longer than its token', async (t) => {
  const { as, withToken, clock, cluster } = await stage(t);
  const ann = await as('ann');
  const { tokenId, hmac } = await create(ann, { maxLifetimeMs: 60_000n });
  const client = await withToken(tokenId, hmac);
  const isServed = async () => {
    client.send('Metadata', 9, { topics: [] });
    return (await client.frame()) !== undefined;
  };
  assert.equal(await isServed(), true);
  clock.advance(60_001);
  cluster.clock.advance(60_001);
  assert.equal(await isServed(), false);
});

test('what is no user is refused', async (t) => {
  const { as } = await stage(t);
  const root = await as('root');
  for (const [what, differences, error] of [
    [
      'a group as renewer',
      { renewers: [{ principalType: 'Group', principalName: 'g' }] },
      'INVALID_PRINCIPAL_TYPE',
    ],
    ['everyone as renewer', { renewers: [user('*')] }, 'INVALID_PRINCIPAL_TYPE'],
    ['a group as owner', { ownerPrincipalType: 'Group', ownerPrincipalName: 'g' }, 'INVALID_PRINCIPAL_TYPE'],
    [
      'anonymous as owner',
      { ownerPrincipalType: 'User', ownerPrincipalName: 'ANONYMOUS' },
      'INVALID_PRINCIPAL_TYPE',
    ],
    [
      'an owner without type',
      { ownerPrincipalType: null, ownerPrincipalName: 'ann' },
      'INVALID_PRINCIPAL_TYPE',
    ],
    ['no owner', { ownerPrincipalType: 'Group', ownerPrincipalName: '' }, 'NONE'],
    ['another owner', { ownerPrincipalType: 'User', ownerPrincipalName: 'ann' }, 'NONE'],
  ] as const)
    assert.equal(errorName((await create(root, differences)).errorCode), error, what);
});
