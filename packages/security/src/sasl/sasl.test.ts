import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type AgentUnderTest, startAgentUnderTest } from '@weir/agent/testing';
import {
  addUser,
  bearerToken,
  codeOf,
  logIn,
  logInByPassword,
  logInByScram,
  plainToken,
  type SaslAnswer,
  ScramClient,
  servingThreadsUnderTest,
  type TestClient,
} from '@weir/broker/testing';
import type { Log, LogFields } from '@weir/core';
import { pause, until } from '@weir/core/testing';
import { startTestIssuer, type TestIssuer, testAudience } from '@weir/oidc/testing';
import type { ErrorName } from '@weir/wire';
import { securityLimits } from '../limits.ts';
import type { SaslSettings } from './create-sasl.ts';

const required: SaslSettings = {
  isRequired: true,
  passwordMechanisms: ['PLAIN', 'SCRAM-SHA-512'],
  sessionMsMax: 0,
};

/** Tables of what only handlers see, which are the same whichever thread has the connection. */
const ofHandlers = { skip: servingThreadsUnderTest() > 1 };

interface Stage extends AgentUnderTest {
  readonly lines: readonly { readonly message: string; readonly fields: LogFields }[];
  /** Waits for a response that the agent delays. */
  inTime<Result>(answer: Promise<Result>): Promise<Result>;
}

/** Starts an agent whose cluster has the users alice and root, who is a superuser. */
async function stage(t: TestContext, settings: Partial<SaslSettings> = {}): Promise<Stage> {
  const lines: { message: string; fields: LogFields }[] = [];
  const keep = (message: string, fields: LogFields = {}) => {
    lines.push({ message, fields });
  };
  const log: Log = { debug() {}, info: keep, warn: keep, error: keep, with: () => log };
  const under = await startAgentUnderTest(t, { sasl: { ...required, ...settings }, log });
  addUser(under.cluster, 'alice', 'wonderland');
  addUser(under.cluster, 'ccun_root', 'root password', { name: 'ccn_root', isSuperuser: true });
  under.cluster.addTopic('t');
  await pause();
  return {
    ...under,
    lines,
    async inTime(answer) {
      let isThere = false;
      void answer.then(
        () => {
          isThere = true;
        },
        () => {
          isThere = true;
        },
      );
      while (!isThere) {
        under.clock.advance(10);
        await pause(1);
      }
      return answer;
    },
  };
}

async function isServed(client: TestClient): Promise<boolean> {
  client.send('Metadata', 9, { topics: [{ name: 't' }] });
  return (await client.frame()) !== undefined;
}

function failure(answer: SaslAnswer): [error: number, message: string | null] {
  return [answer.errorCode, answer.errorMessage];
}

const notValid = [codeOf('SASL_AUTHENTICATION_FAILED'), 'Authentication failed: invalid credentials.'];

describe('before a login', () => {
  test('clients that must authenticate get ApiVersions, and nothing else', async (t) => {
    const { connect, metric } = await stage(t);
    const client = await connect();
    assert.equal(
      (await client.call('ApiVersions', 3, { clientSoftwareName: 'a', clientSoftwareVersion: '1' }))
        .errorCode,
      0,
    );
    assert.equal(await isServed(client), false);
    await client.closed;
    assert.equal(await metric('agent_kafka_unauthenticated_request_counter'), 1);
  });

  test('clients that need not authenticate are served, and may authenticate', async (t) => {
    const { connect } = await stage(t, { isRequired: false });
    const client = await connect();
    assert.ok(await isServed(client));
    assert.equal((await logInByScram(client, 'alice', 'wonderland')).errorCode, 0);
    assert.ok(await isServed(client));
  });

  test('the frame size is limited', async (t) => {
    const { connect } = await stage(t);
    const client = await connect();
    const length = Buffer.alloc(4);
    length.writeInt32BE(securityLimits.frameBytesBeforeLoginMax + 1);
    client.socket.write(length);
    await client.closed;
    const known = await connect();
    await logInByPassword(known, 'alice', 'wonderland');
    known.send('ApiVersions', 0, {});
    known.socket.write(length);
    assert.equal((await known.receive('ApiVersions', 0)).body.errorCode, 0);
    await pause();
    assert.equal(known.socket.destroyed, false);
  });
});

