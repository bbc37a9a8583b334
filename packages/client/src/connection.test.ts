import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { apis } from '@weir/wire';
import { FakeKafka, type FakeKafkaOptions } from '../testing/fake-kafka.ts';
import { foreignServer } from '../testing/foreign-server.ts';
import { KafkaConnection } from './connection.ts';
import { ConnectionFailed, type ConnectionProblem, connectionFailure } from './connection-failed.ts';

async function fakeKafka(t: TestContext, options: FakeKafkaOptions = {}): Promise<FakeKafka> {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  return fake;
}

interface OpenOptions {
  readonly host?: string;
  readonly clock?: Clock;
  readonly stop?: AbortSignal;
}

function open(port: number, { host = '127.0.0.1', clock = systemClock, stop }: OpenOptions = {}) {
  return KafkaConnection.open({
    address: { host, port },
    clientId: 'test',
    timeoutMs: 10_000,
    clock,
    stop: stop ?? new AbortController().signal,
  });
}

const timeoutMs = 10_000;
const metadataBody = { topics: [] };

async function failsWith(problem: ConnectionProblem, what: RegExp, attempt: Promise<unknown>) {
  await assert.rejects(attempt, (error) => {
    assert.ok(error instanceof ConnectionFailed, String(error));
    assert.equal(error.problem, problem, error.message);
    assert.match(error.message, what);
    return true;
  });
}

test('versions are negotiated before any other request', async (t) => {
  const fake = await fakeKafka(t, { versions: { Metadata: [0, 9] } });
  const connection = await open(fake.port());
  await connection.request(apis.Metadata, metadataBody, { timeoutMs });
  connection.close();
  assert.deepEqual(fake.requests, [
    { nodeId: 1, api: 'ApiVersions', version: 4, clientId: 'test' },
    { nodeId: 1, api: 'Metadata', version: 9, clientId: 'test' },
  ]);
});

test('ApiVersions is repeated in a version that the broker supports if it rejects the first', async (t) => {
  for (const highest of [0, 2, 3]) {
    const fake = await fakeKafka(t, { versions: { ApiVersions: [0, highest] } });
    const connection = await open(fake.port());
    await connection.request(apis.Metadata, metadataBody, { timeoutMs });
    connection.close();
    assert.deepEqual(
      fake.requests.map(({ api, version }) => [api, version]),
      [
        ['ApiVersions', 4],
        ['ApiVersions', highest],
        ['Metadata', 13],
      ],
    );
  }
});

test('requests overlap, and each gets its own answer', async (t) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fake = await fakeKafka(t, {
    topics: { slow: 1, quick: 2 },
    script: {
      // The first request is answered last.
      async Metadata({ topics }) {
        if (topics?.[0]?.name === 'slow') await held;
        else release();
        return undefined;
      },
    },
  });
  const connection = await open(fake.port());
  const request = (name: string) => connection.request(apis.Metadata, { topics: [{ name }] }, { timeoutMs });
  const [slow, quick] = await Promise.all([request('slow'), request('quick')]);
  connection.close();
  assert.equal(slow.topics[0]!.name, 'slow');
  assert.equal(quick.topics[0]!.name, 'quick');
});

test('an answer without a request closes the connection', async (t) => {
  const fake = await fakeKafka(t, {
    correlationId: (requested, api) => (api === 'Metadata' ? requested + 7 : requested),
  });
  const connection = await open(fake.port());
  await failsWith(
    'not Kafka',
    /received a response to unknown request 9/,
    connection.request(apis.Metadata, metadataBody, { timeoutMs }),
  );
  assert.ok(connection.isClosed);
});

test('a request timeout closes the connection and fails all pending requests', async (t) => {
  const clock = new HandClock();
  let seen = 0;
  let bothCame = () => {};
  const both = new Promise<void>((resolve) => {
    bothCame = resolve;
  });
  const fake = await fakeKafka(t, {
    script: {
      Metadata() {
        seen++;
        if (seen === 2) bothCame();
        return 'silence';
      },
    },
  });
  const connection = await open(fake.port(), { clock });
  const requests = [1, 2].map(() => connection.request(apis.Metadata, metadataBody, { timeoutMs }));
  const failures = Promise.all(
    requests.map((request) => failsWith('timeout', /no response to Metadata within 10s/, request)),
  );
  await both;
  clock.advance(timeoutMs);
  await failures;
  await failsWith('timeout', /within 10s/, connection.request(apis.Metadata, metadataBody, { timeoutMs }));
});

