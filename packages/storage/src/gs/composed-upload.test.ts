import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storageLimits } from '../limits.ts';
import { ComposedUpload } from './composed-upload.ts';

const full = Buffer.alloc(storageLimits.uploadPartBytes);

/** Parts without content: what they are made of. */
function uploadOfNames() {
  const madeOf = new Map<string, readonly string[]>();
  let joins = 0;
  let largest = 0;
  let result: readonly string[] | undefined;
  function partsOf(sources: readonly string[]): readonly string[] {
    largest = Math.max(largest, sources.length);
    joins++;
    return sources.flatMap((name) => madeOf.get(name) ?? assert.fail(`${name} does not exist`));
  }
  const upload = new ComposedUpload({
    key: 'key',
    folder: 'folder/',
    async insertPart(name) {
      assert.ok(!madeOf.has(name), 'a name is used once');
      madeOf.set(name, [name]);
    },
    async joinParts(name, sources) {
      assert.ok(!madeOf.has(name), 'a name is used once');
      madeOf.set(name, partsOf(sources));
    },
    async joinObject(sources) {
      result = partsOf(sources);
    },
    isJoined: async () => false,
    removeParts: async () => madeOf.clear(),
  });
  return { upload, madeOf, result: () => result, joins: () => joins, largest: () => largest };
}

for (const [parts, joins] of [
  [1, 1],
  [32, 1],
  [33, 3],
  [1024, 33],
  [1025, 33 + 2 + 1],
] as const) {
  test(`${parts} parts are joined in their order, 32 at most at a time`, async () => {
    const { upload, madeOf, ...seen } = uploadOfNames();
    const indices = Array.from({ length: parts }, (_, index) => index);
    const names: string[] = [];
    for (const index of [...indices].reverse()) {
      await upload.putPart(index, [index === parts - 1 ? full.subarray(0, 1) : full]);
      names[index] = [...madeOf.keys()].at(-1)!;
    }
    await upload.finish(parts);
    assert.deepEqual(seen.result(), names);
    assert.equal(seen.joins(), joins);
    assert.ok(seen.largest() <= 32);
    assert.equal(madeOf.size, 0, 'parts are removed');
  });
}