describe('a login', () => {
  test('by PLAIN and by SCRAM, in requests of every version', async (t) => {
    const { connect, metric } = await stage(t);
    for (const version of [0, 1, 2]) {
      const client = await connect();
      const shaken = await client.call('SaslHandshake', 1, { mechanism: 'PLAIN' });
      assert.deepEqual([shaken.errorCode, shaken.mechanisms], [0, ['PLAIN', 'SCRAM-SHA-512']]);
      const authBytes = plainToken('alice', 'wonderland');
      const answer = await client.call('SaslAuthenticate', version, { authBytes });
      assert.deepEqual(
        [...failure(answer), answer.authBytes.length, answer.sessionLifetimeMs],
        [0, null, 0, 0n],
      );
      assert.ok(await isServed(client));
    }
    assert.equal((await logInByScram(await connect(), 'ccun_root', 'root password')).errorCode, 0);
    const counted = (mechanism: string) =>
      metric(`agent_kafka_authentication_counter{mechanism="${mechanism}",outcome="success"}`);
    assert.deepEqual([await counted('PLAIN'), await counted('SCRAM-SHA-512')], [3, 1]);
  });

  test('with tokens without a header, after SaslHandshake v0', async (t) => {
    const { connect } = await stage(t);
    const raw = (text: string | Buffer) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(text.length);
      return Buffer.concat([length, Buffer.from(text)]);
    };
    const plain = await connect();
    // All at once: requests after a token wait until the client is authenticated.
    plain.send('SaslHandshake', 0, { mechanism: 'PLAIN' });
    plain.socket.write(raw(plainToken('alice', 'wonderland')));
    plain.send('Metadata', 9, { topics: [{ name: 't' }] });
    assert.equal((await plain.receive('SaslHandshake', 0)).body.errorCode, 0);
    assert.equal((await plain.frame())?.length, 0);
    assert.equal((await plain.receive('Metadata', 9)).body.topics.length, 1);

    const scram = await connect();
    const conversation = new ScramClient('alice', 'wonderland');
    await scram.call('SaslHandshake', 0, { mechanism: 'SCRAM-SHA-512' });
    scram.socket.write(raw(conversation.first));
    scram.socket.write(raw(conversation.final(String(await scram.frame()))));
    assert.ok(conversation.trusts(String(await scram.frame())));
    assert.ok(await isServed(scram));
  });

  test('that fails with tokens without a header closes the connection without a response', async (t) => {
    const { connect, inTime } = await stage(t);
    for (const token of [plainToken('alice', 'wrong'), Buffer.alloc(0)]) {
      const client = await connect();
      await client.call('SaslHandshake', 0, { mechanism: 'PLAIN' });
      const length = Buffer.alloc(4);
      length.writeInt32BE(token.length);
      client.socket.write(Buffer.concat([length, token]));
      assert.equal(await inTime(client.frame()), undefined);
      await client.closed;
    }
    const large = await connect();
    await large.call('SaslHandshake', 0, { mechanism: 'PLAIN' });
    const length = Buffer.alloc(4);
    length.writeInt32BE(securityLimits.saslTokenBytesMax + 1);
    large.socket.write(length);
    await large.closed;
  });
});

