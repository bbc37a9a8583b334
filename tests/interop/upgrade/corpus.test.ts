/** Data that earlier releases wrote is opened with this one, which shows everything that they showed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConnectionFailed } from '@weir/client';
import { systemClock, systemEnvironment } from '@weir/core';
import { journalFormat } from '../../../packages/journal/src/format.ts';
import { lastFirst, temporaryFolder } from '../brokers/weir-process.ts';
import { readContent, type Served } from './corpus/content.ts';
import { keptData, servedFolder, unpack } from './corpus/kept-data.ts';
import { bucketUrl, serve, shapes } from './corpus/served-data.ts';

const weir = join(import.meta.dirname, '../../../bin/weir');
const all = keptData();
const bounded = { timeout: 300_000 };
const tries = 60;

test('there is data of each shape, of the format of today and of an earlier one', () => {
  for (const shape of shapes) {
    const formats = all.filter((data) => data.shape === shape).map(({ format }) => format);
    assert.ok(formats.includes(journalFormat), `npm run corpus: ${shape} has no format ${journalFormat}`);
    assert.ok(formats.some((format) => format < journalFormat));
  }
});

for (const data of all) {
  test(`${data.name}: everything is read back, twice`, bounded, async (t) => {
    const lifetime = lastFirst(t);
    const folder = temporaryFolder(lifetime);
    const content = unpack(data, folder);
    for (const _ of ['as it was written', 'as this release left it']) {
      const running = await serve(lifetime, data.shape, servedFolder(folder));
      assert.deepEqual(await shownContent(running), content);
      for (const process of running.processes) await process.stop();
    }
  });
}

for (const data of all.filter(({ shape }) => shape === 'cluster')) {
  test(`${data.name}: a restore from the bucket alone`, bounded, async (t) => {
    const lifetime = lastFirst(t);
    const folder = temporaryFolder(lifetime);
    const content = unpack(data, folder);
    const served = servedFolder(folder);
    const dataDir = join(served, 'data');
    rmSync(dataDir, { recursive: true });
    execFileSync(weir, ['control-plane', 'restore', '-bucketURL', bucketUrl(served), '-dataDir', dataDir], {
      env: { PATH: systemEnvironment.PATH },
      stdio: 'pipe',
    });
    assert.deepEqual(await shownContent(await serve(lifetime, data.shape, served)), content);
  });
}

/** What a release shows, as files have it. Metadata may still name agents that have stopped, as clients know. */
async function shownContent(served: Served): Promise<unknown> {
  for (let left = tries; ; left--) {
    try {
      return JSON.parse(JSON.stringify(await readContent(served)));
    } catch (error) {
      if (!(error instanceof ConnectionFailed) || left === 0) throw error;
      await new Promise<void>((resolve) => systemClock.after(500, resolve));
    }
  }
}
