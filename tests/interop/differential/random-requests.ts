import type { Random } from '@weir/core';
import {
  type Api,
  type ApiName,
  apis,
  type Layout,
  type LayoutField,
  type LayoutType,
  layoutOf,
  zeroUuid,
} from '@weir/wire';
import { carriedFields, type Struct } from '../clients/struct.ts';
import { batchOf } from './dialogues/dialogue.ts';
import { printed } from './differences.ts';
import type { Pair } from './pair.ts';
import type { Body, Side } from './side.ts';

/** Requests that random sequences do without, with the reason. */
const leftOut: Partial<Record<ApiName, string>> = {
  JoinGroup: 'waits for other members',
  SyncGroup: 'waits for the leader of its group',
  ShareFetch: 'waits for records, and records are acquired for a time',
  AlterClientQuotas: 'would slow down the other requests',
  UnregisterBroker: 'Apache Kafka would forget its only broker',
  AddRaftVoter: 'changes the quorum',
  RemoveRaftVoter: 'changes the quorum',
  UpdateFeatures: 'changes what the cluster can do',
  WriteTxnMarkers: 'Apache Kafka writes any marker that it is sent',
  CreateDelegationToken: 'needs a login',
  SaslHandshake: 'decides what the connection may say afterwards',
  SaslAuthenticate: 'decides what the connection may say afterwards',
};

const randomApis: readonly ApiName[] = (Object.keys(apis) as ApiName[]).filter(
  (name) => leftOut[name] === undefined,
);

const requestsOfSequence = 40;

/** What a request may name. Each side has its own ids of topics, so those are names until a request is sent. */
interface Vocabulary {
  readonly topics: readonly string[];
  readonly groups: readonly string[];
  readonly transactionalIds: readonly string[];
  readonly memberIds: readonly string[];
}

/** A topic whose id the server has chosen. */
class IdOfTopic {
  readonly topic: string;
  constructor(topic: string) {
    this.topic = topic;
  }
}

/** The node of the server. */
const itsNode = Symbol('node');

/**
 * A sequence of requests of any kind and version, whose names are mostly those of things that exist. It ends where the
 * servers differ in a way that is not allowed, because what follows would differ too.
 */
export async function askAtRandom(pair: Pair, random: Random): Promise<void> {
  const topics = [await pair.topic('one', 1), await pair.topic('two', 2)];
  const vocabulary: Vocabulary = {
    topics: [...topics, ...topics, `${pair.prefix}-absent`, ''],
    groups: [`${pair.prefix}-group`, `${pair.prefix}-group`, `${pair.prefix}-other`, ''],
    transactionalIds: [`${pair.prefix}-id`, `${pair.prefix}-id`, ''],
    memberIds: ['', 'Aa1Aa1Aa1Aa1Aa1Aa1Aa1A', 'stranger'],
  };
  for (let requests = 0; requests < requestsOfSequence && !pair.hasNews; requests++) {
    const name = pick(random, randomApis);
    const versions = pair.versionsOf(name);
    if (versions.length === 0) continue;
    const version = pick(random, versions);
    const layout = layoutOf((apis[name] as unknown as Api).request, version);
    const body = structOf(layout, '', { api: name, random, vocabulary, pair });
    await pair.during(`request ${requests + 1}`, () =>
      pair.askIn(version, name, (side) => resolved(body, side) as Body<ApiName> as never),
    );
  }
}

interface Source {
  readonly api: ApiName;
  readonly random: Random;
  readonly vocabulary: Vocabulary;
  readonly pair: Pair;
}

function structOf(layout: Layout, path: string, source: Source): Struct {
  const fields = carriedFields(layout).map(
    (field) => [field.name, fieldOf(field, `${path}.${field.name}`, source)] as const,
  );
  return Object.fromEntries(fields);
}