describe('a login that fails', () => {
  type Attempt = (client: TestClient) => Promise<SaslAnswer>;
  const tamper = (text: string) => text.replace(/p=(.)/, (_, first) => `p=${first === 'A' ? 'B' : 'A'}`);
  const attempts: readonly [label: string, attempt: Attempt, message?: RegExp][] = [
    ['a wrong password', (client) => logInByPassword(client, 'alice', 'wonder')],
    ['an unknown user', (client) => logInByPassword(client, 'nobody', 'wonderland')],
    ['a wrong password in SCRAM', (client) => logInByScram(client, 'alice', 'wonder')],
    ['an unknown user in SCRAM', (client) => logInByScram(client, 'nobody', 'wonderland')],
    [
      'a modified proof',
      (client) => {
        const scram = new ScramClient('alice', 'wonderland');
        return logIn(client, 'SCRAM-SHA-512', Buffer.from(scram.first), (challenge) =>
          Buffer.from(tamper(scram.final(challenge))),
        );
      },
    ],
    [
      'an authorization id of another user',
      (client) => logIn(client, 'PLAIN', plainToken('alice', 'wonderland', 'ccun_root')),
      /as another user/,
    ],
    ['two parts', (client) => logIn(client, 'PLAIN', Buffer.from('alice\0wonderland')), /must have 3 parts/],
    ['no password', (client) => logIn(client, 'PLAIN', plainToken('alice', '')), /empty/],
    ['no UTF-8', (client) => logIn(client, 'PLAIN', Buffer.of(0, 0xff, 0, 0xff)), /UTF-8/],
    [
      'a token that is too large',
      (client) => logIn(client, 'PLAIN', plainToken('alice', 'x'.repeat(securityLimits.saslTokenBytesMax))),
      /exceeds the limit of 65536/,
    ],
  ];
  for (const [label, attempt, message] of attempts) {
    test(label, ofHandlers, async (t) => {
      const { connect, inTime, lines, metric } = await stage(t);
      const client = await connect();
      const answer = await inTime(attempt(client));
      if (message === undefined) assert.deepEqual(failure(answer), notValid);
      else {
        assert.equal(answer.errorCode, codeOf('SASL_AUTHENTICATION_FAILED'));
        assert.match(answer.errorMessage!, message);
      }
      await client.closed;
      const failed = lines.filter((line) => line.message === 'failed to authenticate client');
      assert.equal(failed.length, 1);
      assert.ok(failed[0]!.fields.mechanism === 'PLAIN' || failed[0]!.fields.mechanism === 'SCRAM-SHA-512');
      assert.equal(JSON.stringify(lines).includes('wonder'), false, 'no password is logged');
      const mechanism = String(failed[0]!.fields.mechanism);
      const outcome = `agent_kafka_authentication_counter{mechanism="${mechanism}",outcome="failure"}`;
      assert.equal(await metric(outcome), 1);
    });
  }

  test('is reported after a delay, and later requests of the client are not served', async (t) => {
    const { connect, clock, lines } = await stage(t);
    const client = await connect();
    await client.call('SaslHandshake', 1, { mechanism: 'PLAIN' });
    client.send('SaslAuthenticate', 1, { authBytes: plainToken('alice', 'wrong') });
    client.send('Metadata', 9, { topics: null });
    await until(() => lines.some(({ message }) => message === 'failed to authenticate client'));
    clock.advance(99);
    await pause();
    assert.equal(client.socket.destroyed, false);
    clock.advance(1);
    const { body } = await client.receive('SaslAuthenticate', 1);
    assert.deepEqual(failure(body), notValid);
    assert.equal(await client.frame(), undefined);
  });

  test('does not block a valid one on another connection', async (t) => {
    const { connect, inTime } = await stage(t);
    await inTime(logInByPassword(await connect(), 'alice', 'wrong'));
    assert.equal((await logInByPassword(await connect(), 'alice', 'wonderland')).errorCode, 0);
  });

  test('with the replayed messages of another login', async (t) => {
    const { connect, inTime } = await stage(t);
    const scram = new ScramClient('alice', 'wonderland');
    let final = Buffer.alloc(0);
    const good = await logIn(await connect(), 'SCRAM-SHA-512', Buffer.from(scram.first), (challenge) => {
      final = Buffer.from(scram.final(challenge));
      return final;
    });
    assert.equal(good.errorCode, 0);
    const replayed = await inTime(logIn(await connect(), 'SCRAM-SHA-512', Buffer.from(scram.first), final));
    assert.equal(replayed.errorCode, codeOf('SASL_AUTHENTICATION_FAILED'));
  });
});

