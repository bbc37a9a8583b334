import assert from 'node:assert/strict';
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { describe, test } from 'node:test';
import type { RequestBody } from '@weir/broker/testing';
import { answered, codeOf, type LeaderAgent, startLeaderAgent, startTestAgent } from '@weir/broker/testing';
import { until } from '@weir/core/testing';
import type { ErrorName } from '@weir/wire';

const sha256 = 1;
const sha512 = 2;
const salt = Buffer.from('a salt of some bytes');
const password = 'correct horse';
const saltedPassword = pbkdf2Sync(password, salt, 4096, 64, 'sha512');

function upsertion(name: string, differences: object = {}) {
  return { name, mechanism: sha512, iterations: 4096, salt, saltedPassword, ...differences };
}

type Change = Partial<RequestBody<'AlterUserScramCredentials'>>;

async function alter(agent: Pick<LeaderAgent, 'call'>, change: Change): Promise<Record<string, number>> {
  const body = { deletions: [], upsertions: [], ...change };
  const { results } = answered(await agent.call('AlterUserScramCredentials', 0, body));
  return Object.fromEntries(results.map(({ user, errorCode }) => [user, errorCode]));
}

async function describeUsers(agent: Pick<LeaderAgent, 'call'>, users: string[] | null) {
  const names = users?.map((name) => ({ name })) ?? null;
  return answered(await agent.call('DescribeUserScramCredentials', 0, { users: names }));
}