test('connecting gives up after the timeout', async (t) => {
  const port = await foreignServer(t, () => {});
  const impatient: Clock = {
    ...systemClock,
    after(_delayMs, run) {
      let isCancelled = false;
      queueMicrotask(() => {
        if (!isCancelled) run();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
  await failsWith(
    'timeout',
    /no connection within 10s; a firewall or security group may drop packets/,
    open(port, { clock: impatient }),
  );
});

test('a port without a listener refuses, by address and by name', async () => {
  const fake = await FakeKafka.start();
  const port = fake.port();
  await fake.stop();
  await failsWith('refused', new RegExp(`^127\\.0\\.0\\.1:${port}: connection refused; `), open(port));
  await failsWith('refused', /^localhost:\d+: connection refused; /, open(port, { host: 'localhost' }));
});

test('socket errors are reported in the words of the user', () => {
  const cases: readonly [code: string, ConnectionProblem, line: RegExp][] = [
    ['ENOTFOUND', 'unknown host', /^broker-1:9092: failed to resolve the name; check the spelling; /],
    ['EAI_AGAIN', 'unknown host', /^broker-1:9092: no response from the name server; /],
    ['ETIMEDOUT', 'timeout', /^broker-1:9092: connection timed out; a firewall/],
    ['EHOSTUNREACH', 'unreachable', /^broker-1:9092: host unreachable; no route/],
    ['ECONNRESET', 'closed', /^broker-1:9092: the broker closed the connection; /],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong certificate', /is for another name; connect with a name/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted certificate', /with -tls-server-ca-cert-file$/],
    ['CERT_HAS_EXPIRED', 'expired certificate', /has expired; renew the certificate of the broker/],
    [
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      'no common TLS',
      /\(protocol version\); the broker and this machine share no TLS version/,
    ],
    [
      'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      'handshake refused',
      /\(handshake failure\); the broker requires a client certificate/,
    ],
    [
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      'client certificate refused',
      /\(unknown ca\); the broker requires a /,
    ],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client certificate refused', /-tls-client-cert-file and /],
    ['EWHATEVER', 'other', /^broker-1:9092: words of the system; run weir cli diagnose-connection/],
  ];
  for (const [code, problem, line] of cases) {
    const error = Object.assign(new Error('words of the system'), { code });
    const failure = connectionFailure({ host: 'broker-1', port: 9092 }, error);
    assert.equal(failure.problem, problem, code);
    assert.match(failure.message, line);
  }
  assert.match(connectionFailure({ host: '::1', port: 1 }, new Error('x')).message, /^\[::1\]:1: /);
});

test('an answer that is not Kafka is reported', async (t) => {
  const cases: readonly [answer: Buffer | 'nothing', ConnectionProblem, RegExp][] = [
    [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'not Kafka', /this is not a Kafka broker/],
    [Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46]), 'server speaks TLS', /the response is TLS; add -tls$/],
    // A frame with the right id and nothing else.
    [Buffer.from([0, 0, 0, 4, 0, 0, 0, 1]), 'not Kafka', /invalid response: ApiVersions response/],
    ['nothing', 'closed', /the broker closed the connection; the broker may require SASL/],
  ];
  for (const [answer, problem, what] of cases) {
    const port = await foreignServer(t, (socket) => {
      socket.once('data', () => (answer === 'nothing' ? socket.destroy() : socket.write(answer)));
    });
    await failsWith(problem, what, open(port));
  }
});

test('a user who stops the command aborts pending requests', async (t) => {
  const stop = new AbortController();
  const fake = await fakeKafka(t, {
    script: {
      Metadata() {
        stop.abort();
        return 'silence';
      },
    },
  });
  const connection = await open(fake.port(), { stop: stop.signal });
  await failsWith('stopped', /stopped/, connection.request(apis.Metadata, metadataBody, { timeoutMs }));
  await failsWith('stopped', /stopped/, open(fake.port(), { stop: stop.signal }));
});
