import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pointers } from '@weir/cluster';
import { seededRandom } from '@weir/core';
import { settle } from '@weir/core/testing';
import { StoreError } from '@weir/storage';
import { recordBatches } from '@weir/wire';
import fc from 'fast-check';
import { batchOf, DataPath, type DataPathOptions, produced } from '../../testing/data-path.ts';
import { brokerLimits } from '../limits.ts';
import type { BatchList } from './batch-list.ts';
import { DamagedRange, type DamageKind } from './damaged-range.ts';

const everything = { fromOffset: 0, bytesMax: Number.MAX_SAFE_INTEGER, atLeastOne: true };
const noCache = { ownFiles: 'none', cacheBytesMax: 0 } as const;

interface Stage {
  readonly path: DataPath;
  /** Produced batches of each partition, by base offset. */
  readonly produced: readonly Map<number, Buffer>[];
  readonly ends: readonly number[];
  pointers(partition?: number): Promise<Pointers>;
  read(fromOffset: number, partition?: number): Promise<BatchList | DamagedRange>;
  key(file: number): string;
  change(key: string, damage: (content: Buffer) => Buffer | undefined): void;
}

/** Writes `files`, each a list of partitions with the records of one batch. */
async function stageOf(
  files: readonly (readonly [partition: number, values: readonly string[]][])[],
  pages: DataPathOptions['pages'] = noCache,
): Promise<Stage> {
  const path = new DataPath({ flush: { windowMs: 10, compressedBytesMax: 1 << 30 }, pages: { ...pages } });
  const partitions = 1 + Math.max(...files.flat().map(([partition]) => partition));
  const { topicId } = path.cluster.addTopic('t', partitions);
  await path.ready();
  const batches = Array.from({ length: partitions }, () => new Map<number, Buffer>());
  const ends = new Array<number>(partitions).fill(0);
  for (const file of files) {
    const appended = path.writePath.append(
      file.map(([partition, values]) => {
        const batch = batchOf([...values]);
        batches[partition]!.set(ends[partition]!, Buffer.from(batch));
        ends[partition]! += values.length;
        return produced(topicId, partition, batch);
      }),
      { deadlineMs: Number.POSITIVE_INFINITY },
    );
    path.clock.advance(10);
    await appended;
    await settle();
  }
  const pointers = async (partition = 0, offset = 0) => {
    const query = { topicId, partition, offset, bytesMax: Number.MAX_SAFE_INTEGER };
    return (await path.cluster.findBatches([query]))[0]!.pointers;
  };
  return {
    path,
    produced: batches,
    ends,
    pointers,
    async read(fromOffset, partition = 0) {
      const query = { pointers: await pointers(partition, fromOffset), ...everything, fromOffset };
      const [result] = await path.readPath.readBatches([query]);
      if (result instanceof Error && !(result instanceof DamagedRange)) throw result;
      return result!;
    },
    key: (file) => [...path.store.objects.keys()][file]!,
    change(key, damage) {
      const changed = damage(Buffer.from(path.store.objects.get(key)!));
      if (changed === undefined) path.store.objects.delete(key);
      else path.store.objects.set(key, changed);
    },
  };
}

function baseOffsetsOf(list: BatchList | DamagedRange): number[] {
  if (list instanceof DamagedRange) throw list;
  return [...recordBatches(Buffer.concat(list.slices), { partialTail: 'error' })].map(({ baseOffset }) =>
    Number(baseOffset),
  );
}

/** Three files; the middle one has three batches of the partition, the others one each. */
const threeFiles = [
  [[0, ['a']]],
  [
    [0, ['b', 'c']],
    [0, ['d']],
    [0, ['e', 'f', 'g']],
  ],
  [[0, ['h']]],
] satisfies [number, string[]][][];

const flip = (at: number) => (content: Buffer) => {
  content[at]! ^= 1;
  return content;
};

interface Case {
  /** Damages the middle file, whose batches begin at the given bytes. */
  readonly damage: (content: Buffer, starts: readonly number[]) => Buffer | undefined;
  /** The base offsets that can be read from the beginning, up to the damage. */
  readonly readable: readonly number[];
  readonly damagedOffset: number;
  readonly kind: DamageKind;
}

