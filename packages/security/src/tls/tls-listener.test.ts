import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlainly, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { defaultListenerLimits, startKafkaListener } from '@weir/broker';
import type { KafkaListenerOptions, ReceivedRequest } from '@weir/broker/testing';
import { servingThreadsUnderTest, startTestAgent, TestClient } from '@weir/broker/testing';
import { type Clock, type Log, type LogFields, Metrics, systemClock } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import { apis, encodeRequest } from '@weir/wire';
import { TestCa, type TestCertificate } from '../../testing/test-ca.ts';
import { clientNames } from './client-names.ts';
import { ServerCertificates } from './server-certificates.ts';
import type { ClientCertificates } from './tls-acceptor.ts';
import type { TlsMaterial } from './tls-material.ts';
import type { TlsProfileName } from './tls-profiles.ts';

const ca = await TestCa.create();
const foreignCa = await TestCa.create('CN=Somebody Else');
const server = await ca.issueServer({ key: 'RSA' });
const alice = await ca.issue({ subject: 'C=DE, O=Weir, CN=alice' });

interface Options {
  readonly clientCertificates?: ClientCertificates;
  readonly profile?: TlsProfileName;
  readonly takesSpiffeIds?: boolean;
  readonly rules?: Parameters<typeof clientNames>[0]['rules'];
  readonly material?: Partial<TlsMaterial>;
  readonly proxyProtocol?: KafkaListenerOptions['proxyProtocol'];
  readonly principalOf?: KafkaListenerOptions['principalOf'];
  readonly logsCertificates?: boolean;
  readonly clock?: Clock;
  readonly servingThreads?: number;
  readonly greetingMs?: number;
}

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** Starts a TLS listener and records its requests. */
async function listen(t: TestContext, options: Options = {}) {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields });
  const log: Log = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: () => log,
  };
  const metrics = new Metrics();
  const clock = options.clock ?? systemClock;
  let material: TlsMaterial = { ...server, authorities: ca.certificate, ...options.material };
  const readings = new HandClock();
  const certificates = await ServerCertificates.load({
    source: { name: 'the test', intervalMs: 5_000, read: async () => material },
    profile: options.profile ?? 'golang-default',
    clock: readings,
    log,
    metrics,
  });
  const { server: inner, clock: agentClock } = await startTestAgent();
  const requests: ReceivedRequest[] = [];
  const listener = await startKafkaListener({
    host: '127.0.0.1',
    port: 0,
    handle: {
      serves: (api, version) => inner.serves(api, version),
      refuseApiVersions: () => inner.refuseApiVersions(),
      serve(request) {
        requests.push(request);
        // Long lists are served in turns.
        return agentClock.until(Promise.resolve(inner.serve(request)));
      },
    },
    limits: { ...defaultListenerLimits(1), greetingMs: options.greetingMs ?? 10_000 },
    servingThreads: options.servingThreads ?? servingThreadsUnderTest(),
    tls: {
      certificates,
      clientCertificates: options.clientCertificates ?? 'required',
      nameOf: clientNames({
        rules: options.rules ?? [{ kind: 'default' }],
        takesSpiffeIds: options.takesSpiffeIds ?? false,
      }),
      logsCertificates: options.logsCertificates ?? false,
    },
    ...(options.proxyProtocol === undefined ? {} : { proxyProtocol: options.proxyProtocol }),
    ...(options.principalOf === undefined ? {} : { principalOf: options.principalOf }),
    clock,
    log,
    metrics,
  });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    certificates.close();
    await listener.stop({ deadlineMs: 1_000 });
  });

  function open(options: ConnectionOptions = {}): TLSSocket {
    const socket = connect({ host: '127.0.0.1', port: listener.port, ca: ca.certificate, ...options });
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  }

  /** Connects, sends a request, and returns its principal; `undefined` if the connection was refused. */
  async function enter(
    certificate?: TestCertificate,
    options: ConnectionOptions = {},
  ): Promise<string | undefined> {
    const shown =
      certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.privateKey };
    const client = TestClient.over(open({ ...shown, ...options }));
    client.send('ApiVersions', 0, {});
    const answer = await client.frame();
    client.socket.destroy();
    return answer === undefined ? undefined : requests.at(-1)!.session.principal.name;
  }

  return {
    listener,
    lines,
    metrics,
    requests,
    open,
    enter,
    sockets,
    /** Replaces files and polls them. */
    async replace(next: Partial<TlsMaterial>) {
      material = { ...material, ...next };
      const before = lines.length;
      readings.advance(5_000);
      await until(() => lines.length > before && readings.waiting > 0);
    },
    closed: (reason: string) =>
      Number(
        new RegExp(`connection_closed_counter\\{reason="${reason}"\\} (\\d+)`).exec(metrics.render())?.[1] ??
          0,
      ),
  };
}

