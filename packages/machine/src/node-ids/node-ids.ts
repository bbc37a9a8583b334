import type { ClusterState } from '../cluster-state.ts';
import type { KeyValueStore } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';

/**
 * Node ids of agents, as clients see them: small numbers from 1. Each is a key-value entry with the agent that has it
 * and the address at which clients reach that agent. An agent has a new agent id after every start; a restarted one is
 * recognised by its address and gets its node id back. Large numbers are not possible: librdkafka crashes at ids of
 * 2^24 and above.
 */

/** An agent that needs a node id, and the agents that must not lose theirs to it. */
export interface NodeIdRequest {
  readonly agentId: string;
  /** Address at which clients reach it. */
  readonly address: string;
  /** Agents that are listed for clients. Ids of all others become free some time after they were first missed. */
  readonly named: readonly string[];
  /**
   * Those of `named` that are known to be live. From any other agent, an agent at the same address takes over the id.
   */
  readonly present: readonly string[];
}

interface NodeIdRow {
  readonly nodeId: number;
  readonly agentId: string;
  readonly address: string;
  /** When its agent was first missed; `null` while it is listed. */
  readonly goneMs: number | null;
}

/** Longer than clients cache broker metadata, which is minutes. */
export const nodeIdRetentionMs = 3_600_000;

/** Decides the assignment of ids without applying it. */
export function decideAssignNodeId(
  state: ClusterState,
  limits: MachineLimits,
  request: NodeIdRequest,
  nowMs: number,
): { readonly nodeId: number | undefined; readonly changed: EntryChange[]; readonly problem?: string } {
  const rows = nodeIdRows(state.kv);
  const named = new Set(request.named);
  const { agentId, address } = request;
  const noticed = rows
    .map((row) => ({ ...row, goneMs: named.has(row.agentId) ? null : (row.goneMs ?? nowMs) }))
    .filter(({ goneMs }, index) => goneMs !== rows[index]!.goneMs);
  let problem = `all ${limits.nodeIdMax} node ids are in use`;
  for (const nodeId of candidates(rows, limits, request, named, nowMs)) {
    const others = noticed.filter((row) => row.nodeId !== nodeId);
    const changes = [...others, { nodeId, agentId, address, goneMs: null }].map(recordOf);
    const decision = decidePutEntries(state, limits, changes);
    if (decision.problem === undefined) return { nodeId, changed: decision.changed };
    problem = decision.problem;
  }
  return { nodeId: undefined, changed: [], problem };
}

/**
 * Yields ids in the order in which to try them; a later one is used only if the entry of an earlier one cannot be
 * stored.
 */
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
  if (longestGone !== undefined && nowMs - (longestGone.goneMs ?? nowMs) >= nodeIdRetentionMs) {
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

/** Returns all rows by node id. */
export function nodeIdRows(kv: Pick<KeyValueStore, 'of'>): NodeIdRow[] {
  return Array.from(kv.of('nodeId'), ([key, value]) => rowOf(key, value)).sort((a, b) => a.nodeId - b.nodeId);
}

/** Returns whether an agent has an id, according to the stored entries. */
export function hasNodeId(kv: Pick<KeyValueStore, 'get'>, agentId: string, nodeId: number): boolean {
  const key = String(nodeId);
  const value = kv.get('nodeId', key);
  return value !== undefined && rowOf(key, value).agentId === agentId;
}

/**
 * Cache of parsed rows; values are replaced, never mutated. When many agents start at once, every row is read for each
 * of them.
 */
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

/** A list, so that a later release can add fields. */
function recordOf({ nodeId, agentId, address, goneMs }: NodeIdRow): EntryChange {
  const value = Buffer.from(JSON.stringify([agentId, address, goneMs]));
  return { namespace: 'nodeId', key: String(nodeId), value };
}
