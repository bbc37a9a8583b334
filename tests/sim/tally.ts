/** Counts of injected faults. A simulation without faults proves nothing. */
export interface Tally {
  /** Leader terms after the first of each run. */
  failovers: number;
  nodePauses: number;
  nodeKills: number;
  nodeStops: number;
  agentPauses: number;
  agentKills: number;
  /** Journal calls that failed before they took effect, and after. */
  journalRefusals: number;
  journalLostAnswers: number;
  /** Broken connections between agents and control plane, with lost messages. */
  linksCut: number;
  linksSilenced: number;
  /** Times during which nothing passed between the regions, and calls of the database that were lost in them. */
  regionCuts: number;
  journalCallsCut: number;
  clientsCut: number;
  /** Bucket puts that failed before they took effect, and after. */
  putsFailed: number;
  putsLost: number;
  /** Produce requests without an answer. */
  produceRepliesLost: number;
  batchesRetried: number;
  batchesAcknowledged: number;
  batchesRead: number;
  transactionsCommitted: number;
  transactionsAborted: number;
  schemasRegistered: number;
  schemasRead: number;
  schemasDeleted: number;
  schemaRequestsRetried: number;
  /** Deletions of records that were acknowledged, and reads below a log start that were refused. */
  logStartsMoved: number;
  readsRefused: number;
}

export function newTally(): Tally {
  return {
    failovers: 0,
    nodePauses: 0,
    nodeKills: 0,
    nodeStops: 0,
    agentPauses: 0,
    agentKills: 0,
    journalRefusals: 0,
    journalLostAnswers: 0,
    linksCut: 0,
    linksSilenced: 0,
    regionCuts: 0,
    journalCallsCut: 0,
    clientsCut: 0,
    putsFailed: 0,
    putsLost: 0,
    produceRepliesLost: 0,
    batchesRetried: 0,
    batchesAcknowledged: 0,
    batchesRead: 0,
    transactionsCommitted: 0,
    transactionsAborted: 0,
    schemasRegistered: 0,
    schemasRead: 0,
    schemasDeleted: 0,
    schemaRequestsRetried: 0,
    logStartsMoved: 0,
    readsRefused: 0,
  };
}

export function addTally(sum: Tally, one: Tally): void {
  for (const name of Object.keys(one) as (keyof Tally)[]) sum[name] += one[name];
}
