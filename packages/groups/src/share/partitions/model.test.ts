import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AcknowledgeType, acknowledgeTypes } from '@weir/cluster';
import { ByteReader, ByteWriter } from '@weir/machine';
import fc from 'fast-check';
import { acknowledge } from './acknowledge.ts';
import { acquire, expire, mayAcquire, releaseAll } from './acquire.ts';
import { readSharePartition, writeSharePartition } from './record.ts';
import { isDone, type PartitionRules, type RecordState, SharePartition } from './share-partition.ts';

/**
 * A share partition against a list of single records, with random members, time, retention and failovers. Invariants: a
 * record has one member at a time; a finished record is not delivered again; no record is delivered more often than
 * allowed; the start never moves back; every unfinished record is delivered in the end.
 */

const members = ['a', 'b', 'c'] as const;
type MemberId = (typeof members)[number];

const rules: PartitionRules = { lockMs: 100, deliveriesMax: 3, windowMax: 12, mayRenew: true };

interface ModelRecord {
  readonly isGap: boolean;
  state: RecordState;
  deliveries: number;
  memberId: string;
  untilMs: number;
}

type Action =
  | { readonly kind: 'produce'; readonly isGap: boolean; readonly count: number }
  | {
      readonly kind: 'acquire';
      readonly memberId: MemberId;
      readonly recordsMax: number;
      readonly reach: number;
    }
  | {
      readonly kind: 'acknowledge';
      readonly memberId: MemberId;
      readonly rows: readonly {
        readonly skip: number;
        readonly size: number;
        readonly type: AcknowledgeType;
      }[];
      readonly isHonest: boolean;
    }
  | { readonly kind: 'leave'; readonly memberId: MemberId }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'retention'; readonly records: number }
  | { readonly kind: 'failover' };