for (const servingThreads of [1, 2])
  test(`a required client certificate must be present and valid (serving threads: ${servingThreads})`, async (t) => {
    const { enter, lines, closed } = await listen(t, { servingThreads });
    const expired = await ca.issue({ subject: 'CN=late', validTo: new Date(Date.UTC(2021, 0, 1)) });
    const early = await ca.issue({ subject: 'CN=early', validFrom: new Date(Date.UTC(2048, 0, 1)) });
    const foreign = await foreignCa.issue({ subject: 'CN=alice' });
    const nameless = await ca.issue({});
    const cases: [
      what: string,
      certificate: TestCertificate | undefined,
      principal: string | undefined,
      problem?: RegExp,
    ][] = [
      ['a valid one', alice, 'User:CN=alice,O=Weir,C=DE'],
      ['none', undefined, undefined, /peer did not return a certificate/],
      ['an expired one', expired, undefined, /CERT_HAS_EXPIRED/],
      ['one that is not yet valid', early, undefined, /CERT_NOT_YET_VALID/],
      [
        'one of another authority',
        foreign,
        undefined,
        /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT/,
      ],
      ['one without a subject', nameless, undefined, /no subject/],
    ];
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      for (const [what, certificate, principal] of cases)
        assert.equal(await enter(certificate, { maxVersion }), principal, `${what}, ${maxVersion}`);
    }
    await until(() => closed('certificate') + closed('handshake') === 10);
    // One line a minute for each reason, so two lines stand for ten refusals.
    const problems = lines.filter(({ level }) => level === 'warn').map(({ fields }) => String(fields.error));
    assert.equal(problems.length, 2);
    assert.match(problems.join(), /peer did not return a certificate/);
    assert.match(problems.join(), /CERT_HAS_EXPIRED/);
  });

test('each kind of invalid certificate is logged with its problem', async (t) => {
  const cases: [certificate: TestCertificate, problem: RegExp][] = [
    [await ca.issue({ subject: 'CN=late', validTo: new Date(Date.UTC(2021, 0, 1)) }), /CERT_HAS_EXPIRED/],
    [await foreignCa.issue({ subject: 'CN=alice' }), /UNABLE_TO_/],
    [await ca.issue({}), /no subject for the user name/],
    [await ca.issue({ subject: 'CN=bob' }), /no rule of -mtlsPrincipalMappingRules matches CN=bob/],
  ];
  for (const [certificate, problem] of cases) {
    const { enter, lines } = await listen(t, {
      rules: [{ kind: 'rule', pattern: 'CN=alice', replacement: 'alice', letterCase: '' }],
    });
    assert.equal(await enter(certificate), undefined);
    await until(() => lines.some(({ level }) => level === 'warn'));
    const line = lines.find(({ level }) => level === 'warn')!;
    assert.equal(line.fields.reason, 'certificate');
    assert.match(String(line.fields.error), problem);
  }
});

test('an optional certificate names the user, and an invalid one is refused', async (t) => {
  const { enter, requests } = await listen(t, { clientCertificates: 'requested' });
  assert.equal(await enter(), 'User:ANONYMOUS');
  assert.equal(requests.at(-1)!.session.isEncrypted, true);
  assert.equal(await enter(alice), 'User:CN=alice,O=Weir,C=DE');
  assert.equal(await enter(await foreignCa.issue({ subject: 'CN=alice' })), undefined);
  const ignoring = await listen(t, { clientCertificates: 'ignored' });
  assert.equal(await ignoring.enter(await foreignCa.issue({ subject: 'CN=alice' })), 'User:ANONYMOUS');
});

