import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesToSend } from '@weir/cluster';
import { settle } from '@weir/core/testing';
import { batchOf, type DataPath, produced } from '../../testing/data-path.ts';
import { commitsThrough, startWritePath } from '../../testing/write-path-stage.ts';
import { FilePace } from './file-pace.ts';

/** Starts a data path with delays in the store and in the control plane. */
async function startSlow(putMs: number, commitMs: number) {
  let path: DataPath | undefined;
  const port = commitsThrough(async (wanted, cluster) => {
    const files = filesToSend(wanted);
    await new Promise<void>((resolve) => path!.clock.after(commitMs, resolve));
    return cluster.commitFiles(files);
  });
  const started = await startWritePath({ port, flush: { compressedBytesMax: 64 << 20 } });
  path = started;
  started.store.beforePut = () => new Promise<void>((resolve) => started.clock.after(putMs, resolve));
  return started;
}

const stepMs = 0.25;
const fileMs = 4;
const requestBytes = 1_000;

/** Advances virtual time, calls `step` at every step, and returns how long each request took. */
async function during(
  ms: number,
  step: (send: () => Promise<void>, nowMs: number) => void,
  load: { readonly fileMs: number; readonly requestBytes: number } = { fileMs, requestBytes },
) {
  const path = await startSlow(load.fileMs * 0.75, load.fileMs * 0.25);
  const batch = [produced(path.topicId, 0, batchOf(['x'.repeat(load.requestBytes)]))];
  const tookMs: number[] = [];
  const send = async () => {
    const sentMs = path.clock.monotonicMs();
    await path.writePath.append(batch, { deadlineMs: sentMs + 30_000 });
    tookMs.push(path.clock.monotonicMs() - sentMs);
  };
  for (let nowMs = 0; nowMs < ms; nowMs += stepMs) {
    step(send, nowMs);
    await settle();
    path.clock.advance(stepMs);
    await settle();
  }
  return { tookMs, files: path.store.puts };
}

test('requests that come one by one are written at once, each in its own file', async () => {
  const { tookMs, files } = await during(200, (send, nowMs) => {
    if (nowMs % 20 === 0) void send();
  });
  assert.equal(files, 10);
  assert.deepEqual(new Set(tookMs), new Set([fileMs]));
});

test('requests at a fixed rate share files, spaced by four times the duration of one file', async (t) => {
  for (const everyMs of [stepMs, 1, 3]) {
    await t.test(`one every ${everyMs} ms`, async () => {
      const { tookMs, files } = await during(400, (send, nowMs) => {
        if (nowMs % everyMs === 0) void send();
      });
      // The first files are closed before the duration of a file and the number of requests in flight are known.
      assert.ok(files <= 400 / (4 * fileMs) + 10, `${files} files`);
      assert.ok(Math.max(...tookMs) <= 5 * fileMs + 2 * stepMs, `${Math.max(...tookMs)} ms`);
    });
  }
});

test('clients that wait for their answers are not slowed down', async (t) => {
  for (const clients of [1, 5, 40]) {
    await t.test(`${clients}`, async () => {
      let isStarted = false;
      const { tookMs, files } = await during(200, (send) => {
        if (isStarted) return;
        isStarted = true;
        for (let client = 0; client < clients; client++) {
          void (async () => {
            for (;;) await send();
          })();
        }
      });
      assert.deepEqual(new Set(tookMs), new Set([fileMs]), 'no request waits for the spacing of files');
      // The last file was just started.
      assert.equal(files, 200 / fileMs + 1, 'all clients share every file');
    });
  }
});

const quickFiles = { fileMs: 0.5, requestBytes: 100_000 };

test('at a high rate, requests share files even if each is answered before the next one comes', async () => {
  const { tookMs, files } = await during(
    1_800,
    (send, nowMs) => {
      if (nowMs % 2 === 0) void send();
    },
    quickFiles,
  );
  // A file for each of the 500 requests before the first trial, after a second; then one for three or four of them.
  assert.ok(files <= 500 + 800 / 6 + 10, `${files} files`);
  assert.ok(Math.max(...tookMs) <= 10, `${Math.max(...tookMs)} ms`);
});

test('a client that waits for each answer is rarely held up by trials', async () => {
  let isStarted = false;
  const { tookMs } = await during(
    2_200,
    (send) => {
      if (isStarted) return;
      isStarted = true;
      void (async () => {
        for (;;) await send();
      })();
    },
    quickFiles,
  );
  const heldUp = tookMs.filter((ms) => ms > 1);
  assert.ok(heldUp.length <= 2 && Math.max(...heldUp) <= 10, `${heldUp} ms`);
});

test('requests at a high rate and without much in them do not wait longer for it', async () => {
  const load = { fileMs: 0.5, requestBytes: 1_000 };
  const { tookMs } = await during(
    1_200,
    (send, nowMs) => {
      if (nowMs % 2 === 0) void send();
    },
    load,
  );
  assert.ok(Math.max(...tookMs) <= 5 * load.fileMs + 2 * stepMs, `${Math.max(...tookMs)} ms`);
});

test('with a slow store, no request waits long for the spacing of files', async () => {
  const pace = new FilePace();
  for (let count = 0; count < 50; count++) pace.committed(500, 1_000);
  pace.closed(1_000);
  assert.equal(pace.dueMs, 1_016);
  assert.equal(pace.dueMsAfterAnswers(1_005), 1_016);
  assert.equal(pace.dueMsAfterAnswers(1_200), 1_201);
});