describe('SCRAM credentials over a real leader', () => {
  const cases: [label: string, change: Change, expected: Readonly<Record<string, ErrorName>>][] = [
    [
      'two users',
      { upsertions: [upsertion('alice'), upsertion('bob', { iterations: 16_384 })] },
      { alice: 'NONE', bob: 'NONE' },
    ],
    ['a new password', { upsertions: [upsertion('bob', { iterations: 8192 })] }, { bob: 'NONE' }],
    [
      'SHA-256',
      { upsertions: [upsertion('carol', { mechanism: sha256 })] },
      { carol: 'UNSUPPORTED_SASL_MECHANISM' },
    ],
    [
      'no mechanism',
      { upsertions: [upsertion('carol', { mechanism: 0 })] },
      { carol: 'UNSUPPORTED_SASL_MECHANISM' },
    ],
    [
      'removal of SHA-256',
      { deletions: [{ name: 'alice', mechanism: sha256 }] },
      { alice: 'UNSUPPORTED_SASL_MECHANISM' },
    ],
    [
      'too few iterations',
      { upsertions: [upsertion('carol', { iterations: 4095 })] },
      { carol: 'UNACCEPTABLE_CREDENTIAL' },
    ],
    [
      'too many iterations',
      { upsertions: [upsertion('carol', { iterations: 16_385 })] },
      { carol: 'UNACCEPTABLE_CREDENTIAL' },
    ],
    ['no name', { upsertions: [upsertion('')] }, { '': 'UNACCEPTABLE_CREDENTIAL' }],
    [
      'the anonymous user',
      { upsertions: [upsertion('ANONYMOUS')] },
      { ANONYMOUS: 'UNACCEPTABLE_CREDENTIAL' },
    ],
    ['a line break', { upsertions: [upsertion('a\nb')] }, { 'a\nb': 'UNACCEPTABLE_CREDENTIAL' }],
    [
      'no salt, as Kafka takes it',
      { upsertions: [upsertion('bob', { iterations: 8192, salt: Buffer.alloc(0) })] },
      { bob: 'NONE' },
    ],
    [
      'a salt too long',
      { upsertions: [upsertion('carol', { salt: Buffer.alloc(1025) })] },
      { carol: 'UNACCEPTABLE_CREDENTIAL' },
    ],
    [
      'no salted password',
      { upsertions: [upsertion('carol', { saltedPassword: Buffer.alloc(0) })] },
      { carol: 'UNACCEPTABLE_CREDENTIAL' },
    ],
    [
      'a salted password too long',
      { upsertions: [upsertion('carol', { saltedPassword: Buffer.alloc(4097) })] },
      { carol: 'UNACCEPTABLE_CREDENTIAL' },
    ],
    [
      'a salted password of another length, as Kafka takes it',
      { upsertions: [upsertion('bob', { iterations: 8192, saltedPassword: Buffer.alloc(32, 1) })] },
      { bob: 'NONE' },
    ],
    [
      'a repeated user',
      { upsertions: [upsertion('carol'), upsertion('carol'), upsertion('dave')] },
      { carol: 'DUPLICATE_RESOURCE', dave: 'NONE' },
    ],
    [
      'removed and set',
      { deletions: [{ name: 'dave', mechanism: sha512 }], upsertions: [upsertion('dave')] },
      { dave: 'DUPLICATE_RESOURCE' },
    ],
    [
      'a repeated user with a mistake',
      { upsertions: [upsertion('carol', { mechanism: 0 }), upsertion('carol')] },
      { carol: 'UNSUPPORTED_SASL_MECHANISM' },
    ],
    [
      'an unknown credential, removed and set',
      { deletions: [{ name: 'erin', mechanism: sha512 }], upsertions: [upsertion('erin')] },
      { erin: 'RESOURCE_NOT_FOUND' },
    ],
    [
      'removal of no name',
      { deletions: [{ name: '', mechanism: sha512 }] },
      { '': 'UNACCEPTABLE_CREDENTIAL' },
    ],
    ['removal', { deletions: [{ name: 'dave', mechanism: sha512 }] }, { dave: 'NONE' }],
    [
      'removal of an unknown credential',
      { deletions: [{ name: 'dave', mechanism: sha512 }] },
      { dave: 'RESOURCE_NOT_FOUND' },
    ],
  ];

  test('are set, changed and removed', async () => {
    await using agent = await startLeaderAgent();
    for (const [label, change, expected] of cases) {
      const codes = Object.fromEntries(
        Object.entries(expected).map(([user, error]) => [user, codeOf(error)]),
      );
      assert.deepEqual(await alter(agent, change), codes, label);
    }
    const { results } = await describeUsers(agent, null);
    const known = results.map(({ user, credentialInfos }) => [
      user,
      credentialInfos[0]!.mechanism,
      credentialInfos[0]!.iterations,
    ]);
    assert.deepEqual(known, [
      ['alice', sha512, 4096],
      ['bob', sha512, 8192],
    ]);
  });

  test('are described by name, each user once', async () => {
    await using agent = await startLeaderAgent();
    await alter(agent, { upsertions: [upsertion('alice'), upsertion('erin')] });
    const { errorCode, results } = await describeUsers(agent, ['erin', 'nobody', 'alice', 'alice']);
    assert.equal(errorCode, 0);
    assert.deepEqual(
      results.map((one) => [one.user, one.errorCode, one.credentialInfos.length]),
      [
        ['erin', 0, 1],
        ['nobody', codeOf('RESOURCE_NOT_FOUND'), 0],
        ['alice', codeOf('DUPLICATE_RESOURCE'), 0],
      ],
    );
    const twice = await describeUsers(agent, ['alice', 'alice']);
    assert.deepEqual(
      twice.results.map(({ errorCode: code }) => code),
      [codeOf('DUPLICATE_RESOURCE')],
    );
  });

  test('reach agents as verification keys, without the password or its equivalent', async () => {
    await using agent = await startLeaderAgent();
    await alter(agent, { upsertions: [upsertion('frank')] });
    await until(() => agent.view.records('scramCredential').byKey.has('frank'));
    const record = Buffer.from(agent.view.records('scramCredential').byKey.get('frank')!);
    const text = record.toString();
    for (const secret of [password, saltedPassword.toString('base64'), saltedPassword.toString('hex')]) {
      assert.equal(text.includes(secret), false);
    }
    const clientKey = createHmac('sha512', saltedPassword).update('Client Key').digest();
    const storedKey = createHash('sha512').update(clientKey).digest();
    const serverKey = createHmac('sha512', saltedPassword).update('Server Key').digest();
    const columns = JSON.parse(text) as unknown[];
    assert.match(String(columns.pop()), /^\d+$/, 'when it was set');
    assert.deepEqual(columns, [
      4096,
      ...[salt, storedKey, serverKey].map((secret) => secret.toString('base64')),
    ]);
  });
});

test('NOT_CONTROLLER if the control plane is unavailable', async () => {
  const agent = await startTestAgent();
  agent.cluster.unavailable = true;
  assert.deepEqual(await alter(agent, { upsertions: [upsertion('a')] }), { a: codeOf('NOT_CONTROLLER') });
  assert.equal((await describeUsers(agent, null)).errorCode, codeOf('NOT_CONTROLLER'));
});