describe('a mechanism', ofHandlers, () => {
  const cases: readonly [enabled: SaslSettings['passwordMechanisms'], mechanism: string][] = [
    [['PLAIN', 'SCRAM-SHA-512'], 'SCRAM-SHA-256'],
    [['PLAIN', 'SCRAM-SHA-512'], 'OAUTHBEARER'],
    [['PLAIN', 'SCRAM-SHA-512'], 'plain'],
    [['SCRAM-SHA-512'], 'PLAIN'],
    [['PLAIN'], ''],
    [[], 'PLAIN'],
  ];
  for (const [passwordMechanisms, mechanism] of cases) {
    test(`${mechanism || 'without a name'} is refused when only [${passwordMechanisms}] is enabled`, async (t) => {
      const { connect } = await stage(t, { passwordMechanisms, isRequired: false });
      for (const version of [0, 1]) {
        const client = await connect();
        const { errorCode, mechanisms } = await client.call('SaslHandshake', version, { mechanism });
        assert.deepEqual([errorCode, mechanisms], [codeOf('UNSUPPORTED_SASL_MECHANISM'), passwordMechanisms]);
        assert.equal(await client.frame(), undefined);
      }
    });
  }
});

describe('the order of requests', () => {
  type RequestKind = 'handshake v0' | 'handshake v1' | 'token' | 'good token' | 'versions' | 'metadata';
  type Seen = ErrorName | 'served' | 'closed';

  async function ask(client: TestClient, request: RequestKind): Promise<Seen> {
    if (request === 'metadata') return (await isServed(client)) ? 'served' : 'closed';
    if (request === 'versions') client.send('ApiVersions', 0, {});
    if (request === 'token') client.send('SaslAuthenticate', 0, { authBytes: Buffer.from('token') });
    if (request === 'good token') {
      client.send('SaslAuthenticate', 0, { authBytes: plainToken('alice', 'wonderland') });
    }
    if (request.startsWith('handshake')) {
      client.send('SaslHandshake', Number(request.at(-1)), { mechanism: 'PLAIN' });
    }
    const frame = await client.frame();
    if (frame === undefined) return 'closed';
    const code = frame.readInt16BE(4);
    return code === codeOf('ILLEGAL_SASL_STATE') ? 'ILLEGAL_SASL_STATE' : 'NONE';
  }

  const cases: readonly [steps: readonly (readonly [RequestKind, Seen])[]][] = [
    [
      [
        ['token', 'ILLEGAL_SASL_STATE'],
        ['versions', 'closed'],
      ],
    ],
    [
      [
        ['handshake v1', 'NONE'],
        ['handshake v1', 'ILLEGAL_SASL_STATE'],
        ['versions', 'closed'],
      ],
    ],
    [
      [
        ['handshake v1', 'NONE'],
        ['metadata', 'closed'],
      ],
    ],
    [
      [
        ['handshake v1', 'NONE'],
        ['versions', 'closed'],
      ],
    ],
    [
      [
        ['versions', 'NONE'],
        ['versions', 'NONE'],
        ['handshake v1', 'NONE'],
        ['good token', 'NONE'],
        ['versions', 'NONE'],
        ['metadata', 'served'],
        ['token', 'ILLEGAL_SASL_STATE'],
        ['handshake v0', 'ILLEGAL_SASL_STATE'],
        ['metadata', 'served'],
        ['handshake v1', 'NONE'],
        ['good token', 'NONE'],
        ['metadata', 'served'],
        ['handshake v1', 'NONE'],
        ['metadata', 'closed'],
      ],
    ],
  ];
  for (const [steps] of cases) {
    test(steps.map(([request]) => request).join(', '), async (t) => {
      const { connect } = await stage(t);
      const client = await connect();
      for (const [index, [request, seen]] of steps.entries()) {
        assert.equal(await ask(client, request), seen, `step ${index}`);
      }
    });
  }
});

