import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompactionCommit, type CompactionJob, noRangeFile, type Pointers } from '@weir/cluster';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { TestProducer } from '../../testing/transactional-producer.ts';
import { ClusterMachine } from '../machine.ts';

/**
 * Clones, deletions, retention and merges in any order, against a model in which every topic has records of its own
 * and the bucket has files. A topic must read like its model, and a file must be there exactly as long as it is needed.
 */
type Action =
  | { kind: 'commit'; topic: number; partition: number; batches: number[]; other: number }
  | { kind: 'send'; producer: number; topic: number; partition: number }
  | { kind: 'end'; producer: number; isCommit: boolean }
  | { kind: 'clone'; topic: number; to: number; cuts: (number | null)[] }
  | { kind: 'deleteRecords'; topic: number; partition: number; part: number }
  | { kind: 'retention'; topic: number; bytes: number }
  | { kind: 'delete'; topic: number }
  | { kind: 'restore'; topic: number }
  | { kind: 'remove'; topic: number }
  | { kind: 'purge' }
  | { kind: 'plan' }
  | { kind: 'merge'; which: number; perPointer: number }
  | { kind: 'deleteFiles'; count: number }
  | { kind: 'failover' };

const names = ['t0', 't1', 't2', 't3'];
const topic = fc.nat(names.length - 1);
const partition = fc.nat(1);
const producer = fc.nat(1);
const weighted = <Kind extends Action['kind']>(
  weight: number,
  kind: Kind,
  rest: {
    [Key in keyof Omit<Extract<Action, { kind: Kind }>, 'kind'>]: fc.Arbitrary<
      Extract<Action, { kind: Kind }>[Key]
    >;
  },
) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), ...rest }) as unknown as fc.Arbitrary<Action>,
});

const action = fc.oneof(
  weighted(10, 'commit', {
    topic,
    partition,
    batches: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
    other: topic,
  }),
  weighted(3, 'send', { producer, topic, partition }),
  weighted(3, 'end', { producer, isCommit: fc.boolean() }),
  weighted(6, 'clone', {
    topic,
    to: topic,
    cuts: fc.tuple(...[0, 1].map(() => fc.option(fc.nat(10)))),
  }),
  weighted(2, 'deleteRecords', { topic, partition, part: fc.nat(10) }),
  weighted(1, 'retention', { topic, bytes: fc.nat(600) }),
  weighted(1, 'delete', { topic }),
  weighted(1, 'restore', { topic }),
  weighted(1, 'remove', { topic }),
  weighted(1, 'purge', {}),
  weighted(3, 'plan', {}),
  weighted(4, 'merge', { which: fc.nat(3), perPointer: fc.integer({ min: 1, max: 3 }) }),
  weighted(3, 'deleteFiles', { count: fc.nat(10) }),
  weighted(1, 'failover', {}),
);

const batchBytes = 100;
const marker = 'marker';

interface Batch {
  readonly at: number;
  readonly tokens: readonly string[];
}

interface Log {
  start: number;
  /** By offset. */
  tokens: string[];
  aborted: { producerId: number; first: number; last: number }[];
}

interface Model {
  topicId: string;
  name: string;
  logs: Log[];
  deletedMs: number | undefined;
}

class Run {
  readonly cluster = new Cluster({
    compactionFanIn: 2,
    compactionYoungMs: 0,
    compactionWaitMs: 0,
    compactionPointersMax: 40,
  });
  readonly #producers = ['a', 'b'].map((id) => new TestProducer(this.cluster, id));
  readonly #open = new Map<TestProducer, Map<Log, number>>();
  readonly #standby = ClusterMachine.empty('vci_test');
  #applied = 0;
  #topics: Model[] = [];
  readonly #bucket = new Map<string, Batch[]>();
  #jobs: CompactionJob[] = [];
  #serial = 0;

  constructor() {
    for (const client of this.#producers) client.init();
    this.#create('t0');
    // Enough for full chunks of pointers, which clones share.
    for (let file = 0; file < 20; file++) {
      this.take({ kind: 'commit', topic: 0, partition: 0, batches: [1], other: 0 });
    }
  }

  #create(name: string): void {
    const topicId = `id${++this.#serial}`;
    // Days pass, and only retention by bytes is part of the model.
    const topics = [{ name, partitionCount: 2, configs: { 'retention.ms': '-1' } }];
    this.cluster.execute({ kind: 'createTopics', topics, topicIds: [topicId], validateOnly: false });
    const logs = [0, 1].map(() => ({ start: 0, tokens: [], aborted: [] }));
    this.#topics.push({ topicId, name, logs, deletedMs: undefined });
  }

