import type { ClusterState } from '../cluster-state.ts';
import type { Records } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';

/**
 * The node ids that clients see of agents: small numbers from 1, each a record of its own that says which agent has it, and where clients
 * reach that agent. Agents take another agent id with every start; by its address one that was started again is recognised and gets its
 * number back. Large numbers will not do: librdkafka crashes at ids of 2^24 and above.
 */

/** An agent that needs a node id, and those who must not lose theirs to it. */
export interface NodeIdRequest {
  readonly agentId: string;
  /** Where clients reach it. */
  readonly address: string;
  /** Agents that clients may be told of. What the others have is free some time after they were first missed. */
  readonly named: readonly string[];
  /** Those of them that are known to live now. From any other, an agent at the same address takes the id over. */
  readonly present: readonly string[];
}

interface NodeIdRow {
  readonly nodeId: number;
  readonly agentId: string;
  readonly address: string;
  /** When its agent was first missed; `null` while it is not. */
  readonly goneMs: number | null;
}

/** Longer than clients believe what they were told of brokers, which is minutes. */
export const nodeIdKeptMs = 3_600_000;

/** Decides who has which id from now on; changes nothing. */
export function decideAssignNodeId(
  state: ClusterState,
  limits: MachineLimits,
  request: NodeIdRequest,
  nowMs: number,
): { readonly nodeId: number | undefined; readonly changed: EntryChange[]; readonly problem?: string } {
  const rows = nodeIdRows(state.records);
  const named = new Set(request.named);
  const { agentId, address } = request;
  const noticed = rows
    .map((row) => ({ ...row, goneMs: named.has(row.agentId) ? null : (row.goneMs ?? nowMs) }))
    .filter(({ goneMs }, index) => goneMs !== rows[index]!.goneMs);
  let problem = `all ${limits.nodeIdMax} node ids are taken`;
  for (const nodeId of candidates(rows, limits, request, named, nowMs)) {
    const others = noticed.filter((row) => row.nodeId !== nodeId);
    const changes = [...others, { nodeId, agentId, address, goneMs: null }].map(recordOf);
    const decision = decidePutEntries(state, limits, changes);
    if (decision.problem === undefined) return { nodeId, changed: decision.changed };
    problem = decision.problem;
  }
  return { nodeId: undefined, changed: [], problem };
}

/** Ids in the order in which they are tried; a later one counts only where there is no room for the record of an earlier one. */
function* candidates(
  rows: readonly NodeIdRow[],
  { nodeIdMax }: MachineLimits,
  { agentId, address, present }: NodeIdRequest,
  named: ReadonlySet<string>,
  nowMs: number,
): Iterable<number> {
  const living = new Set(present);
  const own =
    rows.find((row) => row.agentId === agentId) ??
    rows.find((row) => row.address === address && !living.has(row.agentId));
  if (own !== undefined) {
    yield own.nodeId;
    return;
  }
  const gone = rows
    .filter((row) => !named.has(row.agentId))
    .sort((a, b) => (a.goneMs ?? nowMs) - (b.goneMs ?? nowMs) || a.nodeId - b.nodeId);
  const [longestGone] = gone;
  if (longestGone !== undefined && nowMs - (longestGone.goneMs ?? nowMs) >= nodeIdKeptMs) {
    yield longestGone.nodeId;
    return;
  }
  const taken = new Set(rows.map(({ nodeId }) => nodeId));
  for (let nodeId = 1; nodeId <= nodeIdMax; nodeId++) {
    if (taken.has(nodeId)) continue;
    yield nodeId;
    break;
  }
  if (longestGone !== undefined) yield longestGone.nodeId;
}

/** By id. */
export function nodeIdRows(records: Pick<Records, 'of'>): NodeIdRow[] {
  return Array.from(records.of('nodeId'), ([key, value]) => rowOf(key, value)).sort(
    (a, b) => a.nodeId - b.nodeId,
  );
}

/** Whether an agent has an id, as far as it is written down. */
export function hasNodeId(records: Pick<Records, 'get'>, agentId: string, nodeId: number): boolean {
  const key = String(nodeId);
  const value = records.get('nodeId', key);
  return value !== undefined && rowOf(key, value).agentId === agentId;
}

/** Values are replaced and never changed. Many agents that start at once make every row be read for each of them. */
const readRows = new WeakMap<Buffer, NodeIdRow>();

function rowOf(key: string, value: Buffer): NodeIdRow {
  let row = readRows.get(value);
  if (row === undefined) {
    const [agentId, address, goneMs] = JSON.parse(String(value)) as [string, string, number | null];
    row = { nodeId: Number(key), agentId, address, goneMs };
    readRows.set(value, row);
  }
  return row;
}

/** A list, so that a later release can say more. */
function recordOf({ nodeId, agentId, address, goneMs }: NodeIdRow): EntryChange {
  const value = Buffer.from(JSON.stringify([agentId, address, goneMs]));
  return { namespace: 'nodeId', key: String(nodeId), value };
}