function fieldOf(field: LayoutField, path: string, source: Source): unknown {
  // Apache Kafka does not serve static members of streams groups yet.
  if (source.api === 'StreamsGroupHeartbeat' && path === '.instanceId') return null;
  // Apache Kafka never answers a batch that is null.
  const mayBeNull = field.nullable && field.type.kind !== 'records';
  if (mayBeNull && source.random.below(4) === 0) return null;
  // Fields with a default mostly have it, as clients mostly leave them out.
  if (field.default !== 'empty' && field.optional && source.random.below(2) === 0) return field.default;
  return ofType(field.type, path, source);
}

function ofType(type: LayoutType, path: string, source: Source): unknown {
  const { random } = source;
  switch (type.kind) {
    case 'bool':
      return random.below(2) === 0;
    case 'int64':
      return BigInt(numberOf(path, source));
    case 'int8':
      return clamped(numberOf(path, source), -128, 127);
    case 'int16':
      return clamped(numberOf(path, source), -32_768, 32_767);
    case 'uint16':
    case 'uint32':
      return clamped(numberOf(path, source), 0, 65_535);
    case 'int32':
      return /brokerIds|replicas/.test(path) ? itsNode : numberOf(path, source);
    case 'float64':
      return pick(random, [1_000_000, 5_000_000]);
    case 'uuid':
      return /topicId$/i.test(path)
        ? new IdOfTopic(pick(random, source.vocabulary.topics.slice(0, 5)))
        : pick(random, [zeroUuid, Buffer.alloc(16, 9).toString('base64url')]);
    case 'string':
      return textOf(path, source);
    case 'bytes':
      return Buffer.from(pick(random, ['', 'some bytes']));
    case 'records':
      return batchOf(source.pair, pick(random, [['a'], ['a', 'b'], ['c', null]]));
    case 'struct':
      return structOf(type.layout, path, source);
    case 'array':
      return distinct(
        Array.from({ length: pick(random, isNeverEmpty(path, source) ? [1, 1, 2] : [0, 1, 1, 1, 2]) }, () =>
          ofType(type.element, `${path}[]`, source),
        ),
      );
  }
}

/** What requests name twice is part of dialogues; here one thing of that kind would end each sequence. */
function distinct(elements: readonly unknown[]): readonly unknown[] {
  const identity = (element: unknown) => {
    const isStruct = element !== null && typeof element === 'object' && !Buffer.isBuffer(element);
    return printed(isStruct ? Object.values(element as object)[0] : element);
  };
  return [...new Map(elements.map((element) => [identity(element), element])).values()];
}

/** Lists that are not drawn empty. */
function isNeverEmpty(path: string, { api }: Source): boolean {
  // Apache Kafka never answers a list without transactions.
  if (api === 'AddPartitionsToTxn' && path === '.transactions') return true;
  // All topics are also those of other dialogues, and internal ones.
  if (api === 'DescribeTopicPartitions') return path === '.topics';
  // Apache Kafka leaves topics without partitions out of many answers.
  return /partitions?$|partitionIndexes$|partitionData$/i.test(path);
}

type Numbers = readonly [pattern: RegExp, values: readonly number[]];

/** By path; the first that matches. */
const numbers: readonly Numbers[] = [
  [/maxWaitMs$/, [0, 10]],
  [/(?:timeoutMs|TimeoutMs)$/, [10_000]],
  [/SessionTimeout/i, [10_000]],
  [/numPartitions$|\.count$/, [1, 2, 3, 5, -1, 0, -2]],
  [/replicationFactor$/, [1, 1, -1, 0]],
  [/partition(?:s|Index|Indexes|Id)?(?:\[\])?$/i, [0, 0, 1, 2, -1]],
  [/resourceTypes?(?:\[\])?$/, [2, 2, 32, 16, 0, 99]],
  [/configOperation$/, [0, 0, 1, 2, 3, 9]],
  [/resourceTypeFilter$/, [1, 2, 3, 0]],
  [/patternType|PatternType/, [3, 3, 4, 1, 0]],
  [/permissionType$/, [3, 3, 2, 1, 0]],
  [/operation$/, [3, 4, 2, 1, 0]],
  [/timestamp$/i, [-1, -2, -3, 0, 1_000_000]],
  [/isolationLevel$/, [0, 1]],
  [/acks$/, [-1, 1]],
  [/sessionId$/, [0]],
  [/sessionEpoch$/, [-1]],
  [/replicaId$/, [-1]],
  [/iterations$/, [4096, 1]],
  [/mechanism$/, [2, 2, 0]],
  // Only replicas send it.
  [/lastFetchedEpoch$/, [-1]],
  [/producerEpoch$/i, [0, -1]],
  [/producerId/i, [-1, 987_654]],
  [/epoch$/i, [-1, 0, 0, 1]],
  [/bytes$/i, [1_000_000]],
];