  #live(number: number): Model | undefined {
    return this.#topics.find(({ name, deletedMs }) => name === names[number] && deletedMs === undefined);
  }

  #removed(gone: Model): void {
    this.#topics = this.#topics.filter((one) => one !== gone);
    for (const logs of this.#open.values()) for (const log of gone.logs) logs.delete(log);
  }

  take(action: Action): void {
    const { cluster } = this;
    cluster.nowMs += 10;
    switch (action.kind) {
      case 'commit': {
        const wanted = [this.#live(action.topic), this.#live(action.other)];
        const rows = wanted.flatMap((found, index) =>
          found === undefined || (index === 1 && found === wanted[0])
            ? []
            : action.batches.map((records) => ({
                topicId: found.topicId,
                partition: action.partition,
                records,
              })),
        );
        if (rows.length === 0) break;
        cluster.commit(...rows.map((row) => ({ ...row, bytes: batchBytes })));
        for (const found of new Set(wanted))
          if (found !== undefined) this.#learn(found, action.partition, action.batches);
        break;
      }
      case 'send': {
        const found = this.#live(action.topic);
        const client = this.#producers[action.producer]!;
        if (found === undefined || typeof client.send(found.topicId, action.partition) !== 'number') break;
        const log = found.logs[action.partition]!;
        const open = this.#open.get(client) ?? new Map<Log, number>();
        this.#open.set(client, open);
        if (!open.has(log)) open.set(log, log.tokens.length);
        this.#learn(found, action.partition, [1]);
        break;
      }
      case 'end': {
        const client = this.#producers[action.producer]!;
        const { producerId } = client;
        if (client.end(action.isCommit) !== 'NONE') break;
        for (const [log, first] of this.#open.get(client) ?? []) {
          log.tokens.push(marker);
          if (!action.isCommit) log.aborted.push({ producerId, first, last: log.tokens.length - 1 });
        }
        this.#open.delete(client);
        break;
      }
      case 'clone':
        this.#clone(action);
        break;
      case 'deleteRecords': {
        const found = this.#live(action.topic);
        if (found === undefined) break;
        const log = found.logs[action.partition]!;
        const stable = this.#stable(log);
        const offset = log.start + Math.floor(((stable - log.start) * action.part) / 10);
        const partitions = [{ topicId: found.topicId, partition: action.partition, offset }];
        assert.equal(cluster.execute({ kind: 'deleteRecords', partitions })[0]!.error, 'NONE');
        log.start = offset;
        break;
      }
      case 'retention':
        this.#retain(action);
        break;
      case 'delete': {
        const found = this.#live(action.topic);
        if (found === undefined) break;
        cluster.delete(found.name);
        found.deletedMs = cluster.nowMs;
        break;
      }
      case 'restore': {
        const found = this.#topics.find(
          ({ name, deletedMs }) => name === names[action.topic] && deletedMs !== undefined,
        );
        if (found === undefined) break;
        const [result] = cluster.execute({ kind: 'restoreTopics', topicIds: [found.topicId] });
        if (result!.error === 'NONE') found.deletedMs = undefined;
        else assert.ok(this.#live(action.topic) !== undefined);
        break;
      }
      case 'remove': {
        const found = this.#live(action.topic);
        if (found === undefined) break;
        cluster.execute({ kind: 'removeTopics', topics: [{ name: found.name }] });
        this.#removed(found);
        break;
      }
      case 'purge':
        cluster.nowMs += 86_400_000;
        cluster.execute({ kind: 'purge' });
        for (const found of this.#topics) if (found.deletedMs !== undefined) this.#removed(found);
        cluster.execute({ kind: 'expireTransactions' });
        this.#expire();
        break;
      case 'plan': {
        const planning = cluster.machine.planCompaction(cluster.nowMs, new Set());
        for (let step = planning.next(); ; step = planning.next()) {
          if (step.done !== true) continue;
          this.#jobs.push(...step.value);
          break;
        }
        break;
      }
      case 'merge': {
        const [job] = this.#jobs.splice(action.which, 1);
        if (job !== undefined) this.#merge(job, action.perPointer);
        break;
      }
      case 'deleteFiles': {
        const dead = cluster.machine.deadFiles({
          deadBeforeMs: Number.POSITIVE_INFINITY,
          limit: action.count,
        });
        for (const { fileId } of dead) this.#bucket.delete(fileId);
        cluster.execute({ kind: 'forgetDeadFiles', fileIds: dead.map(({ fileId }) => fileId) });
        break;
      }
      case 'failover':
        cluster.machine = ClusterMachine.restore(cluster.saved(), cluster.limits);
        break;
    }
    if (this.#topics.every(({ deletedMs }) => deletedMs !== undefined)) {
      const free = names.find((name) => cluster.machine.topicByName(name) === undefined)!;
      this.#create(free);
    }
  }

  /** A day passed: every open transaction is aborted. */
  #expire(): void {
    for (const client of this.#producers) {
      for (const [log, first] of this.#open.get(client) ?? []) {
        log.tokens.push(marker);
        log.aborted.push({ producerId: client.producerId, first, last: log.tokens.length - 1 });
      }
      this.#open.delete(client);
      client.init();
    }
  }

  #stable(log: Log): number {
    const firsts = [...this.#open.values()].flatMap((open) => open.get(log) ?? []);
    return Math.max(log.start, Math.min(log.tokens.length, ...firsts));
  }

  /** Adds batches that were committed to the model and to the bucket. */
  #learn({ topicId, logs }: Model, partition: number, batches: readonly number[]): void {
    const log = logs[partition]!;
    const from = log.tokens.length;
    const { fileId, byteStart } = this.#pointers(topicId, partition, from);
    const content = this.#bucket.get(fileId[0]!) ?? [];
    this.#bucket.set(fileId[0]!, content);
    let at = byteStart[0]!;
    for (const records of batches) {
      const tokens = Array.from({ length: records }, () => `r${++this.#serial}`);
      log.tokens.push(...tokens);
      content.push({ at, tokens });
      at += batchBytes;
    }
  }

  #pointers(topicId: string, partition: number, offset: number): Pointers {
    const [answer] = this.cluster.machine.findBatches([{ topicId, partition, offset, bytesMax: 1e9 }]);
    assert.equal(answer!.error, 'NONE');
    return answer!.pointers;
  }

  /** The batches of a byte range, which must be in the bucket. */
  #batches(fileId: string, byteStart: number, byteLength: number): Batch[] {
    const content = this.#bucket.get(fileId);
    assert.ok(content !== undefined, `the file ${fileId} was deleted`);
    const found = content
      .filter(({ at }) => at >= byteStart && at < byteStart + byteLength)
      .sort((a, b) => a.at - b.at);
    assert.equal(found.length * batchBytes, byteLength);
    return found;
  }

  #clone({ topic: from, to, cuts }: Extract<Action, { kind: 'clone' }>): void {
    const source = this.#live(from);
    if (source === undefined) return;
    const cutAt = source.logs.map((log, partition) => this.#cut(source, log, partition, cuts[partition]!));
    const ends = cutAt.flatMap(({ end }) => (end === undefined ? [] : [end]));
    const topicId = `id${++this.#serial}`;
    const request = { sourceId: source.topicId, name: names[to]!, configs: {}, unsetConfigs: [], ends };
    const result = this.cluster.execute({ kind: 'cloneTopic', request, topicId });
    if (this.#live(to) !== undefined) {
      assert.equal(result.error, 'TOPIC_ALREADY_EXISTS');
      return;
    }
    assert.deepEqual([result.error, result.message], ['NONE', null]);
    const logs = source.logs.map((log, partition): Log => {
      const { offset } = cutAt[partition]!;
      const hasRecords = offset > log.start;
      const tokens = log.tokens.slice(0, offset);
      const aborted = hasRecords ? log.aborted.filter(({ last }) => last < offset) : [];
      for (const one of hasRecords ? log.aborted : []) {
        if (one.last < offset || one.first >= offset) continue;
        aborted.push({ ...one, last: tokens.length });
        tokens.push(marker);
      }
      return { start: log.start, tokens, aborted };
    });
    assert.deepEqual(
      [...result.nextOffset!],
      logs.map(({ tokens }) => tokens.length),
    );
    this.#topics.push({ topicId, name: names[to]!, logs, deletedMs: undefined });
  }

  /** Where the clone of a log will end: a batch boundary, found as agents do. */
  #cut(source: Model, log: Log, partition: number, part: number | null) {
    const stable = this.#stable(log);
    const wanted = part === null ? stable : log.start + Math.floor(((stable - log.start) * part) / 10);
    if (wanted === log.tokens.length)
      return { offset: wanted, end: part === null ? undefined : { partition, offset: wanted } };
    const { fileId, byteStart, byteLength, baseOffset, markers } = this.#pointers(
      source.topicId,
      partition,
      wanted,
    );
    let offset = baseOffset[0]!;
    let bytes = 0;
    if (markers?.row.includes(0) !== true) {
      for (const { tokens } of this.#batches(fileId[0]!, byteStart[0]!, byteLength[0]!)) {
        if (offset + tokens.length > wanted) break;
        offset += tokens.length;
        bytes += batchBytes;
      }
    }
    if (offset <= log.start) return { offset: log.start, end: { partition, offset: log.start } };
    const boundary = { fileId: fileId[0]!, byteStart: byteStart[0]!, byteLength: bytes, maxTimestampMs: 0 };
    return { offset, end: { partition, offset, ...(bytes === 0 ? {} : { boundary }) } };
  }

  #retain({ topic: number, bytes }: Extract<Action, { kind: 'retention' }>): void {
    const found = this.#live(number);
    if (found === undefined) return;
    const alter = (value: string) =>
      this.cluster.execute({
        kind: 'alterConfigs',
        validateOnly: false,
        resources: [
          {
            kind: 'topic',
            name: found.name,
            replacesAll: true,
            changes: [
              { name: 'retention.bytes', operation: 'set', value },
              { name: 'retention.ms', operation: 'set', value: '-1' },
            ],
          },
        ],
      });
    alter(String(bytes));
    this.cluster.execute({ kind: 'applyRetention', from: { topicNumber: 0, partition: 0 } });
    alter('-1');
    for (const one of this.#topics) {
      if (one.deletedMs !== undefined) continue;
      const { logStartOffset } = this.cluster.machine.describePartitions([{ topicId: one.topicId }]);
      for (const [partition, log] of one.logs.entries()) {
        const start = logStartOffset[partition]!;
        if (one !== found) assert.equal(start, log.start, 'retention of one topic leaves others alone');
        assert.ok(start >= log.start && start <= this.#stable(log));
        log.start = start;
      }
    }
  }

  #merge(job: CompactionJob, perPointer: number): void {
    const { ranges, pointers } = job;
    const fileId = `0000000000011${(++this.#serial).toString(16).padStart(19, '0')}`;
    const content: Batch[] = [];
    const rows: { start: number; length: number; base: number }[] = [];
    const counts: number[] = [];
    let row = 0;
    // What topics share is copied once, as by agents.
    const written = new Map<string, typeof rows>();
    for (const count of ranges.pointerCount) {
      const source = [...pointers.file.keys()]
        .slice(row, row + count)
        .map((at) => [
          pointers.file[at],
          pointers.byteStart[at],
          pointers.byteLength[at],
          pointers.baseOffset[at],
        ])
        .join(' ');
      const known = written.get(source);
      if (known !== undefined) {
        rows.push(...known);
        counts.push(known.length);
        row += count;
        continue;
      }
      const firstRow = rows.length;
      const batches: { tokens: readonly string[]; base: number }[] = [];
      for (const end = row + count; row < end; row++) {
        let base = pointers.baseOffset[row]!;
        const input = pointers.file[row]!;
        const stored =
          input === noRangeFile
            ? [{ tokens: [marker] }]
            : this.#bucket.has(job.inputs[input]!.fileId)
              ? this.#batches(job.inputs[input]!.fileId, pointers.byteStart[row]!, pointers.byteLength[row]!)
              : undefined;
        // The inputs are gone: the job fails.
        if (stored === undefined) return;
        for (const { tokens } of stored) {
          batches.push({ tokens, base });
          base += tokens.length;
        }
      }
      counts.push(Math.ceil(batches.length / perPointer));
      for (let first = 0; first < batches.length; first += perPointer) {
        const part = batches.slice(first, first + perPointer);
        rows.push({
          start: content.length * batchBytes,
          length: part.length * batchBytes,
          base: part[0]!.base,
        });
        for (const { tokens } of part) content.push({ at: content.length * batchBytes, tokens });
      }
      written.set(source, rows.slice(firstRow));
    }
    this.#bucket.set(fileId, content);
    const commit: CompactionCommit = {
      plannedMs: job.plannedMs,
      inputFileIds: job.inputs.map((input) => input.fileId),
      outputs: [{ fileId, fileBytes: content.length * batchBytes }],
      topicIds: job.topicIds,
      ranges: { ...ranges, pointerCount: Uint32Array.from(counts) },
      pointers: {
        file: new Uint32Array(rows.length),
        byteStart: Uint32Array.from(rows, ({ start }) => start),
        byteLength: Uint32Array.from(rows, ({ length }) => length),
        baseOffset: Float64Array.from(rows, ({ base }) => base),
        maxTimestampMs: new Float64Array(rows.length),
      },
    };
    this.cluster.execute({ kind: 'replaceRanges', commit });
  }

  check(): void {
    const { cluster } = this;
    for (const entry of cluster.journal.slice(this.#applied)) this.#standby.apply(entry);
    this.#applied = cluster.journal.length;
    assert.ok(
      Buffer.concat(this.#standby.save()).equals(cluster.saved()),
      'the journal leads to the same state',
    );
    let liveBytes = 0;
    const files = new Set<string>();
    for (const { topicId, logs, deletedMs } of this.#topics) {
      if (deletedMs !== undefined) continue;
      const ends = cluster.machine.describePartitions([{ topicId }]);
      for (const [number, log] of logs.entries()) {
        const { start, tokens } = log;
        assert.deepEqual(
          [ends.logStartOffset[number], ends.nextOffset[number], ends.lastStableOffset[number]],
          [start, tokens.length, this.#stable(log)],
        );
        const [answer] = cluster.machine.findBatches([
          { topicId, partition: number, offset: start, bytesMax: 1e9 },
        ]);
        const { fileId, byteStart, byteLength, baseOffset, nextOffset, markers } = answer!.pointers;
        const read: string[] = [];
        for (const [row, id] of fileId.entries()) {
          const isMarker = markers?.row.includes(row) === true;
          if (!isMarker) {
            liveBytes += byteLength[row]!;
            files.add(id);
          }
          const found = isMarker
            ? [marker]
            : this.#batches(id, byteStart[row]!, byteLength[row]!).flatMap((batch) => batch.tokens);
          assert.equal(found.length, nextOffset[row]! - baseOffset[row]!);
          read.push(...found);
        }
        const first = baseOffset[0] ?? tokens.length;
        assert.ok(first <= start || fileId.length === 0);
        assert.deepEqual(read, tokens.slice(first));
        const aborted = answer!.aborted ?? { producerId: [], firstOffset: [], lastOffset: [] };
        assert.deepEqual(
          Array.from(aborted.producerId, (id, row) => [
            id,
            aborted.firstOffset[row],
            aborted.lastOffset[row],
          ]),
          log.aborted
            .filter(({ last }) => last >= start)
            .sort((a, b) => a.first - b.first)
            .map((one) => [one.producerId, one.first, one.last]),
        );
      }
    }
    if (this.#topics.some(({ deletedMs }) => deletedMs !== undefined)) return;
    const { levels } = cluster.machine.fileStats();
    assert.equal(
      levels.reduce((sum, level) => sum + level.files, 0),
      files.size,
      'files with pointers',
    );
    assert.equal(
      levels.reduce((sum, level) => sum + level.liveBytes, 0),
      liveBytes,
      'bytes of pointers',
    );
    const dead = cluster.machine.deadFiles({ deadBeforeMs: Number.POSITIVE_INFINITY, limit: 1e6 });
    for (const { fileId } of dead) assert.ok(!files.has(fileId), 'a dead file has no pointer');
  }
}

test('topics that share files read as if each had its own', () => {
  fc.assert(
    fc.property(fc.array(action, { minLength: 1, maxLength: 50 }), (actions) => {
      const run = new Run();
      for (const one of actions) {
        run.take(one);
        run.check();
      }
    }),
    { numRuns: 30 },
  );
});