const cases: Record<string, Case> = {
  'an emptied file': {
    damage: () => Buffer.alloc(0),
    readable: [0],
    damagedOffset: 1,
    kind: 'short',
  },
  'a deleted file': { damage: () => undefined, readable: [0], damagedOffset: 1, kind: 'missing' },
  'a file cut inside its second batch': {
    damage: (content, starts) => content.subarray(0, starts[1]! + 65),
    readable: [0, 1],
    damagedOffset: 3,
    kind: 'short',
  },
  'a file cut inside the header of its second batch': {
    damage: (content, starts) => content.subarray(0, starts[1]! + 5),
    readable: [0, 1],
    damagedOffset: 3,
    kind: 'short',
  },
  'a file cut between batches': {
    damage: (content, starts) => content.subarray(0, starts[2]!),
    readable: [0, 1, 3],
    damagedOffset: 4,
    kind: 'short',
  },
  'a flipped bit in the records of the second batch': {
    damage: (content, starts) => flip(starts[1]! + 64)(content),
    readable: [0, 1],
    damagedOffset: 3,
    kind: 'corrupt',
  },
  'a flipped bit in the length of the second batch': {
    damage: (content, starts) => flip(starts[1]! + 11)(content),
    readable: [0, 1],
    damagedOffset: 3,
    kind: 'corrupt',
  },
  'a flipped bit in the magic of the second batch': {
    damage: (content, starts) => flip(starts[1]! + 16)(content),
    readable: [0, 1],
    damagedOffset: 3,
    kind: 'corrupt',
  },
  'a flipped bit in the last offset delta of the second batch': {
    damage: (content, starts) => flip(starts[1]! + 26)(content),
    readable: [0, 1],
    damagedOffset: 3,
    kind: 'corrupt',
  },
  'a file of zeros': {
    damage: (content) => content.fill(0),
    readable: [0],
    damagedOffset: 1,
    kind: 'corrupt',
  },
};

for (const [name, { damage, readable, damagedOffset, kind }] of Object.entries(cases)) {
  test(`${name}: batches before and after the damage are readable, and no damaged byte is returned`, async () => {
    for (const pageBytes of [50, 4 << 20]) {
      for (const cacheBytesMax of [0, 1 << 20]) {
        const stage = await stageOf(threeFiles, { ownFiles: 'none', pageBytes, cacheBytesMax });
        const [, start] = (await stage.pointers()).byteStart;
        const sizes = [...stage.produced[0]!.values()].map(({ length }) => length);
        const starts = [start!, start! + sizes[1]!, start! + sizes[1]! + sizes[2]!];
        const key = stage.key(1);
        const whole = stage.path.store.objects.get(key)!;
        stage.change(key, (content) => damage(content, starts));

        assert.deepEqual(baseOffsetsOf(await stage.read(0)), readable);
        const failed = await stage.read(damagedOffset);
        assert.ok(failed instanceof DamagedRange, `${failed}`);
        assert.partialDeepStrictEqual(failed.damage, {
          kind,
          fileId: (await stage.pointers()).fileId[1]!,
          firstOffset: damagedOffset,
          nextOffset: 7,
        });
        // Offsets after the damage within the file are unreachable: where their batches begin is not certain.
        assert.ok((await stage.read(6)) instanceof DamagedRange);

        stage.path.store.objects.set(key, whole);
        assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0, 1, 3, 4, 7], 'restored');
      }
    }
  });
}

test('damage outside of batches does not matter', async () => {
  const stage = await stageOf(threeFiles);
  const [, start] = (await stage.pointers()).byteStart;
  stage.change(stage.key(1), (content) => {
    content.fill(0xff, 0, start!);
    // The position of a batch is rewritten when it is sent, and the index of the file is not read.
    content.fill(0xff, start!, start! + 8);
    content.fill(0xff, content.length - 24);
    return content;
  });
  assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0, 1, 3, 4, 7]);
});

