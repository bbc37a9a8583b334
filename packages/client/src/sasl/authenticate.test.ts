import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '@weir/core';
import { apis } from '@weir/wire';
import { FakeKafka, type FakeKafkaOptions } from '../../testing/fake-kafka.ts';
import type { FakeSaslOptions } from '../../testing/fake-sasl.ts';
import { KafkaConnection } from '../connection.ts';
import { ConnectionFailed } from '../connection-failed.ts';
import type { SaslLogin } from './login.ts';
import { LoginFailed } from './login-failed.ts';

const timeoutMs = 10_000;

const sasl: FakeSaslOptions = {
  mechanisms: ['PLAIN', 'SCRAM-SHA-512', 'OAUTHBEARER'],
  users: { alice: 'wonder' },
  tokens: new Set(['good-token']),
  isRequired: true,
};

function byPassword(
  mechanism: 'PLAIN' | 'SCRAM-SHA-512',
  password = 'wonder',
  username = 'alice',
): SaslLogin {
  return { mechanism, username, password };
}

function byToken(...tokens: readonly string[]): SaslLogin {
  let turn = 0;
  return { mechanism: 'OAUTHBEARER', token: async () => tokens[Math.min(turn++, tokens.length - 1)]! };
}

async function fakeKafka(t: TestContext, options: FakeKafkaOptions): Promise<FakeKafka> {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  return fake;
}

function open(fake: FakeKafka, login: SaslLogin | undefined, clock: Clock = systemClock) {
  return KafkaConnection.open({
    address: { host: '127.0.0.1', port: fake.port() },
    clientId: 'test',
    timeoutMs,
    clock,
    stop: new AbortController().signal,
    login,
  });
}

const requestMetadata = (connection: KafkaConnection) =>
  connection.request(apis.Metadata, { topics: [] }, { timeoutMs });

test('every mechanism logs in before the first request', async (t) => {
  const cases: readonly [login: SaslLogin, rounds: number][] = [
    [byPassword('PLAIN'), 1],
    [byPassword('SCRAM-SHA-512'), 2],
    [byToken('good-token'), 1],
  ];
  for (const [login, rounds] of cases) {
    const fake = await fakeKafka(t, { sasl });
    const connection = await open(fake, login);
    await requestMetadata(connection);
    connection.close();
    assert.deepEqual(
      fake.requests.map(({ api, version }) => `${api} ${version}`),
      [
        'ApiVersions 4',
        'SaslHandshake 1',
        ...Array.from({ length: rounds }, () => 'SaslAuthenticate 2'),
        'Metadata 13',
      ],
      login.mechanism,
    );
  }
});

test('a failed login reports the reason and the flag that helps, and no secret', async (t) => {
  const onlyScram = { ...sasl, mechanisms: ['SCRAM-SHA-512'] };
  const spoiled = { ...sasl, spoil: (message: string) => message.replace(/^v=.*/, 'v=AAAA') };
  const cases: readonly [sasl: FakeSaslOptions | undefined, SaslLogin, LoginFailed['problem'], RegExp][] = [
    [
      sasl,
      byPassword('PLAIN', 'hunter2'),
      'refused',
      /: PLAIN authentication failed: wrong user or password; check -username and -password$/,
    ],
    [
      sasl,
      byPassword('SCRAM-SHA-512', 'hunter2'),
      'refused',
      /SCRAM-SHA-512 authentication failed: wrong user/,
    ],
    [
      sasl,
      byPassword('SCRAM-SHA-512', 'hunter2', 'bob'),
      'refused',
      /SCRAM-SHA-512 authentication failed: wrong user/,
    ],
    [
      sasl,
      byToken('hunter2'),
      'refused',
      /OAUTHBEARER authentication failed: bad token invalid_token; check the issuer/,
    ],
    [
      onlyScram,
      byPassword('PLAIN', 'hunter2'),
      'mechanism not enabled',
      /: the mechanism PLAIN is not enabled; the broker enables SCRAM-SHA-512: choose one with -sasl-mechanism$/,
    ],
    [
      undefined,
      byPassword('PLAIN', 'hunter2'),
      'no login here',
      /: this listener does not use SASL; remove -username and -password/,
    ],
    [
      spoiled,
      byPassword('SCRAM-SHA-512'),
      'server unproven',
      /its signature is wrong; the server may not be one of your brokers/,
    ],
  ];
  for (const [options, login, problem, line] of cases) {
    const fake = await fakeKafka(t, options === undefined ? {} : { sasl: options });
    await assert.rejects(open(fake, login), (error) => {
      assert.ok(error instanceof LoginFailed, String(error));
      assert.equal(error.problem, problem, error.message);
      assert.match(error.message, line);
      assert.doesNotMatch(error.message, /hunter2|wonder/);
      return true;
    });
  }
});