const memberId = fc.constantFrom(...members);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant('produce' as const),
    isGap: fc.boolean(),
    count: fc.integer({ min: 1, max: 6 }),
  }),
  fc.record({
    kind: fc.constant('acquire' as const),
    memberId,
    recordsMax: fc.integer({ min: 0, max: 8 }),
    reach: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({
    kind: fc.constant('acknowledge' as const),
    memberId,
    rows: fc.array(
      fc.record({
        skip: fc.nat(3),
        size: fc.integer({ min: 1, max: 4 }),
        type: fc.constantFrom(...acknowledgeTypes),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    isHonest: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('leave' as const), memberId }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 40, 99, 100, 101) }),
  fc.record({ kind: fc.constant('retention' as const), records: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('failover' as const) }),
);

/** Runs each action on the partition and record by record on the model, then compares them. */
class World {
  partition = new SharePartition(0);
  readonly records: ModelRecord[] = [];
  nowMs = 1_000;
  logStart = 0;
  /** Records that members or retention have finished; they must not be delivered again. */
  readonly #finished = new Set<number>();

  get gaps() {
    return this.records.flatMap(({ isGap }, offset) => (isGap ? [{ first: offset, last: offset }] : []));
  }

  run(one: Action): void {
    const before = this.partition.startOffset;
    this.#run(one);
    assert.ok(this.partition.startOffset >= before, 'the start offset moved back');
    this.check();
  }

  #run(one: Action): void {
    switch (one.kind) {
      case 'produce':
        for (let left = one.count; left > 0; left--) {
          this.records.push({ isGap: one.isGap, ...untouched });
        }
        return;
      case 'acquire':
        this.acquire(one.memberId, one.recordsMax, this.partition.firstAvailable + one.reach);
        return;
      case 'acknowledge':
        this.#acknowledge(one.memberId, this.#rowsOf(one));
        return;
      case 'leave':
        releaseAll(this.partition, one.memberId, rules);
        for (const record of this.records) if (record.memberId === one.memberId) release(record);
        return;
      case 'pass':
        this.nowMs += one.ms;
        expire(this.partition, this.nowMs, rules);
        this.#expire();
        return;
      case 'retention':
        this.logStart = Math.min(this.logStart + one.records, this.records.length);
        this.partition.startNoEarlierThan(this.logStart);
        this.#retain();
        return;
      case 'failover': {
        const writer = new ByteWriter();
        writeSharePartition(this.partition, writer);
        this.partition = readSharePartition(new ByteReader(writer.take()));
        for (const record of this.records) {
          if (record.state === 'acquired')
            Object.assign(record, { ...untouched, deliveries: record.deliveries });
        }
      }
    }
  }

  /** Returns the offsets. */
  acquire(memberId: MemberId, recordsMax: number, endOffset: number): number[] {
    const log = {
      startOffset: this.logStart,
      endOffset: Math.min(endOffset, this.records.length),
      gaps: this.gaps,
    };
    const isPossible = mayAcquire(this.partition, log, rules);
    const windowEnd = Math.max(this.partition.startOffset, this.logStart) + rules.windowMax;
    const spans = acquire(this.partition, { memberId, recordsMax }, log, this.nowMs, rules);
    this.#expire();
    const expected: number[] = [];
    const reached = this.partition.endOffset;
    for (const [offset, record] of this.records.entries()) {
      if (offset >= log.endOffset || (offset >= windowEnd && offset >= reached)) break;
      if (record.state !== 'available' || offset < this.logStart) continue;
      if (record.isGap) {
        if (offset < reached) record.state = 'archived';
        continue;
      }
      if (expected.length >= recordsMax) continue;
      expected.push(offset);
      const deliveries = record.deliveries + 1;
      Object.assign(record, { state: 'acquired', deliveries, memberId, untilMs: this.nowMs + rules.lockMs });
    }
    const given = spans.flatMap(({ first, last }) => range(first, last));
    assert.deepEqual(given, expected);
    for (const { first, last, deliveryCount } of spans) {
      for (const offset of range(first, last)) assert.equal(deliveryCount, this.records[offset]!.deliveries);
    }
    for (const offset of given) assert.ok(!this.#finished.has(offset), `${offset} is finished`);
    if (given.length > 0) assert.ok(isPossible, 'mayAcquire predicted the acquisition');
    return given;
  }

  acceptAll(memberId: MemberId): void {
    const held = this.records.flatMap((record, offset) => (record.memberId === memberId ? [offset] : []));
    this.#acknowledge(
      memberId,
      held.map((offset) => ({ first: offset, last: offset, type: 'accept' as const })),
    );
  }

  /** Rows over the records that the member holds, or over arbitrary ones. */
  #rowsOf({ memberId, rows, isHonest }: Extract<Action, { kind: 'acknowledge' }>) {
    const acknowledgements: { first: number; last: number; type: AcknowledgeType }[] = [];
    let at = this.partition.startOffset;
    for (const { skip, size, type } of rows) {
      at += skip;
      if (isHonest) while (at < this.records.length && this.records[at]!.memberId !== memberId) at++;
      let last = at + size - 1;
      if (isHonest) while (last > at && this.records[last]?.memberId !== memberId) last--;
      if (isHonest && range(at, last).some((offset) => this.records[offset]?.memberId !== memberId)) continue;
      acknowledgements.push({ first: at, last, type });
      at = last + 1;
    }
    return acknowledgements;
  }

  #acknowledge(
    memberId: string,
    rows: readonly { first: number; last: number; type: AcknowledgeType }[],
  ): void {
    expire(this.partition, this.nowMs, rules);
    const start = this.partition.startOffset;
    const error = acknowledge(this.partition, memberId, rows, this.nowMs, rules);
    this.#expire();
    const offsets = rows.flatMap(({ first, last }) => range(first, last)).filter((offset) => offset >= start);
    const mayAll = offsets.every((offset) => this.records[offset]?.memberId === memberId);
    assert.equal(error, mayAll ? 'NONE' : 'INVALID_RECORD_STATE');
    if (!mayAll) return;
    for (const { first, last, type } of rows) {
      for (const offset of range(Math.max(first, start), last)) this.#apply(offset, type);
    }
  }

  #apply(offset: number, type: AcknowledgeType): void {
    const record = this.records[offset]!;
    if (type === 'renew') record.untilMs = this.nowMs + rules.lockMs;
    else if (type === 'return') Object.assign(record, { ...untouched, deliveries: record.deliveries - 1 });
    else if (type === 'release') release(record);
    else {
      Object.assign(record, { ...untouched, state: type === 'accept' ? 'acknowledged' : 'archived' });
      this.#finished.add(offset);
    }
  }

  #expire(): void {
    for (const record of this.records) {
      const isGivenUp = record.state === 'available' && record.deliveries >= rules.deliveriesMax;
      if (record.untilMs <= this.nowMs || isGivenUp) release(record);
    }
  }

  #retain(): void {
    for (const [offset, record] of this.records.slice(0, this.logStart).entries()) {
      Object.assign(record, { ...untouched, state: 'archived' });
      this.#finished.add(offset);
    }
  }

  check(): void {
    const { spans, startOffset, endOffset } = this.partition;
    let at = startOffset;
    for (const [index, span] of spans.entries()) {
      assert.equal(span.first, at, 'the window has no holes');
      assert.ok(span.last >= span.first);
      at = span.last + 1;
      if (index === 0) assert.ok(!isDone(span), 'the first span of the window is unfinished');
      for (const offset of range(span.first, span.last)) {
        const record = this.records[offset]!;
        assert.equal(span.state, record.state, `record ${offset}`);
        if (record.state === 'acquired') assert.equal(span.memberId, record.memberId, `record ${offset}`);
        if (!isDone(span)) assert.equal(span.deliveryCount, record.deliveries, `record ${offset}`);
      }
    }
    assert.equal(at, endOffset);
    for (const record of this.records) assert.ok(record.deliveries <= rules.deliveriesMax);
    for (const { state } of this.records.slice(0, startOffset)) {
      assert.ok(
        state === 'acknowledged' || state === 'archived',
        'all records before the start offset are finished',
      );
    }
    for (const { deliveries, memberId } of this.records.slice(endOffset)) {
      assert.deepEqual([deliveries, memberId], [0, ''], 'no record after the window was delivered');
    }
  }
}