/** What counts before the others in one request. */
const numbersOf: Partial<Record<ApiName, readonly Numbers[]>> = {
  // To Apache Kafka all types that it does not know are one, and it does not answer where one is named twice.
  AlterConfigs: [[/resourceType$/, [2, 2, 32, 16, 99]]],
  IncrementalAlterConfigs: [
    [/resourceType$/, [2, 2, 32, 16, 99]],
    // It fails at an operation that it does not know, for all resources of the request.
    [/configOperation$/, [0, 0, 1, 2, 3]],
  ],
  // Apache Kafka fails at what is negative, and may have done half of it.
  AlterShareGroupOffsets: [
    [/partitionIndex$/, [0, 1, 2, 7]],
    [/startOffset$/, [0, 1, 5]],
  ],
};

function numberOf(path: string, { api, random }: Source): number {
  const [, values] = [...(numbersOf[api] ?? []), ...numbers].find(([pattern]) => pattern.test(path)) ?? [
    /x/,
    [0, 1, 2, 5, -1],
  ];
  return pick(random, values);
}

type Texts = readonly [pattern: RegExp, values: (vocabulary: Vocabulary) => readonly string[]];

const texts: readonly Texts[] = [
  [/configs\[\]\.name$|configurationKeys/, () => ['retention.ms', 'cleanup.policy', 'no.such.config']],
  [/configs\[\]\.value$/, () => ['60000', 'compact', 'soon']],
  [/resourceName/, ({ topics, groups }) => [...topics, ...groups]],
  [/principal/i, () => ['User:alice', 'User:bob', 'alice']],
  [/host/i, () => ['*', '10.0.0.1']],
  [/transactionalId/i, ({ transactionalIds }) => transactionalIds],
  [/memberId$/, ({ memberIds }) => memberIds],
  [/instanceId$/i, () => ['one']],
  [/group|coordinatorKeys|\.key$/i, ({ groups }) => groups],
  [/state/i, () => ['Empty', 'Stable', 'Ongoing', 'nonsense']],
  [/typesFilter/, () => ['classic', 'consumer', 'nonsense']],
  [/regex/i, () => ['.*one', '(']],
  [/serverAssignor/, () => ['uniform', 'range', 'nonsense']],
  [/entityType/, () => ['user', 'client-id', 'nonsense']],
  [/users|deletions|upsertions/, ({ topics }) => topics],
  [/topic|name$/i, ({ topics }) => topics],
];

/** What counts before the others in one request. */
const committedGroups: readonly Texts[] = [
  // Apache Kafka makes the group without a name, which other sequences would find.
  [/\.groupId$/, ({ groups }) => groups.filter((group) => group !== '')],
];
const textsOfRequest: Partial<Record<ApiName, readonly Texts[]>> = {
  OffsetCommit: committedGroups,
  TxnOffsetCommit: committedGroups,
};

function textOf(path: string, { api, random, vocabulary }: Source): string {
  const found = [...(textsOfRequest[api] ?? []), ...texts].find(([pattern]) => pattern.test(path));
  return pick(random, found?.[1](vocabulary) ?? ['', 'text']);
}

/** The request as it is sent to one side. */
function resolved(value: unknown, side: Side): unknown {
  if (value instanceof IdOfTopic) return side.idOrNone(value.topic);
  if (value === itsNode) return side.nodeId;
  if (Array.isArray(value)) return value.map((inner) => resolved(inner, side));
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(inner, side)]));
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[random.below(values.length)]!;
}

function clamped(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value));
}
