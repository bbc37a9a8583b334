import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterChange, CompactionCommit } from '@weir/cluster';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { checkRandomRuns } from '../../testing/random-runs.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { ClusterMachine } from '../machine.ts';
import type { Saving } from '../snapshot/snapshot.ts';

/** A pointer, as the model knows it. A marker lies in the file ''. */
interface Place {
  fileId: string;
  byteStart: number;
  byteLength: number;
  base: number;
  next: number;
  timestampMs: number;
}

type Action =
  /** Appends batches to partitions; the file has a batch for each. */
  | { kind: 'commit'; partitions: number[]; timestampMs: number }
  | { kind: 'transaction'; partition: number; isCommitted: boolean }
  /** Begins a compaction of the files of a mask, which cuts its pointers after so many. */
  | { kind: 'compact'; mask: number; perPointer: number; outputs: number; rangesPerCommit: number }
  /** Commits the next part of one that was begun, and keeps it if it is to be repeated. */
  | { kind: 'finish'; which: number; isKept: boolean }
  | { kind: 'deleteRecords'; partition: number; part: number }
  | { kind: 'forget'; count: number }
  | { kind: 'deleteTopic' }
  | { kind: 'restoreTopic' }
  | { kind: 'removeTopic' }
  | { kind: 'save' }
  | { kind: 'restore' }
  | { kind: 'wait'; ms: number };

