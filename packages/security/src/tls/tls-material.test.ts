import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TestStore } from '@weir/broker/testing';
import { Metrics, silentLog } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import { TestCa, type TestCertificate } from '../../testing/test-ca.ts';
import { securityLimits } from '../limits.ts';
import { ServerCertificates } from './server-certificates.ts';
import { type TlsSource, tlsBucket, tlsFiles, tlsObjects } from './tls-material.ts';

const ca = await TestCa.create();

/** Loads certificates from a source and polls it on demand. */
async function follow(t: TestContext, source: TlsSource) {
  const clock = new HandClock();
  const certificates = await ServerCertificates.load({
    source,
    profile: 'modern',
    clock,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => certificates.close());
  let changes = 0;
  certificates.onChange(() => changes++);
  return {
    certificates,
    /** Polls once and returns whether the certificates changed. */
    async poll(): Promise<boolean> {
      const before = changes;
      clock.advance(source.intervalMs);
      await until(() => clock.waiting > 0);
      return changes > before;
    },
  };
}

/**
 * Creates a folder like a Kubernetes secret mount: files are links into a folder that is itself a link, which is
 * replaced.
 */
async function mountedSecret(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'weir-tls-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  let version = 0;
  async function publish({ certificate, privateKey }: TestCertificate): Promise<void> {
    const folder = `..v${++version}`;
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'tls.crt'), certificate);
    await writeFile(join(root, folder, 'tls.key'), privateKey);
    await writeFile(join(root, folder, 'ca.crt'), ca.certificate);
    await symlink(folder, join(root, '..new'));
    await rename(join(root, '..new'), join(root, '..data'));
    if (version > 1) return;
    for (const name of ['tls.crt', 'tls.key', 'ca.crt'])
      await symlink(join('..data', name), join(root, name));
  }
  const files = {
    certificatePath: join(root, 'tls.crt'),
    privateKeyPath: join(root, 'tls.key'),
    authoritiesPath: join(root, 'ca.crt'),
  };
  return { root, files, publish };
}

test('files are read again when the folder behind them is replaced', async (t) => {
  const { files, publish } = await mountedSecret(t);
  const [first, second] = [await ca.issueServer(), await ca.issueServer()];
  await publish(first);
  const { certificates, poll } = await follow(t, tlsFiles(files));
  assert.equal(certificates.context.cert, first.certificate);
  assert.equal(certificates.hasAuthorities, true);
  assert.equal(await poll(), false);
  await publish(second);
  assert.equal(await poll(), true);
  assert.equal(certificates.context.cert, second.certificate);
  assert.equal(certificates.context.key, second.privateKey);
});

test('a missing file, or one above the size limit, leaves the previous files in use', async (t) => {
  const { files, publish, root } = await mountedSecret(t);
  const first = await ca.issueServer();
  await publish(first);
  const { certificates, poll } = await follow(t, tlsFiles(files));
  await rm(join(root, 'tls.key'));
  assert.equal(await poll(), false);
  await writeFile(join(root, 'tls.key'), Buffer.alloc(securityLimits.tlsFileBytesMax + 1, 'x'));
  assert.equal(await poll(), false);
  assert.equal(certificates.context.key, first.privateKey);
  await assert.rejects(tlsFiles(files).read(), /exceeds 1048576 bytes/);
  await assert.rejects(tlsFiles({ ...files, certificatePath: join(root, 'none') }).read(), /ENOENT/);
});

test('objects of a bucket are read again when they change', async (t) => {
  const store = new TestStore();
  const put = async (key: string, text: string) => store.put(key, [Buffer.from(text)]);
  const [first, second] = [await ca.issueServer(), await ca.issueServer()];
  await put(tlsObjects.certificate, first.certificate);
  await put(tlsObjects.privateKey, first.privateKey);
  const { certificates, poll } = await follow(t, tlsBucket(store));
  assert.equal(certificates.hasAuthorities, false);
  assert.ok(
    Array.isArray(certificates.context.ca) && certificates.context.ca.length > 0,
    'the system authorities',
  );
  // Only the certificate is new, and the key does not match it.
  await put(tlsObjects.certificate, second.certificate);
  assert.equal(await poll(), false);
  await put(tlsObjects.privateKey, second.privateKey);
  assert.equal(await poll(), true);
  assert.equal(certificates.context.cert, second.certificate);
  await put(tlsObjects.authorities, ca.certificate);
  assert.equal(await poll(), true);
  assert.equal(certificates.context.ca, ca.certificate);
});
