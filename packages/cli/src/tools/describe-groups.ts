import {
  describeGroup,
  type GroupDescription,
  type KafkaCluster,
  KafkaRequestFailed,
  listGroupIds,
  printAddress,
} from '@weir/client';
import type { NamedPartitions } from '@weir/cluster';
import { errors } from '@weir/wire';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { onCluster } from './connection.ts';

/** Prints one group with its members, or all groups with a line each. */
export const describeGroupsTool: Handler<'cli describe-groups'> = async (values, deps) => {
  const groupId = values.group;
  const groups = await onCluster(values, deps, async (cluster) =>
    groupId === undefined ? describeAll(cluster) : [await describeGroup(cluster, groupId)],
  );
  printResult(
    values,
    deps,
    groupId === undefined
      ? { json: groups.map(jsonGroup), text: () => groupsText(groups) }
      : { json: jsonGroup(groups[0]!), text: () => groupText(groups[0]!) },
  );
  return 0;
};

const describedAtOnce = 16;

async function describeAll(cluster: KafkaCluster): Promise<readonly GroupDescription[]> {
  const ids = await listGroupIds(cluster);
  const groups: GroupDescription[] = [];
  for (let at = 0; at < ids.length; at += describedAtOnce) {
    const some = ids.slice(at, at + describedAtOnce).map((id) => describeIfThere(cluster, id));
    groups.push(...(await Promise.all(some)).filter((group) => group !== undefined));
  }
  return groups;
}

/** A listed group may have been deleted meanwhile. */
async function describeIfThere(
  cluster: KafkaCluster,
  groupId: string,
): Promise<GroupDescription | undefined> {
  try {
    return await describeGroup(cluster, groupId);
  } catch (error) {
    const isGone = error instanceof KafkaRequestFailed && error.code === errors.GROUP_ID_NOT_FOUND.code;
    if (isGone) return undefined;
    throw error;
  }
}

function groupsText(groups: readonly GroupDescription[]): string {
  return table(
    ['GROUP', 'TYPE', 'STATE', 'ASSIGNOR', 'MEMBERS', 'COORDINATOR'],
    groups.map(({ groupId, type, state, assignor, members, coordinator }) => [
      groupId,
      type,
      state,
      assignor || '-',
      String(members.length),
      `${coordinator.nodeId} (${printAddress(coordinator)})`,
    ]),
  );
}

function groupText(group: GroupDescription): string {
  const members = group.members.map(({ memberId, instanceId, clientId, clientHost, partitions }) => [
    memberId,
    instanceId ?? '-',
    clientId,
    clientHost,
    shownPartitions(partitions),
  ]);
  return (
    groupsText([group]) +
    (members.length === 0
      ? ''
      : `\n${table(['MEMBER', 'INSTANCE', 'CLIENT', 'HOST', 'PARTITIONS'], members)}`)
  );
}

/** `orders 0,1,2; payments 0`. */
function shownPartitions(partitions: readonly NamedPartitions[]): string {
  const shown = partitions.map(({ topic, partitions: indexes }) => `${topic} ${indexes.join(',')}`);
  return shown.length === 0 ? '-' : shown.join('; ');
}

function jsonGroup({ groupId, type, state, assignor, coordinator, members }: GroupDescription) {
  return { group: groupId, type, state, assignor, coordinator, members };
}