describe('a session', () => {
  const sessionMsMax = 60_000;

  test('expires, unless its client re-authenticates', async (t) => {
    const { connect, clock, metric } = await stage(t, { sessionMsMax });
    const [good, late] = [await connect(), await connect()];
    for (const client of [good, late]) {
      assert.equal((await logInByScram(client, 'alice', 'wonderland')).sessionLifetimeMs, 60_000n);
    }
    clock.advance(50_000);
    assert.equal((await logInByScram(good, 'alice', 'wonderland')).sessionLifetimeMs, 60_000n);
    assert.ok(await isServed(late));
    clock.advance(10_000);
    assert.ok(await isServed(good));
    assert.equal(await isServed(late), false);
    // After the expiry a client may still re-authenticate, but nothing else.
    clock.advance(60_000);
    assert.equal((await logInByScram(good, 'alice', 'wonderland')).errorCode, 0);
    assert.ok(await isServed(good));
    assert.equal(await metric('agent_kafka_authentication_expired_counter'), 1);
    const renewed = 'agent_kafka_authentication_counter{mechanism="SCRAM-SHA-512",outcome="renewed"}';
    assert.equal(await metric(renewed), 2);
  });

  const changes: readonly [
    label: string,
    again: (client: TestClient) => Promise<SaslAnswer>,
    message: RegExp,
  ][] = [
    ['user', (client) => logInByPassword(client, 'ccun_root', 'root password'), /user must not change/],
    ['mechanism', (client) => logInByScram(client, 'alice', 'wonderland'), /mechanism must not change/],
    ['password', (client) => logInByPassword(client, 'alice', 'wrong'), /invalid credentials/],
  ];
  for (const [label, again, message] of changes) {
    test(`cannot change its ${label}`, async (t) => {
      const { connect, inTime } = await stage(t, { sessionMsMax });
      const client = await connect();
      assert.equal((await logInByPassword(client, 'alice', 'wonderland')).errorCode, 0);
      const answer = await inTime(again(client));
      assert.equal(answer.errorCode, codeOf('SASL_AUTHENTICATION_FAILED'));
      assert.match(answer.errorMessage!, message);
      await client.closed;
    });
  }

  test('of a deleted user continues, and cannot be renewed', async (t) => {
    const { connect, cluster, inTime } = await stage(t, { sessionMsMax });
    const client = await connect();
    await logInByPassword(client, 'alice', 'wonderland');
    cluster.putRecord('scramCredential', 'alice', null);
    await pause();
    assert.ok(await isServed(client));
    assert.deepEqual(failure(await inTime(logInByPassword(client, 'alice', 'wonderland'))), notValid);
  });

  test('of a user with a changed password is renewed with the new one', async (t) => {
    const { connect, cluster, inTime } = await stage(t, { sessionMsMax });
    const client = await connect();
    await logInByPassword(client, 'alice', 'wonderland');
    addUser(cluster, 'alice', 'looking glass');
    await pause();
    assert.deepEqual(
      failure(await inTime(logInByPassword(await connect(), 'alice', 'wonderland'))),
      notValid,
    );
    assert.equal((await logInByPassword(client, 'alice', 'looking glass')).errorCode, 0);
  });
});

