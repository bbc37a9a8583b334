import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions, foreignServer } from '@weir/client/testing';
import { type NeededOperation, operationBits } from '@weir/core';
import { errors } from '@weir/wire';
import { runLine } from '../../testing/command-run.ts';
import { TestAuthority } from '../../testing/test-authority.ts';

async function cluster(t: TestContext, options: FakeKafkaOptions = {}) {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  const at = `-bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`;
  return { fake, weir: (line: string) => runLine(`${line} ${at}`) };
}

/** A port on which nothing listens. */
async function deadPort(): Promise<number> {
  const fake = await FakeKafka.start();
  const port = fake.port();
  await fake.stop();
  return port;
}

interface Step {
  readonly step: string;
  readonly outcome: string;
  readonly detail: string;
  readonly advice: string | null;
}

/** Runs a diagnosis against an address, and returns the outcome of every step and the detail of the last one. */
async function stepsAt(host: string, port: number, flags = '') {
  const line = `cli diagnose-connection -bootstrap-host ${host} -bootstrap-port ${port} ${flags} -output json`;
  const { status, out, err } = await runLine(line);
  const { works, steps, problems, conclusion } = JSON.parse(out) as {
    works: boolean;
    steps: Step[];
    problems: string[];
    conclusion: string;
  };
  assert.equal(status, works ? 0 : 1, 'the status is the result');
  assert.equal(works, problems.length === 0);
  const last = steps.at(-1)!;
  return {
    err,
    steps,
    conclusion,
    outcomes: steps.map(({ step, outcome }) => `${step} ${outcome}`).join(', '),
    message: last.advice === null ? last.detail : `${last.detail}; ${last.advice}`,
  };
}

const refusedAdvice =
  'connection refused; nothing listens on that port; check that the broker is running and that the ' +
  'port is that of its Kafka listener';

test('a reachable cluster is reported step by step, with its brokers and its coordinator', async (t) => {
  const { fake, weir } = await cluster(t, { brokers: 2 });
  const [first, second] = [1, 2].map((nodeId) => `127.0.0.1:${fake.port(nodeId)}`);
  const expected = {
    status: 0,
    out: [
      `Bootstrap ${first}`,
      '  -   DNS             127.0.0.1 is an address',
      `  OK  TCP             ${first} accepts connections`,
      '  -   TLS             not enabled',
      '  OK  ApiVersions     10 APIs',
      '  -   SASL            not required by the broker',
      '  OK  Metadata        cluster fake, brokers: 2',
      '  OK  Brokers         2 of 2 reachable at their advertised addresses',
      '  -   Cluster access  not supported by the broker',
      '  OK  Coordinator     of a group: node 1',
      'Brokers',
      `  ${first}  node 1  [service-fake-rack]  ACCESSIBLE`,
      `  ${second}  node 2  [service-fake-rack]  ACCESSIBLE`,
      'Group coordinator',
      `  ${first}  node 1  [service-fake-rack]  ACCESSIBLE`,
      'Clients with these flags can use the cluster.',
      '',
    ].join('\n'),
    err: '',
  };
  assert.deepEqual(await weir('cli diagnose-connection'), expected);
  assert.deepEqual(await weir('kcmd -type diagnose-connection'), expected);
});

test('an unreachable broker is reported with advice', async (t) => {
  const port = await deadPort();
  const { fake, weir } = await cluster(t, { ghosts: [{ nodeId: 7, host: '127.0.0.1', port }] });
  const { status, out, err } = await weir('cli diagnose-connection');
  assert.deepEqual({ status, err }, { status: 1, err: '' });
  const lines = out.split('\n');
  assert.deepEqual(lines.slice(lines.indexOf('Brokers')), [
    'Brokers',
    `  127.0.0.1:${fake.port()}  node 1  [service-fake-rack]  ACCESSIBLE`,
    `  127.0.0.1:${port}  node 7  [service-fake-rack]  NOT ACCESSIBLE: connection refused`,
    'Group coordinator',
    `  127.0.0.1:${fake.port()}  node 1  [service-fake-rack]  ACCESSIBLE`,
    'Problems',
    '  Brokers: 1 of 2 reachable at their advertised addresses; clients connect to the advertised addresses, ' +
      'not to the bootstrap address; see the brokers below',
    `  127.0.0.1:${port}: ${refusedAdvice}`,
    'Clients with these flags have problems; start with step Brokers.',
    '',
  ]);
  const json = JSON.parse((await weir('cli diagnose-connection -output json')).out);
  assert.deepEqual(
    json.brokers.map(({ nodeId, accessible, problem }: Record<string, unknown>) => [
      nodeId,
      accessible,
      problem,
    ]),
    [
      [1, true, null],
      [7, false, 'connection refused'],
    ],
  );
});

