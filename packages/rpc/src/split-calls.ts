import { type CallName, clusterCalls } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';

type Args = readonly unknown[];

/** The calls of which a call with so many entries is made, before anybody has looked how large they are; `undefined` when it is one. */
export function splitByCount(method: CallName, args: Args): Args[] | undefined {
  return splitInto(method, args, clusterLimits.rpcCallEntriesMax);
}

/** Two halves of a call that is too large; `undefined` when it cannot be split. */
export function splitInHalves(method: CallName, args: Args): Args[] | undefined {
  const [entries] = args;
  return Array.isArray(entries) ? splitInto(method, args, Math.ceil(entries.length / 2)) : undefined;
}

function splitInto(method: CallName, args: Args, entriesMax: number): Args[] | undefined {
  const [entries, ...others] = args;
  if (!clusterCalls[method].splits || !Array.isArray(entries) || entries.length <= entriesMax)
    return undefined;
  const calls: Args[] = [];
  for (let at = 0; at < entries.length; at += entriesMax) {
    calls.push([entries.slice(at, at + entriesMax), ...others]);
  }
  return calls;
}
