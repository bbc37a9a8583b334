import { caps } from '@weir/core';
import type { MethodName } from './methods.ts';

/**
 * Methods that take a list and answer with one of the same order, in which every entry stands for itself. What does not fit into one call goes in
 * several, one after the other. Commits of files are not among them: what is committed together stays together.
 */
const splitMethods: ReadonlySet<MethodName> = new Set<MethodName>([
  'findBatches',
  'findOffsets',
  'createTopics',
  'deleteTopics',
  'createPartitions',
  'alterConfigs',
  'describeConfigs',
  'deleteRecords',
  'groupHeartbeats',
  'consumerGroupHeartbeats',
  'describeConsumerGroups',
  'commitOffsets',
  'fetchOffsets',
  'describeGroups',
  'deleteGroups',
  'shareGroupHeartbeats',
  'describeShareGroups',
  'describeShareOffsets',
  'describeTransactions',
  'describeProducers',
  'alterClientQuotas',
  'alterScramCredentials',
  'describeScramCredentials',
]);

type Args = readonly unknown[];

/** The calls of which a call with so many entries is made, before anybody has looked how large they are; `undefined` when it is one. */
export function splitByCount(method: MethodName, args: Args): Args[] | undefined {
  return splitInto(method, args, caps.rpcCallEntriesMax);
}

/** Two halves of a call that is too large; `undefined` when it cannot be split. */
export function splitInHalves(method: MethodName, args: Args): Args[] | undefined {
  const [entries] = args;
  return Array.isArray(entries) ? splitInto(method, args, Math.ceil(entries.length / 2)) : undefined;
}

function splitInto(method: MethodName, args: Args, entriesMax: number): Args[] | undefined {
  const [entries, ...others] = args;
  if (!splitMethods.has(method) || !Array.isArray(entries) || entries.length <= entriesMax) return undefined;
  const calls: Args[] = [];
  for (let at = 0; at < entries.length; at += entriesMax) {
    calls.push([entries.slice(at, at + entriesMax), ...others]);
  }
  return calls;
}
