import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runLine } from '../../testing/command-run.ts';
import { FakeKafka } from '../../testing/fake-kafka.ts';

test('TLS files need -tls, and the certificate its key', async () => {
  const cases: readonly [flags: string, line: string][] = [
    ['-tlsServerCACertFile=ca', '-tlsServerCACertFile=ca: only goes together with -tls'],
    ['-tls -tlsClientCertFile=c', '-tlsClientCertFile=c: only goes together with -tlsClientPrivateKeyFile'],
    [
      '-tls -tlsClientPrivateKeyFile=k',
      '-tlsClientPrivateKeyFile=k: only goes together with -tlsClientCertFile',
    ],
  ];
  for (const [flags, line] of cases) {
    const expected = { status: 2, out: '', err: `weir cli list-topics: ${line}\n` };
    assert.deepEqual(await runLine(`cli list-topics ${flags}`), expected);
  }
  assert.deepEqual(await runLine('cli list-topics -tls -tlsServerCACertFile=/nowhere/ca.pem'), {
    status: 1,
    out: '',
    err: 'weir cli list-topics: -tlsServerCACertFile=/nowhere/ca.pem: cannot be read (ENOENT)\n',
  });
});

test('TLS to a listener without it is told', async (t) => {
  const fake = await FakeKafka.start();
  t.after(() => fake.stop());
  const { status, err } = await runLine(
    `cli list-topics -tls -bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`,
  );
  assert.equal(status, 1);
  assert.match(err, /: the other side ended the TLS handshake; leave -tls out, or take the port /);
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test('TLS with the authority of the brokers', {
  skip: hasOpenssl ? false : 'openssl is missing',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const pem = { key: readFileSync(key), cert: readFileSync(certificate) };
  const fake = await FakeKafka.start({ tls: pem });
  t.after(() => fake.stop());
  const at = (host: string) => `cli list-topics -bootstrap-host ${host} -bootstrap-port ${fake.port()}`;

  const trusted = await runLine(`${at('localhost')} -tls -tlsServerCACertFile=${certificate}`);
  assert.deepEqual(trusted, { status: 0, out: 'TOPIC  PARTITIONS  ID\n', err: '' });
  const untrusted = await runLine(`${at('localhost')} -tls`);
  assert.match(untrusted.err, /signed by itself; name the certificate authority of the brokers/);
  const misnamed = await runLine(`${at('127.0.0.1')} -tls -tlsServerCACertFile=${certificate}`);
  assert.match(misnamed.err, /the certificate of the broker is for another name; connect by a name/);
  const plain = await runLine(at('localhost'));
  assert.equal(plain.status, 1);
});