for (const servingThreads of [1, 2])
  test(`a resumed session keeps its principal (serving threads: ${servingThreads})`, async (t) => {
    const { open, requests } = await listen(t, { servingThreads });
    let session: Buffer | undefined;
    for (const isReused of [false, true]) {
      const socket = open({
        cert: alice.certificate,
        key: alice.privateKey,
        ...(session === undefined ? {} : { session }),
      });
      socket.once('session', (ticket) => {
        session = ticket;
      });
      const client = TestClient.over(socket);
      await client.call('ApiVersions', 0, {});
      assert.equal(socket.isSessionReused(), isReused);
      assert.equal(requests.at(-1)!.session.principal.name, 'User:CN=alice,O=Weir,C=DE');
      await until(() => session !== undefined);
      socket.destroy();
    }
  });

test('a SPIFFE id is the user name if configured', async (t) => {
  const workload = await ca.issue({ uris: ['spiffe://prod.example/orders/writer'] });
  const both = await ca.issue({ subject: 'CN=x', uris: ['spiffe://prod.example/orders'] });
  const two = await ca.issue({ subject: 'CN=x', uris: ['spiffe://a/b', 'https://c'] });
  const taking = await listen(t, { takesSpiffeIds: true });
  assert.equal(await taking.enter(workload), 'User:spiffe://prod.example/orders/writer');
  assert.equal(await taking.enter(both), 'User:spiffe://prod.example/orders');
  assert.equal(await taking.enter(two), undefined);
  assert.equal(await taking.enter(alice), 'User:CN=alice,O=Weir,C=DE');
  const other = await listen(t);
  assert.equal(await other.enter(workload), undefined);
  assert.equal(await other.enter(both), 'User:CN=x');
});

test('profiles determine the TLS versions', async (t) => {
  const cases: [profile: TlsProfileName, spoken: readonly string[]][] = [
    ['modern', ['TLSv1.3']],
    ['intermediate', ['TLSv1.2', 'TLSv1.3']],
    ['golang-default', ['TLSv1.2', 'TLSv1.3']],
    ['old', ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']],
  ];
  for (const [profile, spoken] of cases) {
    const { enter } = await listen(t, { profile, clientCertificates: 'ignored' });
    const found: string[] = [];
    for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
      const options = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' };
      if ((await enter(undefined, options)) !== undefined) found.push(version);
    }
    assert.deepEqual(found, spoken, profile);
  }
});

test('new files apply to new connections, and invalid files leave the old ones in use', async (t) => {
  const { open, replace, lines, enter } = await listen(t, { clientCertificates: 'required' });
  const shown = async () => {
    const socket = open({ cert: alice.certificate, key: alice.privateKey });
    await once(socket, 'secureConnect');
    return socket.getPeerX509Certificate()!.serialNumber;
  };
  const serial = ({ certificate }: TestCertificate) => new X509Certificate(certificate).serialNumber;
  const connected = TestClient.over(open({ cert: alice.certificate, key: alice.privateKey }));
  assert.equal(await shown(), serial(server));
  const next = await ca.issueServer();
  await replace(next);
  assert.equal(await shown(), serial(next));
  const broken: [what: string, material: Partial<TlsMaterial>, problem: RegExp][] = [
    [
      'a key of another certificate',
      { privateKey: server.privateKey },
      /does not match the server certificate/,
    ],
    [
      'half a certificate',
      { ...next, certificate: next.certificate.slice(0, 200) },
      /has no PEM certificate/,
    ],
    ['no key', { ...next, privateKey: '' }, /private key is invalid/],
    ['no authorities', { ...next, authorities: '' }, /CA file has no PEM certificate/],
  ];
  for (const [what, material, problem] of broken) {
    await replace(material);
    const { level, fields } = lines.at(-1)!;
    assert.equal(level, 'error', what);
    assert.match(String(fields.error), problem, what);
    assert.doesNotMatch(JSON.stringify(lines), /PRIVATE KEY/);
    assert.equal(await shown(), serial(next), what);
  }
  // Certificates of an authority that is no longer trusted are refused, even with a session ticket; open connections
  // stay.
  await replace({ ...next, authorities: foreignCa.certificate });
  assert.equal(await enter(alice), undefined);
  assert.equal(await enter(await foreignCa.issue({ subject: 'CN=new' })), 'User:CN=new');
  assert.equal((await connected.call('ApiVersions', 0, {})).errorCode, 0);
});

