import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSecureContext } from 'node:tls';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { runLine } from '../../testing/command-run.ts';
import { TestAuthority } from '../../testing/test-authority.ts';

const nothing = 'TOPIC  PARTITIONS  ID\n';

/** A folder that is removed after the test. */
function folderOf(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-connection-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
}

async function clusterAt(t: TestContext, options: FakeKafkaOptions, host = '127.0.0.1') {
  const fake = await FakeKafka.start({ advertisedHost: host, ...options });
  t.after(() => fake.stop());
  return {
    fake,
    at: (other = host) => `cli list-topics -bootstrap-host ${other} -bootstrap-port ${fake.port()}`,
  };
}

test('the host may include the port, and an invalid port is reported in one line', async (t) => {
  const { fake } = await clusterAt(t, {});
  const found = await runLine(`cli list-topics -bootstrap-host 127.0.0.1:${fake.port()}`);
  assert.deepEqual(found, { status: 0, out: nothing, err: '' });
  const cases: readonly [host: string, problem: string][] = [
    ['127.0.0.1:90922', 'the port behind the host is not from 1 to 65535'],
    ['127.0.0.1:', 'the port behind the host is not from 1 to 65535'],
    ['[::1', 'a host, or a host and its port such as broker-1:9092 or [::1]:9092, is allowed'],
  ];
  for (const [host, problem] of cases) {
    assert.deepEqual(await runLine(`cli list-topics -bootstrap-host ${host}`), {
      status: 2,
      out: '',
      err: `weir cli list-topics: -bootstrap-host=${host}: item 1: ${problem}\n`,
    });
  }
});

test('several hosts are tried in turn, by any spelling of the flag', async (t) => {
  const { fake } = await clusterAt(t, {});
  const other = await FakeKafka.start();
  const closed = other.port();
  await other.stop();
  const one = `127.0.0.1:${fake.port()}`;
  const none = `127.0.0.1:${closed}`;
  for (const line of [
    `cli list-topics -bootstrap-host ${none},${one}`,
    `cli list-topics -bootstrap-host ${none} -bootstrap-host ${one}`,
    `cli list-topics --bootstrap-server ${one},${none}`,
    `cli-old list-topics -bootstrapHost ${none},127.0.0.1 -bootstrapPort ${fake.port()}`,
  ]) {
    assert.deepEqual(await runLine(line), { status: 0, out: nothing, err: '' }, line);
  }
  assert.deepEqual(await runLine(`cli list-topics -bootstrap-host ${none},localhost:${closed}`), {
    status: 1,
    out: '',
    err:
      `weir cli list-topics: ${none}: connection refused; localhost:${closed}: connection refused; ` +
      'nothing listens on that port; check that the broker is running and that the port is ' +
      'that of its Kafka listener\n',
  });
});

test('a connection is diagnosed for each host by itself', async (t) => {
  const { fake } = await clusterAt(t, {});
  const other = await FakeKafka.start();
  const closed = other.port();
  await other.stop();
  const found = await runLine(
    `cli diagnose-connection -bootstrap-host 127.0.0.1:${fake.port()},127.0.0.1:${closed} -output json`,
  );
  const diagnoses = found.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(found.status, 1);
  assert.deepEqual(
    diagnoses.map(({ works, bootstrap }) => [works, bootstrap.port]),
    [
      [true, fake.port()],
      [false, closed],
    ],
  );
});

