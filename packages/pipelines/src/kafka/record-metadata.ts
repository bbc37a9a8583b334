import { isUtf8 } from 'node:buffer';
import { Bytes, type Value } from '@weir/bloblang';
import type { RecordCursor } from '@weir/wire';

export type ReadHeaders = RecordCursor['headers'];

export interface RecordMetadataOptions {
  readonly topic: string;
  readonly partition: number;
  /** Makes lists of the values of headers, which may occur more than once. */
  readonly hasMultiHeader: boolean;
  /** As `kafka` does: the lag is in the metadata, so is an absent key, and headers do not hide them. */
  readonly hasLag: boolean;
}

/** What a record says beside its value. */
interface RecordFacts {
  readonly offset: number;
  readonly lag: number;
  readonly timestampMs: number;
  readonly key: Buffer | null;
  readonly isTombstone: boolean;
  readonly headers: ReadHeaders;
}

const nothing = Buffer.alloc(0);

/** The metadata of the message of a record. Most pipelines ask for little of it, so it is made when it is asked for. */
export class RecordMetadata implements ReadonlyMap<string, Value> {
  readonly #facts: RecordFacts;
  readonly #options: RecordMetadataOptions;
  #entries: Map<string, Value> | undefined;

  constructor(facts: RecordFacts, options: RecordMetadataOptions) {
    this.#facts = facts;
    this.#options = options;
  }

  get(name: string): Value | undefined {
    // What has headers may have one of that name.
    if (this.#facts.headers.length === 0) {
      if (name === 'kafka_topic') return this.#options.topic;
      if (name === 'kafka_partition') return this.#options.partition;
      if (name === 'kafka_offset') return this.#facts.offset;
      if (name === 'kafka_tombstone_message') return this.#facts.isTombstone;
    }
    return this.#all().get(name);
  }

  has(name: string): boolean {
    return this.#all().has(name);
  }

  get size(): number {
    return this.#all().size;
  }

  forEach(run: (value: Value, name: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [name, value] of this.#all()) run(value, name, this);
  }

  entries(): MapIterator<[string, Value]> {
    return this.#all().entries();
  }

  keys(): MapIterator<string> {
    return this.#all().keys();
  }

  values(): MapIterator<Value> {
    return this.#all().values();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.#all().entries();
  }

  #all(): Map<string, Value> {
    this.#entries ??= entriesOf(this.#facts, this.#options);
    return this.#entries;
  }
}

function entriesOf(
  { offset, lag, timestampMs, key, isTombstone, headers }: RecordFacts,
  { topic, partition, hasMultiHeader, hasLag }: RecordMetadataOptions,
): Map<string, Value> {
  const metadata = new Map<string, Value>();
  if (hasLag) addHeaders(metadata, headers, hasMultiHeader);
  if (key !== null) metadata.set('kafka_key', textOrBytes(key));
  else if (hasLag) metadata.set('kafka_key', '');
  metadata.set('kafka_topic', topic);
  metadata.set('kafka_partition', partition);
  metadata.set('kafka_offset', offset);
  if (hasLag) metadata.set('kafka_lag', lag);
  metadata.set('kafka_timestamp_unix', Math.floor(timestampMs / 1000));
  metadata.set('kafka_timestamp_unix_ms', timestampMs);
  metadata.set('kafka_tombstone_message', isTombstone);
  if (!hasLag) addHeaders(metadata, headers, hasMultiHeader);
  return metadata;
}

function addHeaders(metadata: Map<string, Value>, headers: ReadHeaders, hasMultiHeader: boolean): void {
  if (!hasMultiHeader) {
    for (const { key, value } of headers) metadata.set(key, textOrBytes(value ?? nothing));
    return;
  }
  for (const [name, all] of Map.groupBy(headers, ({ key }) => key))
    metadata.set(
      name,
      all.map(({ value }) => textOrBytes(value ?? nothing)),
    );
}

/** Texts are texts; what is none keeps its bytes. */
function textOrBytes(bytes: Buffer): Value {
  return isUtf8(bytes) ? bytes.toString() : new Bytes(bytes);
}
