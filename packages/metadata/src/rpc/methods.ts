import type { AgentHeartbeat } from '../cluster/agent-report.ts';
import type {
  BatchesQuery,
  ClusterPort,
  FileCommit,
  MutationOptions,
  OffsetQuery,
  PartitionsToCreate,
  ShutdownLockRequest,
  TopicReference,
  TopicToCreate,
  TransactionalBatches,
} from '../cluster/port.ts';
import { aclMethods } from './acl-methods.ts';
import { adminMethods } from './admin-methods.ts';
import { eventMethods } from './event-methods.ts';
import { groupMethods } from './group-methods.ts';
import { ownerMethods } from './owner-methods.ts';
import { principalMethods } from './principal-methods.ts';
import { queryMethods } from './query-methods.ts';
import {
  anything,
  column,
  equallyLong,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  texts,
  tuple,
  whole,
} from './shape.ts';
import { shareMethods } from './share-methods.ts';
import { transactionMethods } from './transaction-methods.ts';

/** The calls of the port. `follow` is a subscription and has frames of its own. */
export type MethodName = Exclude<keyof ClusterPort, 'follow'>;

/** What goes over the wire of a call: what comes late has come by then. */
type SentArgs<M extends MethodName> = M extends 'commitFiles'
  ? [files: readonly FileCommit[]]
  : Parameters<ClusterPort[M]>;

export interface Method<Args extends readonly unknown[]> {
  /**
   * How a call that is sent again, because its answer may have been lost, does no harm.
   *
   * `remembered`: the process that answers keeps the answer until the agent has confirmed it, and gives it again. The machine has
   * its own memory of committed files besides, which outlives the process.
   * `once`: the same, and the cluster itself remembers the answer with what was done, so that whichever process leads by then
   * gives it. For methods that are one command of the machine.
   * `repeated`: it is done again; asking or saying something twice changes nothing.
   */
  readonly again: 'remembered' | 'once' | 'repeated';
  /** After this the caller is told that the control plane is unavailable. */
  readonly deadlineMs: number;
  /**
   * The answer may depend on calls of others, as members of a group wait for each other. Such calls are counted apart
   * (`caps.rpcWaitingCallsMax`): if they used up the places of calls that are worked on, those that they wait for could
   * not come in.
   */
  readonly waits?: true;
  /**
   * Only processes of the control plane may call it. The rest is what an agent needs for itself and for its Kafka clients, whom it
   * authorises; whoever has stolen the key of an agent can do so much and no more (SECURITY.md).
   */
  readonly membersOnly?: true;
  readonly args: Shape<Args>;
}

const mutationOptions = object<MutationOptions>({ validateOnly: flag });

const fileCommit = equallyLong(
  object<FileCommit>({
    fileId: text,
    fileBytes: whole,
    topicIds: list(text),
    topic: column(Uint32Array),
    partition: column(Uint32Array),
    byteStart: column(Uint32Array),
    byteLength: column(Uint32Array),
    recordCount: column(Uint32Array),
    maxTimestampMs: column(Float64Array),
    producerId: column(Float64Array),
    producerEpoch: column(Int16Array),
    baseSequence: column(Int32Array),
    uncompressedBytes: optional(column(Float64Array)),
    transactions: optional(
      equallyLong(
        object<TransactionalBatches>({
          transactionalIds: list(text),
          transaction: column(Int32Array),
          addsPartition: column(Uint8Array),
        }),
        'transaction',
        'addsPartition',
      ),
    ),
  }),
  'topic',
  'partition',
  'byteStart',
  'byteLength',
  'recordCount',
  'maxTimestampMs',
  'producerId',
  'producerEpoch',
  'baseSequence',
);

const heartbeat = object<AgentHeartbeat>({
  agentId: text,
  nodeId: whole,
  host: text,
  kafkaPort: whole,
  internalUrl: text,
  zone: text,
  group: text,
  roles: list(text),
  release: text,
  cpuCount: number,
  cpuLoad: number,
  // Whoever keeps it looks at it: an agent whose report cannot be used lives all the same.
  report: anything as Shape<AgentHeartbeat['report']>,
});

/** Every call, once. A new method of the port does not compile until it has its row here. */
export const methods = {
  commitFiles: { again: 'remembered', deadlineMs: 30_000, args: tuple(list(fileCommit)) },
  findBatches: {
    again: 'repeated',
    deadlineMs: 30_000,
    args: tuple(
      list(object<BatchesQuery>({ topicId: text, partition: whole, offset: whole, bytesMax: number })),
    ),
  },
  findOffsets: {
    again: 'repeated',
    deadlineMs: 30_000,
    args: tuple(
      list(
        object<OffsetQuery>({
          topicId: text,
          partition: whole,
          want: oneOf('first', 'latest'),
          timestampMs: number,
        }),
      ),
    ),
  },
  createTopics: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(
      list(
        object<TopicToCreate>({
          name: text,
          partitionCount: number,
          replicationFactor: optional(number),
          configs: texts,
        }),
      ),
      mutationOptions,
    ),
  },
  deleteTopics: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(object<TopicReference>({ topicId: optional(text), name: optional(text) }))),
  },
  createPartitions: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(object<PartitionsToCreate>({ name: text, partitionCount: number })), mutationOptions),
  },
  allocateProducerIds: { again: 'once', deadlineMs: 30_000, args: tuple(whole) },
  ...aclMethods,
  ...adminMethods,
  ...eventMethods,
  ...groupMethods,
  ...ownerMethods,
  ...principalMethods,
  ...queryMethods,
  ...shareMethods,
  ...transactionMethods,
  // The next heartbeat says the same, so that waiting long for this one is of no use.
  heartbeat: { again: 'repeated', deadlineMs: 6_000, args: tuple(heartbeat) },
  leave: { again: 'repeated', deadlineMs: 6_000, args: tuple(text) },
  lockShutdown: {
    again: 'repeated',
    deadlineMs: 6_000,
    args: tuple(object<ShutdownLockRequest>({ agentId: text, group: text, hasIt: flag })),
  },
  unlockShutdown: { again: 'repeated', deadlineMs: 6_000, args: tuple(text) },
  claimBucket: { again: 'repeated', deadlineMs: 30_000, args: tuple(nullable(text)) },
} as const satisfies { readonly [M in MethodName]: Method<SentArgs<M>> };

/** Whose places a call takes. */
export type CallClass = 'working' | 'waiting';

export function callClass(method: string): CallClass {
  const waits = isMethodName(method) && 'waits' in methods[method];
  return waits ? 'waiting' : 'working';
}

export function isForMembersOnly(method: MethodName): boolean {
  return 'membersOnly' in methods[method];
}

export const methodNames = Object.keys(methods) as readonly MethodName[];

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}
