import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { MiB, systemEnvironment } from '@weir/core';
import { startLocal } from '../brokers/weir-process.ts';

const { PATH, HOME } = systemEnvironment;
const goVersion = spawnSync('go', ['version'], { env: { PATH, HOME } });
const skip = goVersion.status === 0 ? false : 'go is not installed';

/** Profiles, and the types of their values, the last of which pprof shows. */
const profiles = [
  { path: 'profile', types: 'samples/count cpu/nanoseconds', unit: /Type: cpu/ },
  { path: 'heap', types: 'inuse_space/bytes', unit: /Type: inuse_space/ },
  { path: 'allocs', types: 'alloc_space/bytes', unit: /Type: alloc_space/ },
] as const;

test('go tool pprof reads the profiles of an agent', { skip }, async (t) => {
  const weir = await startLocal(t);
  const home = mkdtempSync(join(tmpdir(), 'weir-pprof-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  // In the background: the first call builds the tool, and meanwhile connections that are kept alive end.
  const pprof = async (...args: string[]) => {
    const env = { PATH, HOME, PPROF_TMPDIR: home };
    const { stdout } = await promisify(execFile)('go', ['tool', 'pprof', ...args], {
      env,
      maxBuffer: 64 * MiB,
    });
    return stdout;
  };
  const base = `http://${weir.address('HTTP').replace(/^https?:\/\//, '')}`;
  for (const { path, types, unit } of profiles) {
    const answer = fetch(`${base}/debug/pprof/${path}?seconds=2`);
    let isOver = false;
    void answer.finally(() => {
      isOver = true;
    });
    // Something to see.
    while (!isOver) await (await fetch(`${base}/metrics`)).text();
    const { status, bytes } = await answer.then(async (found) => ({
      status: found.status,
      bytes: Buffer.from(await found.arrayBuffer()),
    }));
    assert.equal(status, 200, path);
    const file = join(home, `${path}.pb.gz`);
    writeFileSync(file, bytes);
    assert.ok((await pprof('-raw', file)).includes(types), path);
    const top = await pprof('-top', '-lines', file);
    assert.match(top, unit, path);
    // Rows with a value and the name of a function. Nothing of what an idle agent allocates may be left.
    if (path !== 'heap') assert.match(top, /^ +[\d.]+\w* +[\d.]+% .*[a-z]/im, `${path}: ${top}`);
  }
});