test('a broker that is too old for a login is reported', async (t) => {
  const fake = await fakeKafka(t, {
    script: {
      ApiVersions: () => ({
        errorCode: 0,
        apiKeys: [{ apiKey: apis.Metadata.key, minVersion: 0, maxVersion: 9 }],
      }),
    },
  });
  await assert.rejects(
    open(fake, byPassword('PLAIN')),
    /: the broker does not support SASL; remove -username/,
  );
});

test('a broker that closes an anonymous connection most likely requires a login', async (t) => {
  const fake = await fakeKafka(t, { sasl });
  const connection = await open(fake, undefined);
  await assert.rejects(requestMetadata(connection), (error) => {
    assert.ok(error instanceof ConnectionFailed);
    assert.equal(error.problem, 'login wanted');
    assert.match(
      error.message,
      /closed the connection at the first request; the broker probably requires authentication: -username and /,
    );
    return true;
  });
});

/** A clock that advances only when the test moves it. */
function standingClock() {
  let nowMs = 0;
  return {
    clock: { ...systemClock, monotonicMs: () => nowMs } satisfies Clock,
    advance(byMs: number) {
      nowMs += byMs;
    },
  };
}

test('a login is renewed before it expires, between requests that wait for it', async (t) => {
  const { clock, advance } = standingClock();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let slowCame = () => {};
  const slowIsThere = new Promise<void>((resolve) => {
    slowCame = resolve;
  });
  const fake = await fakeKafka(t, {
    sasl: { ...sasl, sessionLifetimeMs: 60_000 },
    topics: { slow: 1 },
    script: {
      async Metadata({ topics }) {
        if (topics?.length === 1) {
          slowCame();
          await held;
        }
        return undefined;
      },
    },
  });
  const connection = await open(fake, byPassword('SCRAM-SHA-512'), clock);
  const slow = connection.request(apis.Metadata, { topics: [{ name: 'slow' }] }, { timeoutMs });
  await slowIsThere;
  advance(53_000);
  await requestMetadata(connection);
  assert.equal(fake.count('SaslHandshake'), 1, 'it is too early');
  advance(2_000);
  const waiting = [requestMetadata(connection), requestMetadata(connection)];
  assert.equal(fake.count('SaslHandshake'), 1, 'one request is on its way');
  release();
  await slow;
  await Promise.all(waiting);
  assert.equal(fake.count('SaslHandshake'), 2);
  assert.deepEqual(
    fake.requests.slice(-5).map(({ api }) => api),
    ['SaslHandshake', 'SaslAuthenticate', 'SaslAuthenticate', 'Metadata', 'Metadata'],
  );
  advance(53_000);
  await requestMetadata(connection);
  assert.equal(fake.count('SaslHandshake'), 2, 'the time counts from the last login');
  connection.close();
});

test('a renewal uses the current token, and a failed one closes the connection for all pending requests', async (t) => {
  const { clock, advance } = standingClock();
  const tokens = new Set(['first', 'second']);
  const fake = await fakeKafka(t, { sasl: { ...sasl, tokens, sessionLifetimeMs: 1_000 } });
  const connection = await open(fake, byToken('first', 'second', 'expired'), clock);
  advance(900);
  await requestMetadata(connection);
  assert.equal(fake.count('SaslHandshake'), 2);
  advance(900);
  const waiting = [requestMetadata(connection), requestMetadata(connection)];
  for (const one of waiting) await assert.rejects(one, LoginFailed);
  assert.ok(connection.isClosed);
  await assert.rejects(requestMetadata(connection), ConnectionFailed);
  assert.equal(fake.count('SaslHandshake'), 3);
});
