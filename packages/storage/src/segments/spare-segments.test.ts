import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { MiB, silentLog } from '@weir/core';
import { HandClock, pause, until } from '@weir/core/testing';
import { SpareSegments } from './spare-segments.ts';

const home = await mkdtemp(join(tmpdir(), 'weir-spare-'));
after(() => rm(home, { recursive: true, force: true }));

const segmentBytes = 3 * MiB;
let folders = 0;

function start(mustWait: (share: number) => boolean = () => false) {
  const folder = join(home, String(folders++));
  const clock = new HandClock();
  const ready: string[] = [];
  const failures: string[] = [];
  let names = 0;
  const spares = new SpareSegments({
    clock,
    log: { ...silentLog, debug: (message) => failures.push(message) },
    folder,
    segmentBytes,
    mustWait,
    newPath: () => join(folder, String(names++)),
    syncNames: async () => {},
    onReady: (path) => ready.push(path),
  });
  return { folder, clock, ready, failures, spares, begun: () => names };
}

test('a segment is prepared once, and then another', async () => {
  const { folder, ready, spares } = start();
  await mkdir(folder);
  for (let count = 1; count <= 2; count++) {
    spares.begin();
    spares.begin();
    await until(() => ready.length === count);
    await pause(1);
  }
  for (const path of ready) assert.deepEqual(await readFile(path), Buffer.alloc(segmentBytes));
  assert.deepEqual((await readdir(folder)).length, 2);
});

test('pieces wait for frames, as far as they may', async () => {
  const asked: number[] = [];
  let isWriting = true;
  const { folder, ready, spares } = start((share) => {
    asked.push(share);
    return isWriting && share >= 1 / 3;
  });
  await mkdir(folder);
  spares.begin();
  await until(() => asked.length === 2);
  for (let frames = 0; frames < 3; frames++) {
    spares.resume();
    await pause(1);
  }
  assert.deepEqual(new Set(asked), new Set([0, 1 / 3]));
  isWriting = false;
  spares.resume();
  await until(() => ready.length === 1);
});

test('after a failure it is tried again a minute later', async () => {
  const { folder, clock, ready, failures, spares } = start();
  // There is no folder.
  spares.begin();
  await until(() => failures.length === 1);
  await pause(1);
  await mkdir(folder);
  spares.begin();
  await pause();
  assert.deepEqual(ready, []);
  clock.advance(60_000);
  spares.begin();
  await until(() => ready.length === 1);
});

test('what is half prepared is removed at the end, and nothing begins after it', async () => {
  const { folder, ready, spares, begun } = start((share) => share > 0);
  await mkdir(folder);
  spares.begin();
  await until(() => begun() === 1);
  await spares.close();
  spares.begin();
  await pause();
  assert.deepEqual([ready, await readdir(folder)], [[], []]);
});