const partition = fc.nat(3);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      partitions: fc.array(partition, { minLength: 1, maxLength: 4 }),
      timestampMs: fc.integer({ min: -1, max: 30 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('transaction' as const),
      partition,
      isCommitted: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('compact' as const),
      mask: fc.oneof(fc.constant(0xffff), fc.nat(0xffff)),
      perPointer: fc.integer({ min: 1, max: 20 }),
      outputs: fc.integer({ min: 1, max: 2 }),
      rangesPerCommit: fc.constantFrom(1, 2, 1000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      which: fc.nat(3),
      isKept: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('deleteRecords' as const), partition, part: fc.nat(10) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('forget' as const), count: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteTopic' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restoreTopic' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removeTopic' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('save' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(10, 600) }),
  },
);

const limits = { compactionMsMax: 1000 };
/** Partitions 0 and 1 are those of the first topic, 2 and 3 those of the second. */
const topicOf = (number: number) => (number < 2 ? 'kept' : 'other');

class Run {
  readonly cluster = new Cluster(limits);
  readonly standby = ClusterMachine.empty('vci_test');
  readonly producer = new TestProducer(this.cluster);
  #partitions: Place[][] = [[], [], [], []];
  #starts = [0, 0, 0, 0];
  /** Which offsets of which partition lie where; what is deleted is not in it. */
  readonly #bucket = new Map<
    string,
    { number: number; base: number; next: number; at: number; end: number }[]
  >();
  /** The parts of each compaction that are not committed yet. */
  #begun: CompactionCommit[][] = [];
  #outputs = 0;
  #applied = 0;
  #isDeleted = false;
  #saving: { saving: Saving; expected: Buffer } | undefined;

  constructor() {
    this.cluster.execute({
      kind: 'alterClusterConfigs',
      configs: { 'service.soft.delete.topic.ttl.ms': '60000' },
    });
    for (const name of ['kept', 'other']) this.cluster.create(name, 2);
    this.producer.init();
    this.#follow();
  }

  take(action: Action): void {
    const { cluster } = this;
    switch (action.kind) {
      case 'commit':
        cluster.commit(
          ...action.partitions.map((number, index) => ({
            topicId: topicOf(number),
            partition: number % 2,
            records: index + 1,
            // With a gap each batch has a pointer of its own.
            gap: 1,
            timestampMs: action.timestampMs + index,
          })),
        );
        this.#learnAppended();
        break;
      case 'transaction':
        if (topicOf(action.partition) === 'other' && this.#isDeleted) break;
        this.producer.send(topicOf(action.partition), action.partition % 2);
        this.#learnAppended();
        this.producer.end(action.isCommitted);
        this.#learnAppended();
        break;
      case 'compact':
        this.#begin(action);
        break;
      case 'finish':
        this.#finish(action);
        break;
      case 'deleteRecords':
        this.#deleteRecords(action.partition, action.part);
        break;
      case 'forget': {
        const dead = cluster.machine.deadFiles({ deadBeforeMs: Infinity, limit: action.count });
        for (const { fileId } of dead) this.#bucket.delete(fileId);
        cluster.execute({ kind: 'forgetDeadFiles', fileIds: dead.map(({ fileId }) => fileId) });
        break;
      }
      case 'deleteTopic':
        cluster.delete('other');
        this.#isDeleted = true;
        break;
      case 'restoreTopic':
        cluster.execute({ kind: 'restoreTopics', topicIds: ['other'] });
        this.#isDeleted = false;
        break;
      case 'removeTopic':
        if (this.#isDeleted) break;
        cluster.execute({ kind: 'removeTopics', topics: [{ name: 'other' }] });
        this.producer.init();
        cluster.create('other', 2);
        for (const number of [2, 3]) {
          this.#partitions[number] = [];
          this.#starts[number] = 0;
        }
        break;
      case 'save':
        this.#finishSaving();
        this.#saving = { expected: cluster.saved(), saving: cluster.machine.beginSave() };
        break;
      case 'restore':
        this.#finishSaving();
        cluster.machine = ClusterMachine.restore(cluster.saved(), cluster.limits);
        break;
      case 'wait':
        cluster.nowMs += action.ms;
        break;
    }
    this.#follow();
  }

  /** Learns pointers that were appended, and where they lie. */
  #learnAppended(): void {
    for (const [number, places] of this.#partitions.entries()) {
      if (this.#isDeleted && number >= 2) continue;
      const from = places.at(-1)?.next ?? this.#starts[number]!;
      for (const place of this.#read(number, from)) {
        if (place.base < from) continue;
        places.push(place);
        if (place.fileId === '') continue;
        const content = this.#bucket.get(place.fileId) ?? [];
        this.#bucket.set(place.fileId, content);
        const { base, next, byteStart: at, byteLength } = place;
        content.push({ number, base, next, at, end: at + byteLength });
      }
    }
  }

  /** Pointers of a partition, as the machine has them. */
  #read(number: number, offset: number): Place[] {
    const query = { topicId: topicOf(number), partition: number % 2, offset, bytesMax: 1e9 };
    const { pointers } = this.cluster.machine.findBatches([query])[0]!;
    return pointers.fileId.map((fileId, row) => ({
      fileId,
      byteStart: pointers.byteStart[row]!,
      byteLength: pointers.byteLength[row]!,
      base: pointers.baseOffset[row]!,
      next: pointers.nextOffset[row]!,
      timestampMs: this.#timestampOf(number, fileId, pointers.byteStart[row]!),
    }));
  }

  readonly #timestamps = new Map<string, number>();

  #timestampOf(number: number, fileId: string, byteStart: number): number {
    return this.#timestamps.get(`${number}/${fileId}/${byteStart}`) ?? 0;
  }

  #begin({
    mask,
    perPointer,
    outputs: outputCount,
    rangesPerCommit,
  }: Extract<Action, { kind: 'compact' }>): void {
    const all = [...new Set(this.#partitions.flat().map(({ fileId }) => fileId))].filter(
      (fileId) => fileId !== '',
    );
    const inputFileIds = all.filter((_, index) => ((mask >> (index % 16)) & 1) === 1);
    const outputs = Array.from({ length: outputCount }, () => ({
      fileId: `0000000000011${(++this.#outputs).toString(16).padStart(19, '0')}`,
      fileBytes: 0,
    }));
    const ranges: { number: number; from: number; to: number; count: number }[] = [];
    const rows: { file: number; start: number; length: number; base: number; timestampMs: number }[] = [];
    for (const [number, places] of this.#partitions.entries()) {
      let run: Place[] = [];
      const flush = () => {
        if (run.some(({ fileId }) => fileId !== '')) {
          ranges.push({
            number,
            from: run[0]!.base,
            to: run.at(-1)!.next,
            count: Math.ceil(run.length / perPointer),
          });
          for (let at = 0; at < run.length; at += perPointer) {
            const part = run.slice(at, at + perPointer);
            const file = rows.length % outputCount;
            const output = outputs[file]!;
            const start = output.fileBytes;
            const content = this.#bucket.get(output.fileId) ?? [];
            this.#bucket.set(output.fileId, content);
            for (const { base, next } of part) {
              content.push({ number, base, next, at: output.fileBytes, end: output.fileBytes + 10 });
              output.fileBytes += 10;
            }
            const timestampMs = Math.max(...part.map((place) => place.timestampMs));
            this.#timestamps.set(`${number}/${output.fileId}/${start}`, timestampMs);
            rows.push({ file, start, length: output.fileBytes - start, base: part[0]!.base, timestampMs });
          }
        }
        run = [];
      };
      for (const place of places) {
        if (place.fileId === '' || inputFileIds.includes(place.fileId)) run.push(place);
        else flush();
      }
      flush();
    }
    const whole: CompactionCommit = {
      plannedMs: this.cluster.nowMs,
      inputFileIds,
      outputs,
      topicIds: ['kept', 'other'],
      ranges: {
        topic: Uint32Array.from(ranges, ({ number }) => (number < 2 ? 0 : 1)),
        partition: Uint32Array.from(ranges, ({ number }) => number % 2),
        fromOffset: Float64Array.from(ranges, ({ from }) => from),
        toOffset: Float64Array.from(ranges, ({ to }) => to),
        pointerCount: Uint32Array.from(ranges, ({ count }) => count),
      },
      pointers: {
        file: Uint32Array.from(rows, ({ file }) => file),
        byteStart: Uint32Array.from(rows, ({ start }) => start),
        byteLength: Uint32Array.from(rows, ({ length }) => length),
        baseOffset: Float64Array.from(rows, ({ base }) => base),
        maxTimestampMs: Float64Array.from(rows, ({ timestampMs }) => timestampMs),
      },
    };
    if (ranges.length > 0) this.#begun.push([...inParts(whole, rangesPerCommit)]);
  }

  #finish({ which, isKept }: Extract<Action, { kind: 'finish' }>): void {
    const commit = this.#begun[which]?.[0];
    if (commit === undefined) return;
    if (!isKept) this.#begun[which]!.shift();
    this.#begun = this.#begun.filter(({ length }) => length > 0);
    const { machine } = this.cluster;
    const fresh = commit.outputs.filter(({ isContinued }) => isContinued !== true);
    const isKnown = machine.unknownFiles(fresh.map(({ fileId }) => fileId)).length < fresh.length;
    const ends = () => this.#ends();
    const before = ends();
    const { outcome, isReplaced } = this.cluster.execute({ kind: 'replaceRanges', commit });
    assert.deepEqual(ends(), before);
    if (isKnown) {
      assert.deepEqual([outcome, [...isReplaced]], ['repeated', []]);
      return;
    }
    const expected = this.#expected(commit);
    assert.deepEqual([...isReplaced], expected);
    assert.equal(outcome, expected.includes(1) ? 'done' : 'refused');
  }

  /** Replaces what still fits in the model, and returns which ranges did. */
  #expected({ inputFileIds, outputs, ranges, pointers, plannedMs }: CompactionCommit): number[] {
    let row = 0;
    const alive = new Set(this.#partitions.flat().map(({ fileId }) => fileId));
    const isLost = outputs.some(({ fileId, isContinued }) => isContinued === true && !alive.has(fileId));
    return Array.from(ranges.topic, (topic, range) => {
      const number = 2 * topic + ranges.partition[range]!;
      const first = row;
      row += ranges.pointerCount[range]!;
      if (isLost || plannedMs < this.cluster.nowMs - limits.compactionMsMax) return 0;
      const from = ranges.fromOffset[range]!;
      const to = ranges.toOffset[range]!;
      const places = this.#partitions[number]!;
      const within = places.filter(({ base, next }) => next > from && base < to);
      const start = this.#starts[number]!;
      if (within.length === 0 || to <= start || within.at(-1)!.next !== to) return 0;
      const isCut = within[0] === places[0] && within[0]!.base > from;
      if (within[0]!.base !== from && !isCut) return 0;
      if (within.some(({ fileId }) => fileId !== '' && !inputFileIds.includes(fileId))) return 0;
      const replaced: Place[] = [];
      for (let at = first; at < row; at++) {
        const next = at + 1 < row ? pointers.baseOffset[at + 1]! : to;
        if (next <= start) continue;
        replaced.push({
          fileId: outputs[pointers.file[at]!]!.fileId,
          byteStart: pointers.byteStart[at]!,
          byteLength: pointers.byteLength[at]!,
          base: pointers.baseOffset[at]!,
          next,
          timestampMs: pointers.maxTimestampMs[at]!,
        });
      }
      places.splice(places.indexOf(within[0]!), within.length, ...replaced);
      return 1;
    });
  }

  #ends() {
    return this.#partitions.map((_, number) => {
      const query = {
        topicId: topicOf(number),
        partition: number % 2,
        offset: this.#starts[number]!,
        bytesMax: 1e9,
      };
      const { pointers: _pointers, ...ends } = this.cluster.machine.findBatches([query])[0]!;
      return ends;
    });
  }

  #deleteRecords(number: number, part: number): void {
    if (this.#isDeleted && number >= 2) return;
    const places = this.#partitions[number]!;
    const start = this.#starts[number]!;
    const end = places.at(-1)?.next ?? start;
    const offset = start + Math.floor(((end - start) * part) / 10);
    const partitions = [{ topicId: topicOf(number), partition: number % 2, offset }];
    assert.equal(this.cluster.execute({ kind: 'deleteRecords', partitions })[0]!.error, 'NONE');
    this.#starts[number] = Math.max(start, offset);
    this.#partitions[number] = places.filter(({ next }) => next > this.#starts[number]!);
  }

  #follow(): void {
    for (const entry of this.cluster.journal.slice(this.#applied)) {
      const changes = this.standby.apply(entry);
      for (const change of changes) if (change.kind === 'replaced') this.#checkChange(change);
    }
    this.#applied = this.cluster.journal.length;
  }

  /** No pointer that a follower keeps may have been replaced. */
  #checkChange({
    topicId,
    partition: partitions,
    belowOffset,
  }: Extract<ClusterChange, { kind: 'replaced' }>): void {
    for (const [row, number] of partitions.entries()) {
      const places = this.#partitions[(topicId === 'kept' ? 0 : 2) + number]!;
      const at = places.findIndex(({ base }) => base >= belowOffset[row]!);
      const above = at === -1 ? [] : places.slice(at);
      assert.ok(above.every(({ base }) => base >= belowOffset[row]!));
    }
  }

  #finishSaving(): void {
    if (this.#saving === undefined) return;
    const { saving, expected } = this.#saving;
    this.#saving = undefined;
    assert.ok(Buffer.concat([...saving.slices]).equals(expected), 'the snapshot is of another moment');
    saving.end();
  }

  compare(): void {
    this.#finishSaving();
    const { machine } = this.cluster;
    for (const [number, places] of this.#partitions.entries()) {
      if (this.#isDeleted && number >= 2) continue;
      const found = this.#read(number, this.#starts[number]!);
      const withoutTime = ({ timestampMs: _, ...place }: Place) => place;
      assert.deepEqual(found.map(withoutTime), places.map(withoutTime));
      for (const { fileId, byteStart, byteLength, base, next } of found) {
        if (fileId === '') continue;
        const content = this.#bucket.get(fileId);
        assert.ok(content !== undefined, `file ${fileId} is deleted`);
        const inside = content.filter(
          (part) => part.number === number && part.at >= byteStart && part.end <= byteStart + byteLength,
        );
        assert.deepEqual([inside[0]!.base, inside.at(-1)!.next], [base, next]);
      }
      const sizes = machine.logSizes([topicOf(number)]);
      const bytes = found.reduce((sum, { fileId, byteLength }) => sum + (fileId === '' ? 0 : byteLength), 0);
      assert.equal(sizes.byteCount[number % 2], bytes);
    }
    const alive = new Set(this.#partitions.flat().map(({ fileId }) => fileId));
    for (const { fileId } of machine.deadFiles({ deadBeforeMs: Infinity, limit: 1000 })) {
      assert.ok(!alive.has(fileId), `${fileId} is alive`);
    }
    alive.delete('');
    assert.equal(machine.stats().files, alive.size);
    assert.ok(Buffer.concat(this.standby.save()).equals(this.cluster.saved()), 'the follower differs');
  }
}

/** Cuts a commit after every so many ranges, as agents do. */
function* inParts(whole: CompactionCommit, rangesPerCommit: number): Generator<CompactionCommit> {
  const { ranges, pointers, outputs } = whole;
  const known = new Set<number>();
  let firstRow = 0;
  for (let first = 0; first < ranges.topic.length; first += rangesPerCommit) {
    const end = first + rangesPerCommit;
    const endRow = firstRow + ranges.pointerCount.slice(first, end).reduce((sum, count) => sum + count, 0);
    const file = pointers.file.slice(firstRow, endRow);
    const used = [...outputs.keys()].filter((output) => file.includes(output));
    yield {
      ...whole,
      outputs: used.map((output) => ({ ...outputs[output]!, isContinued: known.has(output) })),
      ranges: {
        topic: ranges.topic.slice(first, end),
        partition: ranges.partition.slice(first, end),
        fromOffset: ranges.fromOffset.slice(first, end),
        toOffset: ranges.toOffset.slice(first, end),
        pointerCount: ranges.pointerCount.slice(first, end),
      },
      pointers: {
        file: file.map((output) => used.indexOf(output)),
        byteStart: pointers.byteStart.slice(firstRow, endRow),
        byteLength: pointers.byteLength.slice(firstRow, endRow),
        baseOffset: pointers.baseOffset.slice(firstRow, endRow),
        maxTimestampMs: pointers.maxTimestampMs.slice(firstRow, endRow),
      },
    };
    for (const output of used) known.add(output);
    firstRow = endRow;
  }
}

test('compactions between all else keep every record, whatever they find when they are committed', () => {
  checkRandomRuns(action, () => new Run(), { numRuns: 150 });
});