const untouched = {
  state: 'available' as RecordState,
  deliveries: 0,
  memberId: '',
  untilMs: Number.POSITIVE_INFINITY,
};

function release(record: ModelRecord): void {
  const isLast = record.deliveries >= rules.deliveriesMax;
  Object.assign(record, {
    ...untouched,
    state: isLast ? 'archived' : 'available',
    deliveries: record.deliveries,
  });
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

test('a share partition behaves like single records, and all records finish in the end', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80, size: 'max' }), (actions) => {
      const world = new World();
      for (const one of actions) world.run(one);
      // Locks expire, and a member acquires whatever is available.
      for (let rounds = 0; world.partition.startOffset < world.records.length; rounds++) {
        assert.ok(rounds < 100, 'a record is stuck');
        world.run({ kind: 'pass', ms: rules.lockMs });
        world.acquire('c', 100, Number.POSITIVE_INFINITY);
        world.acceptAll('c');
        world.check();
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the stored form of a share partition is small when its records have equal state', () => {
  const partition = new SharePartition(1_000_000);
  const log = { startOffset: 0, endOffset: 1_002_000, gaps: [] };
  const wide = { ...rules, windowMax: 2_000 };
  for (let member = 0; member < 20; member++) {
    acquire(partition, { memberId: `${member}`, recordsMax: 100 }, log, member, wide);
  }
  const writer = new ByteWriter();
  writeSharePartition(partition, writer);
  assert.ok(writer.length < 16, `${writer.length} bytes`);
});
