import {
  batchRecords,
  errorByCode,
  type Layout,
  type LayoutField,
  type RecordBatchView,
  recordBatches,
  zeroUuid,
} from '@weir/wire';
import { mapFields, type Struct, withoutUnknownTags } from '../clients/struct.ts';
import { clientId, type Side } from './side.ts';

/**
 * Values that each server chooses for itself become what they mean: the id of a topic its name, a port `its port`, the
 * second producer id of a dialogue `producer 2`. All other values stay as they are.
 */
export class NormalForm {
  readonly #side: Side;
  /** When the dialogue began: times of records are near it, and times that servers take are after it. */
  readonly #epochMs: number;
  /** Ids in the order in which they were first seen, by what they identify. */
  readonly #seen = new Map<string, Map<unknown, string>>();

  constructor(side: Side, epochMs: number) {
    this.#side = side;
    this.#epochMs = epochMs;
  }

  of(layout: Layout, body: Struct): Struct {
    const known = withoutUnknownTags(layout, body);
    return withoutTextsOfSuccess(
      mapFields(layout, known, (field, value) => this.#value(field, value)),
    ) as Struct;
  }

  #value({ name, path, type }: LayoutField, value: unknown): unknown {
    if (value === null) return null;
    if (/errorCode$/i.test(name)) return errorByCode(value as number)?.name ?? value;
    if (isText(name)) return 'a text';
    if (nodeIds.has(name)) return this.#node(value);
    // Sets of partitions have no order.
    if (name === 'partitions' && type.kind === 'array' && type.element.kind === 'int32') {
      return (value as readonly number[]).toSorted((one, other) => one - other);
    }
    if (name === 'host') return value === this.#side.address.host ? 'its host' : value;
    if (name === 'port') return value === this.#side.address.port ? 'its port' : value;
    if (name === 'logDir') return 'its directory';
    if (name === 'totalBytes' || name === 'usableBytes') return (value as bigint) < 0n ? value : 'some bytes';
    if (name === 'clusterId') return value === this.#side.clusterId ? 'its cluster' : value;
    if (name === 'producerId') return this.#producer(value as bigint, path === name);
    if (name === 'sessionId') return value === 0 ? 0 : 'a session';
    if (memberIds.has(name)) return this.#member(value as string);
    if (/timestamp(?:Ms)?$|TimeMs$/i.test(name) && typeof value === 'bigint') return this.#time(value);
    switch (type.kind) {
      case 'uuid':
        return this.#uuid(value as string);
      case 'records':
        return this.#records(value as Buffer);
      case 'bytes':
        return (value as Buffer).toString('hex');
      default:
        return value;
    }
  }

  #node(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((id) => this.#node(id));
    return value === this.#side.nodeId ? 'its node' : value;
  }

  #uuid(value: string): string {
    if (value === zeroUuid) return 'none';
    const name = this.#side.topicNames.get(value);
    return name === undefined ? 'an id' : `id of ${name}`;
  }

  /** Servers append 16 bytes, as a UUID or in base64, to the client id or to the name of a static member. */
  #member(value: string): string {
    const [, prefix] =
      /^(?:(.*?)-)?(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w-]{22})$/.exec(value) ?? [];
    if (prefix === undefined && !/^[\w-]{22}$/.test(value)) return value;
    return `${prefix ?? clientId} ${this.#ordinal('member', value)}`;
  }

  #time(value: bigint): unknown {
    const sinceEpochMs = Number(value) - this.#epochMs;
    if (sinceEpochMs < -dayMs || sinceEpochMs > 400 * dayMs) return value;
    return sinceEpochMs < 0 ? `record time ${sinceEpochMs}` : 'a time';
  }

  /** An answer that is about one producer gives it its id; lists of them also have ids that requests have named. */
  #producer(id: bigint, isGiven: boolean): unknown {
    const isKnown = this.#seen.get('producer')?.has(id) === true;
    if (id >= 0n && (isGiven || isKnown)) return this.#ordinal('producer', id);
    return id >= 0n && id < namedProducerIdMin ? 'the producer of another dialogue' : id;
  }

  #ordinal(kind: string, value: unknown): string {
    const known = this.#seen.get(kind) ?? new Map<unknown, string>();
    this.#seen.set(kind, known);
    const ordinal = known.get(value) ?? `${kind} ${known.size + 1}`;
    known.set(value, ordinal);
    return ordinal;
  }

  #records(bytes: Buffer): unknown {
    return [...recordBatches(bytes, { partialTail: 'ignore' })].map((batch) => ({
      baseOffset: batch.baseOffset,
      lastOffsetDelta: batch.lastOffsetDelta,
      partitionLeaderEpoch: batch.partitionLeaderEpoch,
      attributes: batch.attributes,
      maxTimestamp: this.#time(batch.maxTimestamp),
      producer: this.#producer(batch.producerId, false),
      producerEpoch: batch.producerEpoch,
      baseSequence: batch.baseSequence,
      records: batch.isControl ? controlRecord(batch) : this.#recordsOf(batch),
    }));
  }

  #recordsOf(batch: RecordBatchView): unknown {
    return [...batchRecords(batch)].map(({ offset, timestamp, key, value, headers }) => ({
      offset,
      timestamp: this.#time(timestamp),
      key: key?.toString('hex') ?? null,
      value: value?.toString('hex') ?? null,
      headers: headers.map((header) => `${header.key}=${header.value?.toString('hex') ?? null}`),
    }));
  }
}

const dayMs = 86_400_000;
/** Requests name producers that do not exist by higher ids than these servers give. */
const namedProducerIdMin = 900_000n;

const nodeIds: ReadonlySet<string> = new Set([
  ...['nodeId', 'brokerId', 'leaderId', 'controllerId', 'replicaId', 'preferredReadReplica'],
  ...['replicaNodes', 'isrNodes', 'offlineReplicas', 'eligibleLeaderReplicas', 'lastKnownElr', 'replicas'],
]);
const memberIds: ReadonlySet<string> = new Set(['memberId', 'leader']);

/** Texts for people. Whether there is one is compared, its words are not. */
function isText(name: string): boolean {
  return /errorMessage$/i.test(name) || name === 'documentation' || name === 'statusDetail';
}

/** Beside NONE, one server writes null, another an empty text or `NONE`. */
function withoutTextsOfSuccess(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTextsOfSuccess);
  if (value === null || typeof value !== 'object') return value;
  const isSuccess = Reflect.get(value, 'errorCode') === 'NONE';
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSuccess && name === 'errorMessage' ? null : withoutTextsOfSuccess(inner),
    ]),
  );
}

/** A marker of a transaction; its value has the epoch of a coordinator, which only Apache Kafka has. */
function controlRecord(batch: RecordBatchView): unknown {
  return [...batchRecords(batch)].map(({ offset, key }) => ({ offset, key: key?.toString('hex') ?? null }));
}
