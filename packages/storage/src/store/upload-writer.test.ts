import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import type { ObjectUpload } from './object-store.ts';
import { UploadWriter } from './upload-writer.ts';

/** An upload whose parts are stored when the test says so. */
class HeldUpload implements ObjectUpload {
  readonly parts: Buffer[] = [];
  readonly waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  inFlightMax = 0;
  finished: number | undefined;
  isAborted = false;
  isHeld = false;

  async putPart(index: number, content: readonly Uint8Array[]): Promise<void> {
    if (this.isHeld) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.waiting.push({ resolve, reject });
      this.inFlightMax = Math.max(this.inFlightMax, this.waiting.length);
      await promise;
    }
    // Read late: the memory of a part must not be used again before.
    this.parts[index] = Buffer.concat(content);
  }

  async finish(partCount: number): Promise<void> {
    this.finished = partCount;
  }

  async abort(): Promise<void> {
    assert.equal(this.waiting.length, 0, 'no part is under way');
    this.isAborted = true;
  }
}

test('whatever is written arrives in full parts, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(40)), fc.integer({ min: 1, max: 16 }), async (lengths, partBytes) => {
      const upload = new HeldUpload();
      const writer = new UploadWriter(upload, { partsInFlightMax: 2, partBytes });
      const random = seededRandom(1);
      const written = lengths.map((length) => Buffer.from(Array.from({ length }, () => random.below(256))));
      for (const bytes of written) await writer.write(bytes);
      await writer.finish();
      const content = Buffer.concat(written);
      assert.equal(writer.bytes, content.length);
      assert.ok(Buffer.concat(upload.parts).equals(content));
      assert.ok(upload.parts.slice(0, -1).every(({ length }) => length === partBytes));
      assert.equal(upload.finished, upload.parts.length);
    }),
  );
});

test('the memory of the first part grows with what is written', async () => {
  const upload = new HeldUpload();
  const writer = new UploadWriter(upload, { partsInFlightMax: 2, partBytes: 1 << 20 });
  const written = Array.from({ length: 40 }, (_, index) => Buffer.alloc(1000 + index * 3_000, index));
  for (const bytes of written) await writer.write(bytes);
  await writer.finish();
  assert.deepEqual(
    upload.parts.map(({ length }) => length),
    [1 << 20, 1 << 20, 282_848],
  );
  assert.ok(Buffer.concat(upload.parts).equals(Buffer.concat(written)));
});

test('a writer waits for its parts, and holds a bounded number of them', async () => {
  const upload = new HeldUpload();
  upload.isHeld = true;
  const writer = new UploadWriter(upload, { partsInFlightMax: 2, partBytes: 4 });
  let isWritten = false;
  const writing = (async () => {
    for (const text of ['abc', 'def', 'ghijkl', 'mnopqr', 's']) await writer.write(Buffer.from(text));
    isWritten = true;
    await writer.finish();
  })();
  for (let turn = 0; upload.finished === undefined && turn < 1000; turn++) {
    await Promise.resolve();
    if (turn % 10 === 9) upload.waiting.shift()?.resolve();
  }
  await writing;
  assert.ok(isWritten);
  assert.equal(upload.inFlightMax, 2);
  assert.equal(Buffer.concat(upload.parts).toString(), 'abcdefghijklmnopqrs');
});

test('a part that fails fails the writer, and aborting waits for the others', async () => {
  const upload = new HeldUpload();
  upload.isHeld = true;
  const writer = new UploadWriter(upload, { partsInFlightMax: 3, partBytes: 4 });
  await writer.write(Buffer.from('abcdefgh'));
  const [first, second] = upload.waiting.splice(0);
  second!.reject(new Error('no room'));
  await assert.rejects(async () => {
    for (let turn = 0; turn < 10; turn++) await writer.write(Buffer.from('x'));
    await writer.write(Buffer.from('yyyy'));
  }, /no room/);
  const aborting = writer.abort();
  first!.resolve();
  for (const { resolve } of upload.waiting.splice(0)) resolve();
  await aborting;
  assert.ok(upload.isAborted);
  assert.equal(upload.finished, undefined);
  await assert.rejects(async () => writer.write(Buffer.from('z')), /no room/);
});

test('an aborted signal ends the writer', async () => {
  const stop = new AbortController();
  const writer = new UploadWriter(new HeldUpload(), {
    partsInFlightMax: 1,
    partBytes: 4,
    signal: stop.signal,
  });
  await writer.write(Buffer.from('abcdef'));
  stop.abort(new Error('enough'));
  await assert.rejects(async () => writer.write(Buffer.from('ghij')), /enough/);
  await assert.rejects(writer.finish(), /enough/);
});