test('with a wrong bootstrap address, only that is reported', async () => {
  const port = await deadPort();
  assert.deepEqual(
    await runLine(`cli diagnose-connection -bootstrap-host 127.0.0.1 -bootstrap-port ${port}`),
    {
      status: 1,
      out: [
        `Bootstrap 127.0.0.1:${port}`,
        '  -       DNS  127.0.0.1 is an address',
        `  FAILED  TCP  127.0.0.1:${port}: connection refused`,
        'Problems',
        `  TCP: 127.0.0.1:${port}: ${refusedAdvice}`,
        'Clients with these flags have problems; start with step TCP.',
        '',
      ].join('\n'),
      err: '',
    },
  );
  const { status, out, err } = await runLine(
    `cli list-topics -bootstrap-host 127.0.0.1 -bootstrap-port ${port}`,
  );
  assert.deepEqual(
    { status, out, err },
    { status: 1, out: '', err: `weir cli list-topics: 127.0.0.1:${port}: ${refusedAdvice}\n` },
  );
});

test('a name that does not resolve ends the diagnosis at once', async () => {
  const { outcomes, message, conclusion } = await stepsAt('no-such-host.invalid', 9092);
  assert.equal(outcomes, 'DNS failed');
  assert.match(message, /^no-such-host\.invalid: failed to resolve the name; check the spelling; /);
  assert.match(conclusion, /start with step DNS\.$/);
});

test('a name is reported with its addresses, and those of them that do not answer', async (t) => {
  const fake = await FakeKafka.start();
  t.after(() => fake.stop());
  const { steps } = await stepsAt('localhost', fake.port());
  assert.match(steps[0]!.detail, /^localhost is .*127\.0\.0\.1/);
  assert.match(steps[1]!.detail, /127\.0\.0\.1:\d+ accepts connections/);
});

test('a server that does not speak Kafka is reported', async (t) => {
  const cases: readonly [serve: (socket: Socket) => void, message: RegExp][] = [
    [
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      /^invalid response: .*; this is not a Kafka broker/,
    ],
    [(socket) => socket.destroy(), /closed the connection; the broker may require/],
    [() => {}, /^no response to ApiVersions within 200ms; a firewall/],
  ];
  for (const [serve, expected] of cases) {
    const port = await foreignServer(t, serve);
    const { outcomes, message } = await stepsAt('127.0.0.1', port, '-request-timeout 200ms');
    assert.equal(outcomes, 'DNS skipped, TCP ok, TLS skipped, ApiVersions failed');
    assert.match(message, expected);
  }
});

/** A folder that is removed after the test. */
function folderOf(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-diagnose-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
}