test('conflicting flags are rejected, and no secret is shown', async () => {
  const cases: readonly [flags: string, line: string][] = [
    ['-tls-server-ca-cert-file=ca', '-tls-server-ca-cert-file=ca: needs -tls'],
    ['-tls-skip-verify', '-tls-skip-verify=true: needs -tls'],
    ['-tls -tls-client-cert-file=c', '-tls-client-cert-file=c: needs -tls-client-private-key-file'],
    ['-tls -tls-client-private-key-file=k', '-tls-client-private-key-file=k: needs -tls-client-cert-file'],
    [
      '-tls -tls-skip-verify -tls-server-ca-cert-file=ca',
      '-tls-skip-verify=true with -tls-server-ca-cert-file=ca: the file would not be used; set one of them',
    ],
    ['-username u', '-username=u: needs -password'],
    ['-password hunter2', '-password=(hidden): needs -username'],
    [
      '-username u -password hunter2 -oauth-token hunter2',
      '-oauth-token=(hidden) with -username=u: set a password or a token, not both',
    ],
    [
      '-oauth-token hunter2 -oauth-token-file f',
      '-oauth-token=(hidden) with -oauth-token-file=f: set one of them',
    ],
    [
      '-sasl-mechanism PLAIN -oauth-token hunter2',
      '-sasl-mechanism=PLAIN with -oauth-token=(hidden): a token needs OAUTHBEARER',
    ],
    [
      '-sasl-mechanism OAUTHBEARER -username u -password hunter2',
      '-sasl-mechanism=OAUTHBEARER: needs -oauth-token or -oauth-token-file',
    ],
    ['-sasl-mechanism SCRAM-SHA-512', '-sasl-mechanism=SCRAM-SHA-512: needs -username and -password'],
    ['-sasl-mechanism GSSAPI', '-sasl-mechanism=GSSAPI: one of PLAIN, SCRAM-SHA-512, OAUTHBEARER is allowed'],
  ];
  for (const [flags, line] of cases) {
    const expected = { status: 2, out: '', err: `weir cli list-topics: ${line}\n` };
    assert.deepEqual(await runLine(`cli list-topics ${flags}`), expected);
  }
});

