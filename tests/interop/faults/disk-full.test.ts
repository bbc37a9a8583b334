import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pause } from '@weir/core/testing';
import { SmallDisk } from '../../faults/cluster/small-disk.ts';

const executable = join(import.meta.dirname, '../../../bin/weir');

test('a control plane without space says so, does not flood its log, and recovers', {
  timeout: 120_000,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-disk-full-'));
  const disk = SmallDisk.mount(join(folder, 'disk'), 4);
  if ('missing' in disk) {
    rmSync(folder, { recursive: true, force: true });
    return t.skip(disk.missing);
  }
  const argv = ['control-plane', '-bindAddress', '127.0.0.1', '-consolePort', '0'];
  const child = spawn(executable, [...argv, '-dataDir', join(disk.folder, 'data')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin' },
  });
  t.after(() => {
    child.kill('SIGKILL');
    disk.unmount();
    rmSync(folder, { recursive: true, force: true });
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const urlOf = () => /control plane +(\S+)/.exec(stdout)?.[1];
  while (urlOf() === undefined) await pause();
  const ready = async () => await (await fetch(`${urlOf()}/v1/ready`)).text();
  const untilReady = async (answer: string) => {
    while ((await ready()) !== answer) await pause();
  };
  await untilReady('OK');
  while (!stderr.includes('started leading cluster')) await pause();
  disk.fill();
  await untilReady('not ready: disk full');
  while (!stderr.includes('failed to follow cluster, retrying')) await pause();
  await pause(3_000);
  const linesOf = (message: string) => stderr.split('\n').filter((line) => line.includes(message));
  assert.equal(linesOf('failed to follow cluster, retrying').length, 1, stderr);
  assert.match(
    linesOf('failed to follow cluster, retrying')[0]!,
    /no space left on device: .*weir\.db/,
    'the log names the disk',
  );
  disk.empty();
  await untilReady('OK');
  while (linesOf('started leading cluster').length < 2) await pause();
  assert.equal(linesOf('resumed following cluster').length, 1);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