test('serving threads use new files for new connections, which resume no older session', async (t) => {
  const { open, replace } = await listen(t, { clientCertificates: 'ignored', servingThreads: 2 });
  let session: Buffer | undefined;
  const meet = async (resumed?: Buffer) => {
    const socket = open(resumed === undefined ? {} : { session: resumed });
    socket.once('session', (ticket) => {
      session ??= ticket;
    });
    await TestClient.over(socket).call('ApiVersions', 0, {});
    // A resumed session does not show it again.
    const serialNumber = socket.getPeerX509Certificate()?.serialNumber;
    return { serialNumber, isReused: socket.isSessionReused() };
  };
  await meet();
  await until(() => session !== undefined);
  assert.equal((await meet(session)).isReused, true);
  const next = await ca.issueServer();
  const { serialNumber } = new X509Certificate(next.certificate);
  await replace(next);
  // The threads learn of them by a message each.
  for (let fresh = 0; fresh < 6; ) fresh = (await meet()).serialNumber === serialNumber ? fresh + 1 : 0;
  assert.equal((await meet(session)).isReused, false);
});

test('a listener does not start without a valid certificate', async (t) => {
  await assert.rejects(listen(t, { material: { certificate: 'none' } }), /has no PEM certificate/);
  await assert.rejects(
    listen(t, { material: { privateKey: alice.privateKey } }),
    /does not match the server certificate/,
  );
});

test('large requests and responses pass, however the network splits them', async (t) => {
  const { open, requests } = await listen(t, { clientCertificates: 'ignored' });
  const client = TestClient.over(open());
  const topics = Array.from({ length: 3_000 }, (_, index) => ({ name: `topic-${index}-${'x'.repeat(200)}` }));
  for (let round = 0; round < 3; round++) client.send('Metadata', 1, { topics });
  for (let round = 0; round < 3; round++) {
    const { body } = await client.receive('Metadata', 1);
    assert.deepEqual(
      body.topics.map(({ name }) => name),
      topics.map(({ name }) => name),
    );
  }
  assert.equal(requests.length, 3);
});

