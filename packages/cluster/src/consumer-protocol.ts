/**
 * Subscriptions and assignments of classic members of type `consumer`. The coordinator forwards these bytes unread,
 * until a group moves to the KIP-848 protocol and they must be parsed. Versions 0 to 3; a later version starts with the
 * fields of version 3.
 */
export interface ClassicSubscription {
  readonly version: number;
  readonly topics: readonly string[];
  /** From v1 on; empty before. */
  readonly owned: readonly NamedPartitions[];
  /** From v2 on: the generation in which the member got `owned`; -1 if not sent. */
  readonly generationId: number;
  /** From v3 on. */
  readonly rackId: string | null;
}

export interface NamedPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** The protocol type of groups whose members use these messages. */
export const consumerProtocolType = 'consumer';

const highestVersion = 3;

/** Returns `undefined` for bytes that are not a subscription. */
export function readSubscription(bytes: Uint8Array): ClassicSubscription | undefined {
  const reader = new FieldReader(bytes);
  const version = reader.int16();
  const topics = reader.list(() => reader.text());
  reader.skipBytes();
  const owned = version >= 1 ? reader.list(() => namedPartitions(reader)) : [];
  const generationId = version >= 2 ? reader.int32() : -1;
  const rackId = version >= 3 ? reader.nullableText() : null;
  if (version < 0 || !reader.isSound) return undefined;
  return { version: Math.min(version, highestVersion), topics, owned, generationId, rackId };
}

/** The topics of a subscription, whatever follows. Returns `undefined` for bytes that do not begin with topics. */
export function readSubscribedTopics(bytes: Uint8Array): readonly string[] | undefined {
  const reader = new FieldReader(bytes);
  reader.int16();
  const topics = reader.list(() => reader.text());
  return reader.isSound ? topics : undefined;
}

/** What a member keeps while a group rebalances. */
interface KeptPartitions {
  readonly owned: readonly NamedPartitions[];
  /** The generation in which it got them. */
  readonly generationId: number;
}

/**
 * Writes v0, which every client reads. It suffices for members that give up all partitions in a rebalance; v2 says what
 * the others keep.
 */
export function writeSubscription(topics: readonly string[], kept?: KeptPartitions): Buffer {
  const byteLength = topics.reduce((sum, topic) => sum + 2 + Buffer.byteLength(topic), 2 + 4 + 4);
  const bytes = Buffer.allocUnsafe(byteLength);
  let at = bytes.writeInt16BE(kept === undefined ? 0 : 2, 0);
  at = bytes.writeInt32BE(topics.length, at);
  for (const topic of topics) at = writeText(bytes, topic, at);
  // No user data.
  bytes.writeInt32BE(-1, at);
  if (kept === undefined) return bytes;
  const generation = Buffer.allocUnsafe(4);
  generation.writeInt32BE(kept.generationId);
  return Buffer.concat([bytes, writePartitions(kept.owned), generation]);
}

/** Returns `undefined` for bytes that are not an assignment. Zero bytes are an empty assignment. */
export function readAssignment(bytes: Uint8Array): readonly NamedPartitions[] | undefined {
  if (bytes.length === 0) return [];
  const reader = new FieldReader(bytes);
  const version = reader.int16();
  const assigned = reader.list(() => namedPartitions(reader));
  return version < 0 || !reader.isSound ? undefined : assigned;
}

/** All versions have the same fields. */
export function writeAssignment(version: number, assigned: readonly NamedPartitions[]): Buffer {
  const header = Buffer.allocUnsafe(2);
  header.writeInt16BE(version);
  const noUserData = Buffer.allocUnsafe(4);
  noUserData.writeInt32BE(-1);
  return Buffer.concat([header, writePartitions(assigned), noUserData]);
}

function writePartitions(named: readonly NamedPartitions[]): Buffer {
  let byteLength = 4;
  for (const { topic, partitions } of named)
    byteLength += 2 + Buffer.byteLength(topic) + 4 + 4 * partitions.length;
  const bytes = Buffer.allocUnsafe(byteLength);
  let at = bytes.writeInt32BE(named.length, 0);
  for (const { topic, partitions } of named) {
    at = writeText(bytes, topic, at);
    at = bytes.writeInt32BE(partitions.length, at);
    for (const partition of partitions) at = bytes.writeInt32BE(partition, at);
  }
  return bytes;
}

function writeText(bytes: Buffer, text: string, at: number): number {
  const textAt = bytes.writeInt16BE(Buffer.byteLength(text), at);
  return textAt + bytes.write(text, textAt);
}

function namedPartitions(reader: FieldReader): NamedPartitions {
  return { topic: reader.text(), partitions: reader.list(() => reader.int32()) };
}

/**
 * Reads fields while there are bytes. The first missing field makes the reader unsound and all further fields empty, so
 * that reading terminates for any input: a list ends with the bytes, whatever length it claims.
 */
class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;
  isSound = true;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  int16(): number {
    return this.#take(2) ? this.#bytes.readInt16BE(this.#at - 2) : 0;
  }

  int32(): number {
    return this.#take(4) ? this.#bytes.readInt32BE(this.#at - 4) : 0;
  }

  text(): string {
    const text = this.nullableText();
    if (text === null) this.isSound = false;
    return text ?? '';
  }

  nullableText(): string | null {
    const byteLength = this.int16();
    if (byteLength === -1) return null;
    return this.#take(byteLength) ? this.#bytes.toString('utf8', this.#at - byteLength, this.#at) : '';
  }

  skipBytes(): void {
    const byteLength = this.int32();
    if (byteLength !== -1) this.#take(byteLength);
  }

  list<T>(read: () => T): T[] {
    const count = this.int32();
    if (count < 0) this.isSound = false;
    const entries: T[] = [];
    for (let left = count; left > 0 && this.isSound; left--) entries.push(read());
    return entries;
  }

  #take(byteLength: number): boolean {
    if (byteLength < 0 || this.#at + byteLength > this.#bytes.length) this.isSound = false;
    if (this.isSound) this.#at += byteLength;
    return this.isSound;
  }
}