test('other partitions of a damaged file are readable', async () => {
  const stage = await stageOf([
    [
      [0, ['a']],
      [1, ['b']],
      [2, ['c']],
    ],
  ]);
  const start = (await stage.pointers(1)).byteStart[0]!;
  stage.change(stage.key(0), flip(start + 64));
  assert.deepEqual(baseOffsetsOf(await stage.read(0, 0)), [0]);
  assert.ok((await stage.read(0, 1)) instanceof DamagedRange);
  assert.deepEqual(baseOffsetsOf(await stage.read(0, 2)), [0]);
});

test('a store that does not answer does not count as damage', async () => {
  for (const kind of ['timeout', 'unavailable', 'throttled', 'denied'] as const) {
    const stage = await stageOf(threeFiles);
    stage.path.store.beforeGet = () => Promise.reject(new StoreError(kind, 'key', 'test'));
    const query = { pointers: await stage.pointers(), ...everything };
    const [result] = await stage.path.readPath.readBatches([query]);
    assert.ok(result instanceof StoreError, kind);
    stage.path.store.beforeGet = async () => {};
    assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0, 1, 3, 4, 7]);
  }
});

test('a batch is checked once while its pages are in memory', async () => {
  for (const pageBytes of [100, 4 << 20]) {
    const stage = await stageOf(threeFiles, { ownFiles: 'none', pageBytes, cacheBytesMax: 1 << 20 });
    assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0, 1, 3, 4, 7]);
    const { gets } = stage.path.store;
    // The store returns views, so this also changes the bytes of the cached pages.
    const [, start] = (await stage.pointers()).byteStart;
    const stored = stage.path.store.objects.get(stage.key(1))!;
    stored[start! + 64]! ^= 1;
    assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0, 1, 3, 4, 7]);
    assert.equal(stage.path.store.gets, gets);
  }
});

test('files that this agent wrote are served from memory, whatever happens to them in the store', async () => {
  const stage = await stageOf(threeFiles, { ownFiles: 'copy' });
  stage.change(stage.key(1), () => undefined);
  assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0, 1, 3, 4, 7]);
  assert.equal(stage.path.store.gets, 0);
});

test('batches of another file are not taken for the committed ones', async () => {
  const stage = await stageOf([[[0, ['a']]], [[0, ['b']]], [[0, ['c']]]]);
  stage.path.store.objects.set(stage.key(0), stage.path.store.objects.get(stage.key(1))!);
  const failed = await stage.read(0);
  assert.ok(failed instanceof DamagedRange);
  assert.equal(failed.damage.kind, 'corrupt');
  assert.deepEqual(baseOffsetsOf(await stage.read(1)), [1, 2]);
});

test('searches see intact batches only', async () => {
  const stage = await stageOf(threeFiles);
  const pointers = await stage.pointers();
  stage.change(stage.key(1), flip(pointers.byteStart[1]! + 64));
  const seen: number[] = [];
  const search = stage.path.readPath.searchBatches(pointers, (_, baseOffset) => {
    seen.push(baseOffset);
  });
  await assert.rejects(search, DamagedRange);
  assert.deepEqual(seen, [0]);
});

