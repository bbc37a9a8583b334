import type { KafkaConnection } from '@weir/client';
import { KafkaRequestFailed } from '@weir/client';
import { apis, errors } from '@weir/wire';
import { exactNumber } from './exact-number.ts';
import type { SourceCluster } from './source-cluster.ts';
import { sourceProblem } from './source-problem.ts';

export interface SourceGroup {
  readonly groupId: string;
  /** The broker that manages it. */
  readonly coordinatorId: number;
  /** `consumer` for groups of consumers; empty for one that only has offsets. */
  readonly protocolType: string;
  /** As the source spells it: `Stable`, `Empty` and so on. */
  readonly state: string;
  /** `classic`, `consumer`, `share` and so on. */
  readonly type: string;
}

export interface SourceGroups {
  readonly groups: readonly SourceGroup[];
  /** Brokers that could not be asked, each in one line. */
  readonly problems: readonly string[];
}

/** Groups of one request. */
const groupsPerRequest = 100;

/** The groups that the login may see, by name. Each broker lists those that it coordinates. */
export async function sourceGroups(source: SourceCluster): Promise<SourceGroups> {
  await source.metadata([]);
  const groups = new Map<string, SourceGroup>();
  const problems: string[] = [];
  await Promise.all(
    [...source.brokers.keys()].map(async (brokerId) => {
      try {
        const connection = await source.connectionTo(brokerId, 'asks');
        for (const group of await groupsOf(source, connection, brokerId)) groups.set(group.groupId, group);
      } catch (error) {
        problems.push(sourceProblem(error));
      }
    }),
  );
  return { groups: [...groups.values()].sort((a, b) => (a.groupId < b.groupId ? -1 : 1)), problems };
}

async function groupsOf(
  { asks: { timeoutMs } }: SourceCluster,
  connection: KafkaConnection,
  coordinatorId: number,
): Promise<readonly SourceGroup[]> {
  const { errorCode, groups } = await connection.request(apis.ListGroups, {}, { timeoutMs });
  if (errorCode !== errors.NONE.code) throw new KafkaRequestFailed('ListGroups', errorCode);
  const listed = groups.map(({ groupId, protocolType, groupState = '', groupType = '' }) => ({
    groupId,
    coordinatorId,
    protocolType,
    state: groupState,
    type: groupType === '' ? 'classic' : groupType.toLowerCase(),
  }));
  // Lists of sources before 2.6 have no states.
  const without = listed.filter(({ state }) => state === '').map(({ groupId }) => groupId);
  const states = new Map<string, string>();
  for (let at = 0; at < without.length; at += groupsPerRequest) {
    const body = { groups: without.slice(at, at + groupsPerRequest) };
    const described = await connection.request(apis.DescribeGroups, body, { timeoutMs });
    for (const { groupId, groupState } of described.groups) states.set(groupId, groupState);
  }
  return listed.map((group) => ({
    ...group,
    state: group.state || (states.get(group.groupId) ?? 'Unknown'),
  }));
}

export interface SourceCommit {
  readonly groupId: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly metadata: string;
}

export interface SourceCommits {
  readonly commits: readonly SourceCommit[];
  /** Those that a transaction replaces that has not ended. Left out of the commits if they have to be stable. */
  readonly pending: readonly Pick<SourceCommit, 'groupId' | 'topic' | 'partition'>[];
  /** Groups whose offsets could not be read, each in one line. */
  readonly problems: readonly string[];
}

/** The committed offsets of groups, of all partitions that have one. `mustBeStable` has an effect from Kafka 2.5 on. */
export async function sourceCommits(
  source: SourceCluster,
  groups: readonly Pick<SourceGroup, 'groupId' | 'coordinatorId'>[],
  { mustBeStable = false } = {},
): Promise<SourceCommits> {
  const found: FoundCommits = { commits: [], pending: [], problems: [] };
  await Promise.all(
    [...Map.groupBy(groups, ({ coordinatorId }) => coordinatorId)].map(async ([coordinatorId, led]) => {
      try {
        const connection = await source.connectionTo(coordinatorId, 'asks');
        const atOnce =
          (connection.versionOf(apis.OffsetFetch) ?? 0) >= firstWithGroups ? groupsPerRequest : 1;
        for (let at = 0; at < led.length; at += atOnce) {
          const ids = led.slice(at, at + atOnce).map(({ groupId }) => groupId);
          await readCommits(source, connection, ids, mustBeStable, found);
        }
      } catch (error) {
        found.problems.push(sourceProblem(error));
      }
    }),
  );
  return found;
}

type FoundCommits = { readonly [Name in keyof SourceCommits]: SourceCommits[Name][number][] };

/** A request may ask for several groups. */
const firstWithGroups = 8;
/** Later versions name topics by ids alone. */
const lastWithNames = 9;

async function readCommits(
  { asks: { timeoutMs } }: SourceCluster,
  connection: KafkaConnection,
  groupIds: readonly string[],
  requireStable: boolean,
  found: FoundCommits,
): Promise<void> {
  const answer = await connection.request(
    apis.OffsetFetch,
    (version) =>
      version >= firstWithGroups
        ? {
            groupId: '',
            topics: [],
            groups: groupIds.map((groupId) => ({ groupId, memberId: null, memberEpoch: -1, topics: null })),
            requireStable,
          }
        : { groupId: groupIds[0]!, topics: null, groups: [], requireStable },
    { timeoutMs, highestUseful: lastWithNames },
  );
  const wanted = new Set(groupIds);
  const groups =
    answer.groups !== undefined && answer.groups.length > 0
      ? answer.groups
      : [{ groupId: groupIds[0]!, errorCode: answer.errorCode ?? 0, topics: answer.topics ?? [] }];
  for (const { groupId, errorCode, topics } of groups) {
    if (!wanted.has(groupId)) continue;
    if (errorCode !== errors.NONE.code) {
      found.problems.push(new KafkaRequestFailed(`group ${groupId}`, errorCode).message);
      continue;
    }
    for (const { name = '', partitions } of topics)
      for (const { partitionIndex, committedOffset, metadata, errorCode: code } of partitions)
        if (code === errors.UNSTABLE_OFFSET_COMMIT.code)
          found.pending.push({ groupId, topic: name, partition: partitionIndex });
        else if (code === errors.NONE.code && committedOffset >= 0n)
          found.commits.push({
            groupId,
            topic: name,
            partition: partitionIndex,
            offset: exactNumber(committedOffset),
            metadata: metadata ?? '',
          });
  }
}