describe('OAUTHBEARER', ofHandlers, () => {
  async function oauthStage(t: TestContext): Promise<Stage & { issuer: TestIssuer }> {
    let nowMs = () => 1_700_000_000_000;
    const issuer = await startTestIssuer(t, () => nowMs());
    const staged = await stage(t, { oauth: { issuerUrl: issuer.url, audience: testAudience } });
    nowMs = () => staged.clock.nowMs();
    return { ...staged, issuer };
  }

  test('accepts a token of the issuer, for its lifetime', async (t) => {
    const { connect, issuer, clock } = await oauthStage(t);
    const client = await connect();
    const extensions = { traceId: '123', host: 'broker', port: '9092' };
    const token = await issuer.token();
    const answer = await logIn(client, 'OAUTHBEARER', bearerToken(token, { extensions, actAs: 'alice' }));
    assert.deepEqual(
      [...failure(answer), answer.authBytes.length, answer.sessionLifetimeMs],
      [0, null, 0, 3_600_000n],
    );
    assert.ok(await isServed(client));
    clock.advance(3_599_000);
    const renewed = await logIn(client, 'OAUTHBEARER', bearerToken(await issuer.token()));
    assert.equal(renewed.sessionLifetimeMs, 3_600_000n);
    clock.advance(3_600_000);
    assert.equal(await isServed(client), false);
  });

  test('sends a challenge if the token is not accepted, and then fails', async (t) => {
    const { connect, issuer, inTime, lines } = await oauthStage(t);
    const token = await issuer.token({ aud: 'another' });
    const client = await connect();
    await client.call('SaslHandshake', 1, { mechanism: 'OAUTHBEARER' });
    const first = await client.call('SaslAuthenticate', 2, { authBytes: bearerToken(token) });
    assert.deepEqual(
      [first.errorCode, JSON.parse(first.authBytes.toString())],
      [0, { status: 'invalid_token' }],
    );
    const last = await inTime(client.call('SaslAuthenticate', 2, { authBytes: Buffer.of(1) }));
    assert.deepEqual(failure(last), [
      codeOf('SASL_AUTHENTICATION_FAILED'),
      'Authentication failed: token rejected.',
    ]);
    await client.closed;
    assert.ok(lines.some(({ fields }) => fields.error === 'the claim aud of the token is wrong'));
    assert.equal(JSON.stringify(lines).includes(token.split('.')[2]!), false, 'no token is logged');
  });

  const misspoken: readonly [label: string, message: string][] = [
    ['no header', 'auth=Bearer x\x01\x01'],
    ['a channel binding', 'p=tls-unique,,\x01auth=Bearer x\x01\x01'],
    ['no end', 'n,,\x01auth=Bearer x\x01'],
    ['no token', 'n,,\x01host=a\x01\x01'],
    ['two tokens', 'n,,\x01auth=Bearer x\x01auth=Bearer y\x01\x01'],
    ['another scheme', 'n,,\x01auth=Basic x\x01\x01'],
    ['something else', 'n,,\x01auth=Bearer x\x01!!\x01\x01'],
  ];
  test('refuses malformed messages', async (t) => {
    const { connect, inTime } = await oauthStage(t);
    for (const [label, message] of misspoken) {
      const answer = await inTime(logIn(await connect(), 'OAUTHBEARER', Buffer.from(message)));
      assert.equal(answer.errorCode, codeOf('SASL_AUTHENTICATION_FAILED'), label);
    }
  });

  test('cannot change the user of a client', async (t) => {
    const { connect, issuer, inTime } = await oauthStage(t);
    const other = bearerToken(await issuer.token(), { actAs: 'root' });
    const answer = await inTime(logIn(await connect(), 'OAUTHBEARER', other, Buffer.of(1)));
    assert.equal(answer.errorCode, codeOf('SASL_AUTHENTICATION_FAILED'));
    const client = await connect();
    await logIn(client, 'OAUTHBEARER', bearerToken(await issuer.token()));
    const again = bearerToken(await issuer.token({ sub: 'bob' }));
    assert.match((await inTime(logIn(client, 'OAUTHBEARER', again))).errorMessage!, /user must not change/);
  });
});