test('whatever happens to files, readers get what was produced, or an error', async () => {
  const file = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 2 }),
      fc.array(fc.string({ maxLength: 90 }), { minLength: 1, maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 6 },
  );
  const damage = fc.record({
    file: fc.nat(),
    kind: fc.constantFrom('delete', 'empty', 'cut', 'flip', 'zero', 'insert', 'reverse'),
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    bit: fc.integer({ min: 0, max: 7 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { minLength: 1, maxLength: 4 }),
      fc.array(damage, { maxLength: 3 }),
      fc.constantFrom(40, 100, 1_000, 4 << 20),
      fc.boolean(),
      fc.integer(),
      async (files, damages, pageBytes, isCached, seed) => {
        const stage = await stageOf(files, {
          ownFiles: 'none',
          pageBytes,
          cacheBytesMax: isCached ? 1 << 20 : 0,
        });
        const random = seededRandom(seed);
        const hasVersions = random.below(2) === 0;
        if (hasVersions) stage.path.store.version = 'written';
        if (random.below(2) === 0) await stage.read(0);
        if (hasVersions) stage.path.store.version = 'changed';
        const keys = [...stage.path.store.objects.keys()];
        for (const { file, kind, at, bit } of damages) {
          const key = keys[file % keys.length]!;
          if (!stage.path.store.objects.has(key)) continue;
          stage.change(key, (content) => {
            const byte = Math.floor(at * content.length);
            if (kind === 'delete') return undefined;
            if (kind === 'empty') return Buffer.alloc(0);
            if (kind === 'cut') return content.subarray(0, byte);
            if (kind === 'flip' && content.length > 0) content[byte]! ^= 1 << bit;
            if (kind === 'zero') content.fill(0, byte, Math.min(content.length, byte + 80));
            if (kind === 'insert') {
              return Buffer.concat([content.subarray(0, byte), Buffer.alloc(3), content.subarray(byte)]);
            }
            if (kind === 'reverse') content.reverse();
            return content;
          });
        }
        for (const [partition, end] of stage.ends.entries()) {
          for (let offset = 0; offset < end; ) {
            const result = await stage.read(offset, partition);
            if (result instanceof DamagedRange) {
              const { firstOffset, nextOffset } = result.damage;
              assert.ok(firstOffset <= offset && offset < nextOffset, `${offset}: ${result.message}`);
              assert.ok(damages.length > 0);
              offset = nextOffset;
              continue;
            }
            const answered = Buffer.concat(result.slices);
            assert.ok(result.nextOffset > offset, 'a reader always makes progress');
            for (const batch of recordBatches(answered, { partialTail: 'error' })) {
              const original = stage.produced[partition]!.get(Number(batch.baseOffset))!;
              assert.ok(batch.bytes.subarray(16).equals(original.subarray(16)));
              assert.ok(batch.bytes.subarray(8, 12).equals(original.subarray(8, 12)));
            }
            offset = result.nextOffset;
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});

/** What a second read finds after a byte of the first batch was changed, by what happened in between. */
const secondReads: Record<
  string,
  { readonly versions: [string | undefined, string | undefined]; ms?: number; isFound: boolean }
> = {
  'a store elsewhere': { versions: [undefined, undefined], isFound: true },
  'a file on this machine that was written again': { versions: ['1', '2'], isFound: true },
  'a file on this machine, by its disk': { versions: ['1', '1'], isFound: false },
  'a file on this machine, long after its check': {
    versions: ['1', '1'],
    ms: brokerLimits.checkedFileAgeMs,
    isFound: true,
  },
};

for (const [name, { versions, ms = 0, isFound }] of Object.entries(secondReads)) {
  test(`${isFound ? 'checks' : 'does not check'} what is read again of ${name}`, async () => {
    const stage = await stageOf([[[0, ['a']]]]);
    stage.path.store.version = versions[0];
    assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0]);
    stage.change(stage.key(0), flip((await stage.pointers()).byteStart[0]! + 64));
    stage.path.store.version = versions[1];
    stage.path.clock.advance(ms);
    const second = await stage.read(0);
    assert.equal(second instanceof DamagedRange, isFound);
  });
}

test('a file that turns out to be damaged is checked as a whole again', async () => {
  const stage = await stageOf([threeFiles[1]!]);
  stage.path.store.version = '1';
  const start = (await stage.pointers()).byteStart[0]!;
  const sizes = [...stage.produced[0]!.values()].map(({ length }) => length);
  assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0, 2, 3]);
  // The records of the first batch, which nothing looks at, and the header of the last.
  stage.change(stage.key(0), flip(start + 64));
  stage.change(stage.key(0), flip(start + sizes[0]! + sizes[1]! + 16));
  assert.deepEqual(baseOffsetsOf(await stage.read(0)), [0, 2]);
  assert.ok((await stage.read(0)) instanceof DamagedRange);
});