test('all TLS failures are distinguished', async (t) => {
  const write = folderOf(t);
  const authority = await TestAuthority.create('Test CA');
  const stranger = await TestAuthority.create('Foreign CA');
  const trusting = `-tls -tls-server-ca-cert-file=${write('ca.pem', authority.pem)}`;
  const good = await authority.issue();
  const expired = await authority.issue({ validTo: '2021-06-01' });
  const early = await authority.issue({ validFrom: '2048-06-01' });
  const client = await authority.issue({ name: 'alice' });
  const foreign = await stranger.issue({ name: 'mallory' });
  const asClient = (name: string, { cert, key }: typeof client) =>
    `-tls-client-cert-file=${write(`${name}.crt`, cert)} -tls-client-private-key-file=${write(`${name}.key`, key)}`;
  const mutual = { ...good, ca: authority.pem, requestCert: true, rejectUnauthorized: true };
  const upToTls = 'DNS ok, TCP ok, TLS failed';
  const whole = /^DNS ok, TCP ok, TLS (?:ok|note), ApiVersions ok, SASL skipped, Metadata ok, Brokers /;

  const cases: readonly [
    tls: FakeKafkaOptions['tls'],
    flags: string,
    outcomes: string | RegExp,
    message: RegExp,
  ][] = [
    [good, trusting, whole, /./],
    [good, '', upToTls, /^the listener uses TLS; add -tls$/],
    [undefined, '-tls', upToTls, /^the listener does not use TLS; remove -tls/],
    [
      good,
      '-tls',
      upToTls,
      /not trusted: certificate of localhost for localhost, by Test CA, valid from 2020-01-01 to 2049-01-01; set the certificate authority of the brokers with -tls-server-ca-cert-file$/,
    ],
    [expired, trusting, upToTls, /has expired: certificate of .* to 2021-06-01; renew the certificate/],
    [early, trusting, upToTls, /is not valid yet: certificate of .* from 2048-06-01 to /],
    [
      await authority.issue({ name: 'broker', dns: ['broker-1.example', 'broker-2.example'] }),
      trusting,
      upToTls,
      /is for another name: certificate of broker for broker-1\.example, broker-2\.example, by .*; connect with a name/,
    ],
    [
      mutual,
      trusting,
      upToTls,
      /; the broker requires a client certificate that it trusts: -tls-client-cert-file and /,
    ],
    [mutual, '', upToTls, /^the listener uses TLS; add -tls$/],
    [
      mutual,
      `${trusting} ${asClient('foreign', foreign)}`,
      upToTls,
      /^the broker closed the connection right after the TLS handshake; the broker probably requires a \(different\) client certificate/,
    ],
    [mutual, `${trusting} ${asClient('client', client)}`, whole, /./],
    [expired, '-tls -tls-skip-verify', whole, /./],
    [
      { ...good, maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2', ciphers: 'AES256-GCM-SHA384' },
      trusting,
      upToTls,
      /^the broker ended the TLS handshake \(handshake failure\); the broker requires a client certificate /,
    ],
  ];
  for (const [tls, flags, outcomes, message] of cases) {
    // The certificate has the name that the brokers advertise.
    const fake = await FakeKafka.start({
      ...(tls === undefined ? {} : { tls }),
      advertisedHost: 'localhost',
    });
    t.after(() => fake.stop());
    const found = await stepsAt('localhost', fake.port(), flags);
    const seen = found.outcomes.replace('TCP note', 'TCP ok');
    if (typeof outcomes === 'string') assert.equal(seen, outcomes, `${flags}: ${found.message}`);
    else assert.match(seen, outcomes, `${flags}: ${found.message}`);
    assert.match(found.message, message, flags);
    const isSkipped = flags.includes('-tls-skip-verify');
    assert.equal(
      found.err,
      isSkipped
        ? 'weir: warning: -tls-skip-verify: certificates are not verified; others may read the traffic\n'
        : '',
    );
  }
});

test('all login failures are distinguished, and the mechanisms are named', async (t) => {
  const sasl = {
    mechanisms: ['PLAIN', 'SCRAM-SHA-512', 'OAUTHBEARER'],
    users: { alice: 'wonder' },
    tokens: new Set(['good']),
    isRequired: true,
  };
  const only = (...mechanisms: readonly string[]) => ({ ...sasl, mechanisms });
  const before = 'DNS skipped, TCP ok, TLS skipped, ApiVersions ok';
  const after = 'Metadata ok, Brokers ok, Cluster access skipped, Coordinator ok';
  const alice = '-username alice -password wonder';
  const cases: readonly [sasl: FakeKafkaOptions['sasl'], flags: string, outcomes: string, message: RegExp][] =
    [
      [
        sasl,
        '',
        `${before}, SASL failed`,
        /^the broker requires SASL and enables PLAIN, SCRAM-SHA-512, OAUTHBEARER; authenticate with -username and -password, or /,
      ],
      [
        only('OAUTHBEARER'),
        '',
        `${before}, SASL failed`,
        /enables OAUTHBEARER; authenticate with -oauth-token-file$/,
      ],
      [
        only('GSSAPI'),
        '',
        `${before}, SASL failed`,
        /enables GSSAPI; this tool supports none of its mechanisms$/,
      ],
      [
        sasl,
        '-username alice -password hunter2',
        `${before}, SASL failed`,
        /^PLAIN authentication failed: wrong user or password; check -username and -password$/,
      ],
      [
        sasl,
        '-oauth-token bad',
        `${before}, SASL failed`,
        /^OAUTHBEARER authentication failed: .* invalid_token;/,
      ],
      [
        only('OAUTHBEARER'),
        alice,
        `${before}, SASL failed`,
        /^the mechanism PLAIN is not enabled; the broker enables OAUTHBEARER: choose one with -sasl-mechanism$/,
      ],
      [
        undefined,
        alice,
        `${before}, SASL failed`,
        /^this listener does not use SASL; remove -username and -password/,
      ],
      [sasl, alice, `${before}, SASL note, ${after}`, /node 1/],
      [sasl, `${alice} -sasl-mechanism SCRAM-SHA-512`, `${before}, SASL ok, ${after}`, /node 1/],
      [sasl, '-oauth-token good', `${before}, SASL note, ${after}`, /node 1/],
    ];
  for (const [options, flags, outcomes, message] of cases) {
    const fake = await FakeKafka.start(options === undefined ? {} : { sasl: options });
    t.after(() => fake.stop());
    const found = await stepsAt('127.0.0.1', fake.port(), flags);
    assert.equal(found.outcomes, outcomes, `${flags}: ${found.message}`);
    assert.match(found.message, message);
    assert.doesNotMatch(JSON.stringify(found), /hunter2|wonder/);
  }
});

test('the permissions of the client on the cluster and on a topic are reported', async (t) => {
  const all: readonly NeededOperation[] = [
    'READ',
    'WRITE',
    'CREATE',
    'DELETE',
    'ALTER',
    'DESCRIBE',
    'CLUSTER_ACTION',
    'DESCRIBE_CONFIGS',
    'ALTER_CONFIGS',
    'IDEMPOTENT_WRITE',
  ];
  const cases: readonly [
    cluster: readonly NeededOperation[],
    topic: readonly NeededOperation[] | number,
    RegExp[],
  ][] = [
    [all, all, [/^ok all operations are allowed$/, /^ok topic orders: all operations are allowed$/]],
    [
      [],
      ['READ', 'DESCRIBE'],
      [
        /^note allowed: none; denied: CREATE, ALTER, .*; needed for administration only/,
        /^note topic orders: allowed: READ, DESCRIBE; denied: WRITE, CREATE, DELETE, .*; allow more with weir cli create-acls /,
      ],
    ],
    [['DESCRIBE'], ['DESCRIBE'], [/^note allowed: DESCRIBE; /, /^failed topic orders: allowed: DESCRIBE; /]],
    [
      all,
      errors.TOPIC_AUTHORIZATION_FAILED.code,
      [
        /^ok/,
        /^failed topic orders: TOPIC_AUTHORIZATION_FAILED: .*; the client needs DESCRIBE, READ or WRITE/,
      ],
    ],
    [
      all,
      errors.UNKNOWN_TOPIC_OR_PARTITION.code,
      [
        /^ok/,
        /^failed topic orders: UNKNOWN_TOPIC_OR_PARTITION: .*; check the spelling with weir cli list-topics/,
      ],
    ],
  ];
  for (const [clusterOperations, topicOperations, expectedLines] of cases) {
    const isError = typeof topicOperations === 'number';
    const fake = await FakeKafka.start({
      script: {
        DescribeCluster: () => ({
          throttleTimeMs: 0,
          errorCode: 0,
          clusterId: 'fake',
          brokers: [],
          clusterAuthorizedOperations: operationBits(clusterOperations),
        }),
        Metadata: ({ topics, includeTopicAuthorizedOperations, allowAutoTopicCreation }) => {
          if (topics?.length !== 1) return undefined;
          assert.deepEqual([includeTopicAuthorizedOperations, allowAutoTopicCreation], [true, false]);
          return {
            brokers: [],
            topics: [
              {
                name: 'orders',
                errorCode: isError ? topicOperations : 0,
                partitions: [],
                topicAuthorizedOperations: isError ? 0 : operationBits(topicOperations),
              },
            ],
          };
        },
      },
    });
    t.after(() => fake.stop());
    const { steps } = await stepsAt('127.0.0.1', fake.port(), '-topic orders');
    const access = steps
      .filter(({ step }) => step.endsWith(' access'))
      .map(({ outcome, detail, advice }) => `${outcome} ${detail}; ${advice}`.replace('; null', ''));
    assert.equal(access.length, expectedLines.length);
    for (const [index, line] of access.entries()) assert.match(line, expectedLines[index]!);
  }
});

test('a group that a client may not see is a failure if the client asked for it', async (t) => {
  const { fake, weir } = await cluster(t, {
    script: {
      FindCoordinator: ({ coordinatorKeys: [key] }, { earlier }) => ({
        coordinators: [
          {
            key: key!,
            nodeId: -1,
            host: '',
            port: -1,
            errorCode:
              earlier === 0 ? errors.COORDINATOR_NOT_AVAILABLE.code : errors.GROUP_AUTHORIZATION_FAILED.code,
            errorMessage: null,
          },
        ],
      }),
    },
  });
  const some = await weir('cli diagnose-connection');
  assert.equal(some.status, 0);
  assert.equal(fake.count('FindCoordinator'), 2, 'the lookup of an unavailable coordinator is retried');
  assert.match(
    some.out,
    /\nNotes\n {2}Coordinator: group coordinator: GROUP_AUTHORIZATION_FAILED: .*; set a group /,
  );
  const own = await weir('cli diagnose-connection -group readers');
  assert.equal(own.status, 1);
  assert.match(
    own.out,
    /\nProblems\n {2}Coordinator: .* GROUP_AUTHORIZATION_FAILED: .*; weir cli create-acls -resource-type GROUP /,
  );
});

test('an old broker returns the coordinator in the old format', async (t) => {
  const { weir } = await cluster(t, { versions: { FindCoordinator: [0, 2] } });
  assert.match((await weir('cli diagnose-connection')).out, /Group coordinator\n .* node 1 .* ACCESSIBLE\n/);
});
