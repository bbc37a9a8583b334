import type { ValueToWrite } from '@weir/wire';
import type { RecordToProduce } from '../records/produce.ts';

export interface RecordToSend extends Omit<RecordToProduce, 'value'> {
  readonly timestamp: bigint;
  /** Null deletes the key from a compacted topic. */
  readonly value: Uint8Array | ValueToWrite | null;
}

/** Records that go into one batch, as far as they fit. */
export class Send {
  readonly records: readonly RecordToSend[];
  readonly byteCount: number;
  /** Called once for every record, by its place in the call of the user. */
  readonly #settle: (index: number, error?: Error) => void;
  /** Where its first record was in that call. */
  readonly #from: number;

  constructor(
    records: readonly RecordToSend[],
    from: number,
    settle: (index: number, error?: Error) => void,
    byteCount = records.reduce((sum, record) => sum + sizeOf(record), 0),
  ) {
    this.records = records;
    this.byteCount = byteCount;
    this.#from = from;
    this.#settle = settle;
  }

  settle(error?: Error): void {
    for (let index = 0; index < this.records.length; index++) this.#settle(this.#from + index, error);
  }

  halves(): Send[] {
    const middle = Math.ceil(this.records.length / 2);
    const halves = [this.records.slice(0, middle), this.records.slice(middle)];
    return halves
      .map((records, at) => new Send(records, this.#from + at * middle, this.#settle))
      .filter(({ records }) => records.length > 0);
  }
}

/** Upper bounds of the bytes that a record and a header take beyond their contents. */
const recordOverheadBytes = 32;
const headerOverheadBytes = 10;

/** The size of a record in a batch, at most. */
export function sizeOf({ key, value, headers = [] }: RecordToSend): number {
  let bytes = recordOverheadBytes + (key?.length ?? 0) + (value?.byteLength ?? 0);
  for (const { key: name, value: text } of headers)
    bytes += headerOverheadBytes + Buffer.byteLength(name) + (text?.length ?? 0);
  return bytes;
}

/** By whom records are numbered, so that a broker knows those that it has. */
export interface ProducerIdentity {
  readonly producerId: bigint;
  readonly producerEpoch: number;
}

/** A batch that was sent and is not settled. Sent again, it has the same records and numbers. */
export interface SentBatch {
  readonly sends: readonly Send[];
  readonly recordCount: number;
  readonly byteCount: number;
  readonly identity: ProducerIdentity | undefined;
  readonly sequence: number;
  /** When it was sent first. */
  readonly beganMs: number;
  state: 'sent' | 'failed';
  error?: Error | undefined;
}

/** What waits for one partition, and what is on its way to it, in the order of calls. */
export class SendQueue {
  readonly topic: string;
  readonly partition: number;
  waiting: Send[] = [];
  /** Sent before, without success; they go before what waits. */
  resending: SentBatch[] = [];
  inFlight: SentBatch[] = [];
  identity: ProducerIdentity | undefined;
  nextSequence = 0;
  /** A broker takes any number as the first of a producer, so that nothing may overtake the first batch. */
  isKnownToBroker = false;
  /** Whether anything was ever stored: what is wrong afterwards is no mistake of the user, and may pass. */
  wasReached = false;
  /** Since when its leader, or the identity of the producer, cannot be found out. */
  unknownSinceMs: number | undefined;
  failures = 0;
  /** Nothing is sent before. */
  notBeforeMs = 0;
  /** The batch that fits, if the broker has refused larger ones. */
  batchBytesMax: number;

  constructor(topic: string, partition: number, batchBytesMax: number) {
    this.topic = topic;
    this.partition = partition;
    this.batchBytesMax = batchBytesMax;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && this.resending.length === 0 && this.inFlight.length === 0;
  }

  /** Whether a batch may be sent. After a failure the order is restored first, one batch at a time. */
  hasReady(inFlightMax: number): boolean {
    if (this.inFlight.some(({ state }) => state === 'failed')) return false;
    if (this.resending.length > 0) return this.inFlight.length === 0;
    return this.waiting.length > 0 && this.inFlight.length < (this.isKnownToBroker ? inFlightMax : 1);
  }

  /** The next batch: one that is repeated, or as much as fits of what waits. */
  take(nowMs: number): SentBatch {
    const again = this.resending.shift();
    if (again !== undefined) {
      again.state = 'sent';
      this.inFlight.push(again);
      return again;
    }
    let count = 0;
    let byteCount = 0;
    let recordCount = 0;
    for (const send of this.waiting) {
      if (count > 0 && byteCount + send.byteCount > this.batchBytesMax) break;
      count++;
      byteCount += send.byteCount;
      recordCount += send.records.length;
    }
    const batch: SentBatch = {
      sends: this.waiting.splice(0, count),
      recordCount,
      byteCount,
      identity: this.identity,
      sequence: this.nextSequence,
      beganMs: nowMs,
      state: 'sent',
    };
    // Numbers are int32 and continue at 0.
    this.nextSequence = (this.nextSequence + recordCount) & 0x7fff_ffff;
    this.inFlight.push(batch);
    return batch;
  }

  /** Puts batches back as if they had never been sent: they get other numbers. */
  restart(batches: readonly SentBatch[]): void {
    this.identity = undefined;
    this.nextSequence = 0;
    this.isKnownToBroker = false;
    this.waiting.unshift(...[...batches, ...this.resending].flatMap(({ sends }) => sends));
    this.resending = [];
  }
}
