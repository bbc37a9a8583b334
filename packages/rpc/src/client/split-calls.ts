import { type CallName, clusterCalls } from '@weir/cluster';
import { callEntriesMax } from '../call-entries.ts';

type Args = readonly unknown[];

/** Splits a call with too many entries, before its size is known; `undefined` if it fits. */
export function splitByCount(method: CallName, args: Args): Args[] | undefined {
  return splitInto(method, args, callEntriesMax(method));
}

/** Splits a call that is too large into halves; `undefined` if it cannot be split. */
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