test('plaintext and silent connections are closed', async (t) => {
  const clock = new HandClock();
  // Serving threads have the clock of the system.
  const greetingMs = servingThreadsUnderTest() > 1 ? 200 : 10_000;
  const { listener, closed, sockets } = await listen(t, { clock, greetingMs });
  const [plain, silent] = [0, 1].map(() => {
    const socket = connectPlainly(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  }) as [Socket, Socket];
  const header = { correlationId: 1, clientId: 'x' };
  for (const slice of encodeRequest(apis.ApiVersions, 0, header, {})) plain.write(slice);
  plain.resume();
  await once(plain, 'close');
  await until(() => closed('handshake') === 1);
  silent.resume();
  if (servingThreadsUnderTest() === 1) {
    await until(() => clock.waiting >= 2);
    clock.advance(greetingMs);
  }
  if (!silent.closed) await once(silent, 'close');
  await until(() => closed('slow') === 1);
  assert.equal(listener.connectionCount, 0);
});

test('client certificates are logged if configured', async (t) => {
  const { enter, lines } = await listen(t, { logsCertificates: true });
  await enter(alice);
  const line = lines.find(({ message }) => message === 'verified client certificate')!;
  assert.partialDeepStrictEqual(line.fields, {
    user: 'CN=alice,O=Weir,C=DE',
    serialNumber: new X509Certificate(alice.certificate).serialNumber,
    validTo: '2049-01-01T00:00:00.000Z',
  });
});

/** Builds a PROXY header of version 2 for 192.0.2.1:54321, with a principal in the field 0xE5. */
function proxyHeader(principal?: string): Buffer {
  const name = principal === undefined ? Buffer.alloc(0) : Buffer.from(principal);
  const fields = Buffer.concat([Buffer.from([0xe5, name.length >> 8, name.length & 0xff]), name]);
  const body = Buffer.concat([
    Buffer.from('c0000201cb007105d4312384', 'hex'),
    principal === undefined ? name : fields,
  ]);
  const head = Buffer.from('0d0a0d0a000d0a515549540a21110000', 'hex');
  head.writeUInt16BE(body.length, 14);
  return Buffer.concat([head, body]);
}

for (const servingThreads of [1, 2])
  test(`a PROXY header before the handshake has the address of the client, and may name the user (serving threads: ${servingThreads})`, async (t) => {
    const isKnown = { name: 'User:carol', aliases: [], credentialName: 'ccn_carol', isSuperuser: true };
    const { listener, requests, sockets, lines, closed } = await listen(t, {
      clientCertificates: 'requested',
      servingThreads,
      proxyProtocol: { principalType: 0xe5, trustedCidrs: ['127.0.0.1/32'], allowsSuperusers: true },
      principalOf: (username) =>
        username === 'carol' ? isKnown : { ...isKnown, name: `User:${username}`, isSuperuser: false },
    });
    async function through(prefix: Buffer, certificate?: TestCertificate) {
      const plain = connectPlainly(listener.port, '127.0.0.1');
      plain.on('error', () => {});
      sockets.push(plain);
      plain.write(prefix);
      const shown =
        certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.privateKey };
      const socket = connect({ socket: plain, host: 'localhost', ca: ca.certificate, ...shown });
      socket.on('error', () => {});
      const client = TestClient.over(socket);
      client.send('ApiVersions', 0, {});
      return (await client.frame()) === undefined ? undefined : requests.at(-1)!.session;
    }
    assert.partialDeepStrictEqual(await through(proxyHeader('User:carol'), alice), {
      remoteAddress: '192.0.2.1',
      remotePort: 54321,
      isEncrypted: true,
      principal: isKnown,
    });
    assert.equal((await through(proxyHeader('User:dave')))?.principal.name, 'User:dave');
    // A health check of the proxy itself.
    const local = Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex');
    assert.partialDeepStrictEqual(await through(local, alice), {
      remoteAddress: '127.0.0.1',
      principal: { name: 'User:CN=alice,O=Weir,C=DE' },
    });
    for (const bad of [
      Buffer.alloc(0),
      proxyHeader(),
      proxyHeader('carol'),
      Buffer.from('PROXY TCP4 1.2.3.4 5.6.7.8 9 9\r\n'),
    ])
      assert.equal(await through(bad, alice), undefined);
    await until(() => closed('proxyHeader') === 4);
    assert.equal(lines.filter(({ level }) => level === 'warn').length, 1, 'one line a minute');
  });

test('a user named only by a proxy is not a superuser', async (t) => {
  const root = { name: 'User:root', aliases: [], credentialName: 'ccn_root', isSuperuser: true };
  const { listener, requests, sockets } = await listen(t, {
    clientCertificates: 'requested',
    proxyProtocol: { principalType: 0xe5, trustedCidrs: ['127.0.0.1/32'], allowsSuperusers: false },
    principalOf: () => root,
  });
  const plain = connectPlainly(listener.port, '127.0.0.1');
  plain.on('error', () => {});
  sockets.push(plain);
  plain.write(proxyHeader('User:root'));
  const client = TestClient.over(connect({ socket: plain, host: 'localhost', ca: ca.certificate }));
  client.send('ApiVersions', 0, {});
  assert.ok(await client.frame());
  const { session } = requests.at(-1)!;
  assert.deepEqual(session.principal, { ...root, isSuperuser: false });
  session.user = 'another who logs in';
  assert.equal(session.principal.isSuperuser, true, 'a login counts for itself');
});
