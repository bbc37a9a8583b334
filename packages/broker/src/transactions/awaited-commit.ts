import type { ClientSession } from '@weir/security';
import { type Api, apis } from '@weir/wire';

/**
 * After AddOffsetsToTxn a producer commits the offsets at once, at the coordinator of the group, and then goes on with
 * its transaction over this connection. librdkafka may wait for a coordinator that it has dropped, without a limit, and
 * looks for the coordinator again when any of its connections comes or goes (ADR 0084). So the connection of a producer
 * that does not go on is closed. One that only pauses connects again when it does.
 */
export const awaitedCommitMsMax = 3_000;

/** Requests by which a client goes on. It may add partitions to the transaction meanwhile, and ask for Metadata. */
const goingOn: ReadonlySet<Api> = new Set<Api>([apis.TxnOffsetCommit, apis.EndTxn, apis.InitProducerId]);

/** Must be called for each request of a connection, in order. */
export function noteAwaitedCommit(session: ClientSession, api: Api): void {
  if (api === apis.AddOffsetsToTxn) session.idleMsMax = awaitedCommitMsMax;
  else if (session.idleMsMax !== undefined && goingOn.has(api)) session.idleMsMax = undefined;
}
