import { type CallName, clusterCalls } from '@weir/cluster';
import { rpcLimits } from './limits.ts';

/** How many entries the list of a call may have. Clients split longer lists, so that other calls can run in between. */
export function callEntriesMax(method: CallName): number {
  const { hasCostlyEntries } = clusterCalls[method];
  return hasCostlyEntries ? rpcLimits.rpcCostlyCallEntriesMax : rpcLimits.rpcCallEntriesMax;
}
