import { type Clock, systemClock } from '@weir/core';
import { PostgresPool } from '../../packages/sql/src/postgres-pool.ts';
import { statsOf, threadSecondsOf } from '../kafka/process-stats.ts';
import { type Buckets, counterIn, histogramIn, quantile, since } from '../kafka/prometheus.ts';
import type { AgentCommand, ScaleCluster } from './cluster.ts';
import type { SyntheticAgents } from './synthetic-agents.ts';
import type { AgentCounts } from './synthetic-agents-process.ts';

/** What a cluster did in some time, and the CPU that it took. */
export interface Work {
  readonly seconds: number;
  /** Committed files and the batches in them. */
  readonly files: number;
  readonly batches: number;
  /** Pointers that the leader announced, to each follower. */
  readonly pointers: number;
  /** Group commits. */
  readonly appends: number;
  readonly journalBytes: number;
  /** Bytes of the database's own log. */
  readonly walBytes: number;
  readonly appendP50Ms: number;
  readonly appendP99Ms: number;
  /** CPU seconds. The leader runs on one thread; its process has helpers for memory and compilation. */
  readonly leaderThread: number;
  readonly controlPlane: number;
  readonly database: number;
  /** Of each agent command, in their order. */
  readonly agents: readonly number[];
  /** What the synthetic agents counted. */
  readonly counted: AgentCounts;
}

interface Reading {
  readonly atMs: number;
  readonly leaderThread: number;
  readonly controlPlane: number;
  readonly database: number;
  readonly agents: readonly number[];
  readonly files: number;
  readonly batches: number;
  readonly appends: Buckets;
  readonly appendCount: number;
  readonly counted: AgentCounts;
}

/** The journal of the cluster in the database. */
interface JournalReading {
  readonly position: number;
  readonly walBytes: number;
}

/** Reads what the processes of a cluster did. */
export class Gauges {
  readonly #cluster: ScaleCluster;
  readonly #synthetic: SyntheticAgents;
  readonly #clock: Clock;
  readonly #database: PostgresPool;

  constructor(cluster: ScaleCluster, synthetic: SyntheticAgents, clock: Clock = systemClock) {
    this.#cluster = cluster;
    this.#synthetic = synthetic;
    this.#clock = clock;
    this.#database = new PostgresPool({ server: cluster.postgres.url, clock, onReplaced: () => {} });
  }

  /** Runs the work and returns what happened meanwhile. Files and batches are those of the agents, if there are any. */
  async during(agents: readonly AgentCommand[], work: () => Promise<unknown>): Promise<Work> {
    await this.#synthetic.forget();
    const journal = await this.#journal();
    const before = await this.#read(agents);
    await work();
    const after = await this.#read(agents);
    const { position, walBytes } = await this.#journal();
    const appends = since(before.appends, after.appends);
    const counted = difference(before.counted, after.counted);
    return {
      seconds: (after.atMs - before.atMs) / 1000,
      files: agents.length === 0 ? counted.files : after.files - before.files,
      batches: agents.length === 0 ? counted.batches : after.batches - before.batches,
      pointers: counted.pointers,
      appends: after.appendCount - before.appendCount,
      journalBytes: await this.#journalBytes(journal.position, position),
      walBytes: walBytes - journal.walBytes,
      appendP50Ms: 1000 * (quantile(appends, 0.5)?.guess ?? 0),
      appendP99Ms: 1000 * (quantile(appends, 0.99)?.guess ?? 0),
      leaderThread: after.leaderThread - before.leaderThread,
      controlPlane: after.controlPlane - before.controlPlane,
      database: after.database - before.database,
      agents: after.agents.map((seconds, index) => seconds - before.agents[index]!),
      counted,
    };
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #read(agents: readonly AgentCommand[]): Promise<Reading> {
    const { controlPlane, postgres, url } = this.#cluster;
    const [counted, ownText, ...texts] = await Promise.all([
      this.#synthetic.counts(),
      textOf(url),
      ...agents.flatMap(({ httpUrls }) => httpUrls.map(textOf)),
    ]);
    const sum = (name: string) => texts.reduce((total, text) => total + counterIn(text, name), 0);
    return {
      atMs: this.#clock.monotonicMs(),
      leaderThread: threadSecondsOf(controlPlane.pid).get('MainThread') ?? 0,
      controlPlane: cpuOf(controlPlane.pid),
      database: cpuOf(postgres.pid),
      agents: agents.map(({ server }) => cpuOf(server.pid)),
      files: sum('service_agent_segment_batcher_flush_file_size_compressed_bytes_count'),
      batches: sum('service_agent_segment_batcher_flush_num_batches'),
      appends: histogramIn(ownText, 'service_journal_append_seconds'),
      appendCount: counterIn(ownText, 'service_journal_append_seconds_count'),
      counted,
    };
  }

  async #journal(): Promise<JournalReading> {
    const [row] = await this.#database.sql<{ position: number; wal: number }[]>`
      SELECT next_position AS position, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal
      FROM weir_journal_heads WHERE cluster_id = ${this.#cluster.clusterId}`;
    return { position: row!.position, walBytes: row!.wal };
  }

  /** Bytes of the entries between two positions. They cannot be pruned yet: snapshots are much further apart. */
  async #journalBytes(from: number, to: number): Promise<number> {
    const [row] = await this.#database.sql<{ entries: number; bytes: number }[]>`
      SELECT coalesce(sum(count), 0)::float8 AS entries, coalesce(sum(octet_length(packed)), 0)::float8 AS bytes
      FROM weir_journal_chunks
      WHERE cluster_id = ${this.#cluster.clusterId} AND first_position >= ${from} AND first_position < ${to}`;
    if (row!.entries !== to - from)
      throw new Error(`the journal has ${row!.entries} of the ${to - from} entries that were appended`);
    return row!.bytes;
  }
}

async function textOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

function cpuOf(pid: number): number {
  const stats = statsOf(pid);
  if (stats === undefined) throw new Error('there is no /proc to read CPU times from');
  return stats.cpuSeconds;
}

function difference(before: AgentCounts, after: AgentCounts): AgentCounts {
  const entries = Object.entries(after).map(([name, value]) => [
    name,
    typeof value === 'number' ? value - (before[name as keyof AgentCounts] as number) : value,
  ]);
  return Object.fromEntries(entries) as AgentCounts;
}