test('an unusable file is reported by its flag', async (t) => {
  const write = folderOf(t);
  const authority = await TestAuthority.create('Test CA');
  const [one, other] = [await authority.issue(), await authority.issue()];
  const certificate = write('one.crt', one.cert);
  const broken = write('broken.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const cases: readonly [flags: string, line: RegExp][] = [
    [
      '-tls -tls-server-ca-cert-file=/nowhere/ca.pem',
      /-tls-server-ca-cert-file=\/nowhere\/ca\.pem: failed to read the file \(ENOENT\)$/,
    ],
    [
      `-tls -tls-server-ca-cert-file=${write('text', 'hello')}`,
      /-tls-server-ca-cert-file=.*text: no PEM certificate found$/,
    ],
    [
      `-tls -tls-server-ca-cert-file=${broken}`,
      /-tls-server-ca-cert-file=.*: certificate 1 is invalid \(ERR_/,
    ],
    [
      `-tls -tls-client-cert-file=${certificate} -tls-client-private-key-file=${write('other.key', other.key)}`,
      /-tls-client-private-key-file=.*other\.key: does not match the certificate \(ERR_/,
    ],
    [
      `-tls -tls-client-cert-file=${certificate} -tls-client-private-key-file=${certificate}`,
      /-tls-client-private-key-file=.*one\.crt: no PEM private key found \(ERR_/,
    ],
    [
      '-oauth-token-file=/nowhere/token',
      /-oauth-token-file=\/nowhere\/token: failed to read the file \(ENOENT\)$/,
    ],
    [`-oauth-token-file=${write('empty', '\n')}`, /-oauth-token-file=.*empty: not a valid token$/],
    [
      `-oauth-token-file=${write('prose', 'hunter2 and more')}`,
      /-oauth-token-file=.*prose: not a valid token$/,
    ],
  ];
  for (const [flags, line] of cases) {
    const { status, out, err } = await runLine(`cli list-topics ${flags}`);
    assert.deepEqual([status, out], [1, '']);
    assert.match(err.trimEnd(), line);
    assert.doesNotMatch(err, /hunter2/);
  }
});

test('TLS to a plain listener is reported', async (t) => {
  const { at } = await clusterAt(t, {});
  const { status, err } = await runLine(`${at()} -tls`);
  assert.equal(status, 1);
  assert.match(err, /: the broker ended the TLS handshake; remove -tls, or use the port /);
});

test('TLS trusts the authority of the brokers, for the requested name', async (t) => {
  const write = folderOf(t);
  const authority = await TestAuthority.create('Test CA');
  const ca = write('ca.pem', authority.pem);
  const good = await authority.issue();
  const seenNames: string[] = [];
  const { at } = await clusterAt(
    t,
    {
      tls: {
        SNICallback(name, done) {
          seenNames.push(name);
          done(null, createSecureContext(good));
        },
        ...good,
      },
    },
    'localhost',
  );
  assert.deepEqual(await runLine(`${at()} -tls -tls-server-ca-cert-file=${ca}`), {
    status: 0,
    out: nothing,
    err: '',
  });
  assert.ok(seenNames.length > 0 && seenNames.every((name) => name === 'localhost'));
  const untrusted = await runLine(`${at()} -tls`);
  assert.match(untrusted.err, /not trusted; set the certificate authority of the brokers/);
  const misnamed = await runLine(`${at('127.0.0.1')} -tls -tls-server-ca-cert-file=${ca}`);
  assert.match(misnamed.err, /the certificate of the broker is for another name; connect with a name/);
  const careless = await runLine(`${at('127.0.0.1')} -tls -tls-skip-verify`);
  assert.equal(careless.status, 0);
  assert.match(careless.err, /^weir: warning: -tls-skip-verify: certificates are not verified; /);
  assert.equal((await runLine(at())).status, 1);
});

test('a client certificate is sent to a broker that requests one', async (t) => {
  const write = folderOf(t);
  const authority = await TestAuthority.create('Test CA');
  const client = await authority.issue({ name: 'alice' });
  const mutual = {
    ...(await authority.issue()),
    ca: authority.pem,
    requestCert: true,
    rejectUnauthorized: true,
  };
  const { at } = await clusterAt(t, { tls: mutual }, 'localhost');
  const trusting = `${at()} -tls -tls-server-ca-cert-file=${write('ca.pem', authority.pem)}`;
  const files =
    `-tls-client-cert-file=${write('client.crt', client.cert)} ` +
    `-tls-client-private-key-file=${write('client.key', client.key)}`;
  assert.equal((await runLine(`${trusting} ${files}`)).out, nothing);
  const { status, err } = await runLine(trusting);
  assert.equal(status, 1);
  assert.match(err, /-tls-client-cert-file and -tls-client-private-key-file/);
});

test('every tool logs in, by flags, by variables or by a file', async (t) => {
  const write = folderOf(t);
  const { fake, at } = await clusterAt(t, {
    sasl: {
      mechanisms: ['PLAIN', 'SCRAM-SHA-512', 'OAUTHBEARER'],
      users: { alice: 'wonder land' },
      tokens: new Set(['eyJ.abc-_~+/9==']),
      isRequired: true,
    },
  });
  const environment = { SERVICE_USERNAME: 'alice', SERVICE_PASSWORD: 'wonder land' };
  const token = write('token', 'eyJ.abc-_~+/9==\n');
  const whole = { status: 0, out: nothing, err: '' };
  assert.deepEqual(await runLine(at(), { environment }), whole);
  assert.deepEqual(await runLine(`${at()} -sasl-mechanism SCRAM-SHA-512`, { environment }), whole);
  assert.deepEqual(await runLine(`${at()} -oauth-token-file ${token}`), whole);
  assert.deepEqual(await runLine(`${at()} -oauth-token eyJ.abc-_~+/9==`), whole);
  const handshakes = fake.count('SaslHandshake');
  const wrong = await runLine(`${at()} -username alice -password hunter2`);
  assert.equal(wrong.status, 1);
  assert.match(
    wrong.err,
    /PLAIN authentication failed: wrong user or password; check -username and -password\n$/,
  );
  assert.doesNotMatch(wrong.err, /hunter2/);
  assert.equal(fake.count('SaslHandshake'), handshakes + 1, 'a login that was refused is not tried again');
  const stranger = await runLine(at());
  assert.match(
    stranger.err,
    /closed the connection at the first request; the broker probably requires authentication: -username and -password/,
  );
});
