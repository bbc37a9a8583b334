import type { WriteHealth } from '@weir/broker';
import type { Clock, Log, MetricRow, Metrics, Series } from '@weir/core';
import type { ObjectStore } from '@weir/storage';
import { agentLimits } from '../limits.ts';

export const readyRow = {
  name: 'agent_ready',
  kind: 'gauge',
  help: 'Whether this agent is ready: it has started, does not stop, and can write to its bucket',
  labels: [],
} as const satisfies MetricRow<never>;

/** Why an agent is not ready. */
interface ReadinessProblem {
  /** For everyone: a probe has no login, and errors of stores have names of buckets and paths. */
  readonly reason: 'starting' | 'stopping' | 'disk full' | 'store unavailable';
  /** For the log, in one line. */
  readonly detail: string;
}

/** What a ready agent cannot do. */
type Limitation = 'control plane unavailable';

interface ReadinessOptions {
  readonly writes: WriteHealth;
  /** If absent, the agent writes nothing. */
  readonly store?: ObjectStore;
  /** The object that is written to find out whether writes succeed again. */
  readonly probeKey: string;
  /** Whether the object is removed afterwards. */
  readonly deletes: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How often an agent looks at itself, and at most writes a probe. */
export const lookMs = 5_000;
/**
 * Without an answer of the control plane for so long, an agent says so: a change of leaders is over. It stays ready,
 * because it serves what it knows, and because all agents of a cluster lose their control plane at once: a load
 * balancer would be left with none. If only this agent is cut off, the others have sent its Kafka clients elsewhere
 * long before.
 */
export const silenceMsMax = 20_000;

/**
 * Whether an agent can serve clients. It follows from the outcome of real writes and heartbeats. Only after writes have
 * failed and clients have stopped to write, probes are written, at intervals: a request for the readiness never is a
 * request to the bucket.
 */
export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #ready: Series;
  readonly #stopping = new AbortController();
  #phase: 'starting' | 'serving' | 'stopping' = 'starting';
  #heartbeatMs = Number.NEGATIVE_INFINITY;
  #cancel = () => {};
  /** The problem that was logged. */
  #logged: string | undefined;
  #loggedLimitation: Limitation | undefined;

  constructor(options: ReadinessOptions) {
    this.#options = options;
    this.#ready = options.metrics.series(readyRow, {});
    this.#ready.set(0);
  }

  /** Called for each heartbeat that the control plane answered. */
  heartbeatAnswered(): void {
    this.#heartbeatMs = this.#options.clock.monotonicMs();
  }

  /** The agent serves from now on. */
  start(): void {
    this.#phase = 'serving';
    this.#look();
  }

  /** The agent ends. It stays alive, but is not ready. */
  stop(): void {
    this.#phase = 'stopping';
    this.#ready.set(0);
    this.#cancel();
    this.#stopping.abort();
  }

  /** Whether the agent has served, and so is alive. */
  get hasStarted(): boolean {
    return this.#phase !== 'starting';
  }

  /** Why the agent is not ready; nothing if it is. */
  problem(): ReadinessProblem | undefined {
    if (this.#phase !== 'serving') return { reason: this.#phase, detail: this.#phase };
    const writeProblem = this.#options.writes.problem();
    if (writeProblem !== undefined) {
      const reason = this.#options.writes.isFull ? 'disk full' : 'store unavailable';
      return { reason, detail: writeProblem };
    }
    return undefined;
  }

  /** What the agent cannot do although it is ready. */
  limitation(): Limitation | undefined {
    return this.#silenceMs < silenceMsMax ? undefined : 'control plane unavailable';
  }

  /** For how long the control plane has not answered. */
  get #silenceMs(): number {
    return this.#options.clock.monotonicMs() - this.#heartbeatMs;
  }

  #look(): void {
    const { clock, log } = this.#options;
    const problem = this.problem()?.detail;
    this.#ready.set(problem === undefined ? 1 : 0);
    if (problem !== undefined && this.#logged === undefined) log.error('lost readiness', { error: problem });
    if (problem === undefined && this.#logged !== undefined) log.info('recovered readiness');
    this.#logged = problem;
    this.#logLimitation();
    const probed = this.#probe();
    this.#cancel = clock.after(lookMs, () => void probed.then(() => this.#lookAgain()));
  }

  #logLimitation(): void {
    const { log } = this.#options;
    const limitation = this.limitation();
    if (limitation === this.#loggedLimitation) return;
    this.#loggedLimitation = limitation;
    if (limitation === undefined) log.info('recovered control plane');
    else log.error('lost control plane', { silentS: Math.floor(this.#silenceMs / 1_000) });
  }

  #lookAgain(): void {
    if (this.#phase === 'serving') this.#look();
  }

  /** Writes an object as large as the last that failed, as far as that is not much. Never rejects. */
  async #probe(): Promise<void> {
    const { writes, store, probeKey, deletes } = this.#options;
    const { bytesToProbe } = writes;
    if (bytesToProbe === undefined || store === undefined) return;
    const byteCount = Math.min(bytesToProbe, agentLimits.writeProbeBytesMax);
    const { signal } = this.#stopping;
    const upload = writes.began(bytesToProbe);
    try {
      await store.put(probeKey, [Buffer.alloc(byteCount)], { signal });
    } catch (error) {
      if (signal.aborted) upload.abandoned();
      else upload.failed(error);
      return;
    }
    upload.succeeded();
    // It is removed by the check of a later start otherwise.
    if (deletes) await store.delete(probeKey, { signal }).catch(() => {});
  }
}
