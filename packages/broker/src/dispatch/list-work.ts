import { type Clock, nextTurn } from '@weir/core';
import type { Api, Fields, Layout, LayoutType, ReadStruct } from '@weir/wire';
import { layoutOf } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import type { Answer, HandlerResult } from '../requests/handler-result.ts';
import type { ServedApi } from './handler-table.ts';

/** How the work for the lists of a request is bounded. */
export type ListWork =
  /** The request has no list. */
  | 'noList'
  /** The handler refuses more entries than `namedPerRequestMax` as a whole, before it looks at any. */
  | 'limited'
  /** The handler itself works in turns. */
  | 'turns'
  /** One turn for all of them, of which there are at most `entriesAtOnceMax`. */
  | 'atOnce'
  /**
   * The handler is called with a part of the list at a time, whose entries have no lists. They are answered one by
   * one, in their order, and none depends on another.
   */
  | { readonly parts: string; readonly answers: string };

/** Every API that is served, so that a new one has to choose. */
export const listWork = {
  Produce: 'turns',
  Fetch: 'turns',
  ListOffsets: 'turns',
  Metadata: 'turns',
  OffsetCommit: 'turns',
  OffsetFetch: 'turns',
  FindCoordinator: { parts: 'coordinatorKeys', answers: 'coordinators' },
  JoinGroup: 'atOnce',
  Heartbeat: 'noList',
  LeaveGroup: 'atOnce',
  SyncGroup: 'atOnce',
  DescribeGroups: { parts: 'groups', answers: 'groups' },
  ListGroups: 'atOnce',
  SaslHandshake: 'noList',
  ApiVersions: 'noList',
  CreateTopics: 'limited',
  DeleteTopics: 'limited',
  DeleteRecords: 'atOnce',
  InitProducerId: 'noList',
  OffsetForLeaderEpoch: 'turns',
  AddPartitionsToTxn: 'atOnce',
  AddOffsetsToTxn: 'noList',
  EndTxn: 'noList',
  WriteTxnMarkers: 'atOnce',
  TxnOffsetCommit: 'turns',
  DescribeAcls: 'noList',
  CreateAcls: 'atOnce',
  DeleteAcls: 'atOnce',
  DescribeConfigs: 'turns',
  AlterConfigs: 'limited',
  AlterReplicaLogDirs: 'atOnce',
  DescribeLogDirs: 'atOnce',
  SaslAuthenticate: 'noList',
  CreatePartitions: 'limited',
  CreateDelegationToken: 'atOnce',
  RenewDelegationToken: 'noList',
  ExpireDelegationToken: 'noList',
  DescribeDelegationToken: 'limited',
  DeleteGroups: 'limited',
  ElectLeaders: 'atOnce',
  IncrementalAlterConfigs: 'limited',
  AlterPartitionReassignments: 'atOnce',
  ListPartitionReassignments: 'atOnce',
  OffsetDelete: 'atOnce',
  DescribeClientQuotas: 'atOnce',
  AlterClientQuotas: 'limited',
  DescribeUserScramCredentials: 'limited',
  AlterUserScramCredentials: 'limited',
  DescribeQuorum: 'atOnce',
  UpdateFeatures: 'atOnce',
  DescribeCluster: 'noList',
  DescribeProducers: 'atOnce',
  UnregisterBroker: 'noList',
  DescribeTransactions: { parts: 'transactionalIds', answers: 'transactionStates' },
  ListTransactions: 'atOnce',
  ConsumerGroupHeartbeat: 'atOnce',
  ConsumerGroupDescribe: { parts: 'groupIds', answers: 'groups' },
  GetTelemetrySubscriptions: 'noList',
  PushTelemetry: 'noList',
  ListConfigResources: 'atOnce',
  DescribeTopicPartitions: 'turns',
  ShareGroupHeartbeat: 'atOnce',
  ShareGroupDescribe: { parts: 'groupIds', answers: 'groups' },
  ShareFetch: 'atOnce',
  ShareAcknowledge: 'atOnce',
  AddRaftVoter: 'atOnce',
  RemoveRaftVoter: 'noList',
  StreamsGroupHeartbeat: 'atOnce',
  StreamsGroupDescribe: { parts: 'groupIds', answers: 'groups' },
  DescribeShareGroupOffsets: 'atOnce',
  AlterShareGroupOffsets: 'atOnce',
  DeleteShareGroupOffsets: 'atOnce',
} as const satisfies { readonly [Name in ServedApi]: ListWork };

/** How many entries the lists of such a request may have in all. */
export function entriesMax(work: ListWork): number {
  return work === 'atOnce' ? brokerLimits.entriesAtOnceMax : brokerLimits.entriesPerRequestMax;
}

type Body = Readonly<Record<string, unknown>>;
type Counter = (body: Body) => number;

const noEntries: Counter = () => 0;
const counters = new Map<string, Counter>();

/** Counts the entries of all lists of a request, those of lists in lists too. */
export function entriesOf(api: Api, apiVersion: number, body: ReadStruct<Fields>): number {
  const key = `${api.key}/${apiVersion}`;
  let counter = counters.get(key);
  if (counter === undefined) {
    counter = structCounter(layoutOf(api.request, apiVersion));
    counters.set(key, counter);
  }
  return counter(body as Body);
}

function structCounter({ fields, tagged }: Layout): Counter {
  const lists: { readonly name: string; readonly count: (value: unknown) => number }[] = [];
  for (const { name, type } of [...fields, ...tagged]) {
    const count = valueCounter(type);
    if (count !== undefined) lists.push({ name, count });
  }
  if (lists.length === 0) return noEntries;
  return (body) => {
    let entries = 0;
    for (const { name, count } of lists) entries += count(body[name]);
    return entries;
  };
}

/** Absent for a type without lists. */
function valueCounter(type: LayoutType): ((value: unknown) => number) | undefined {
  if (type.kind === 'struct') {
    const counter = structCounter(type.layout);
    return counter === noEntries ? undefined : (value) => (value === null ? 0 : counter(value as Body));
  }
  if (type.kind !== 'array') return undefined;
  const inner = valueCounter(type.element);
  return (value) => {
    const items = value as readonly unknown[] | null | undefined;
    let entries = items?.length ?? 0;
    // A list that is long enough to be refused is not counted further.
    if (inner !== undefined && entries <= brokerLimits.entriesPerRequestMax)
      for (const item of items ?? []) entries += inner(item);
    return entries;
  };
}

/** Serves a request in parts of its list, and joins their answers. */
export async function servedInParts(
  { parts, answers }: { readonly parts: string; readonly answers: string },
  body: ReadStruct<Fields>,
  clock: Pick<Clock, 'after'>,
  serve: (body: ReadStruct<Fields>) => HandlerResult<Fields>,
): Promise<Answer<Fields>> {
  const entries = (body as Body)[parts] as readonly unknown[];
  const joined: unknown[] = [];
  for (let at = 0; ; ) {
    const end = at + brokerLimits.entriesPerTurnMax;
    const answer = await serve({ ...body, [parts]: entries.slice(at, end) } as ReadStruct<Fields>);
    if (typeof answer === 'string') return answer;
    for (const entry of (answer as Body)[answers] as readonly unknown[]) joined.push(entry);
    at = end;
    if (at >= entries.length) return { ...answer, [answers]: joined } as Answer<Fields>;
    await nextTurn(clock);
  }
}
