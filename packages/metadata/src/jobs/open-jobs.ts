import type { JobProgress } from '@weir/cluster';

/** Waits or runs. */
export interface OpenJob {
  readonly jobId: string;
  readonly kind: string;
  readonly scope: string;
  readonly task: Uint8Array;
  readonly plannedMs: number;
  readonly triedBy: Set<string>;
  readonly agentGroup: string | undefined;
  readonly spreadBy: string | undefined;
  /** The agent that runs it; `undefined` while it waits. */
  agentId: string | undefined;
  /** The same agent, as the one that claimed it. */
  taker: string | undefined;
  /** Why its agent has to stop it, while it is open. */
  stopping: 'cancelled' | 'moved' | undefined;
  startedMs: number | null;
  /** When its agent claimed it or last reported, by the monotonic clock. */
  reportedMs: number;
  progress: JobProgress;
  checkpoint: Uint8Array | null;
  /** How often its agent fell silent. */
  lossCount: number;
}

/** Jobs that wait or run, in the order of their planning; one of each kind and scope. */
export class OpenJobs {
  readonly #byId = new Map<string, OpenJob>();
  readonly #byPlace = new Map<string, OpenJob>();

  get(jobId: string): OpenJob | undefined {
    return this.#byId.get(jobId);
  }

  find(kind: string, scope: string): OpenJob | undefined {
    return this.#byPlace.get(placeOf(kind, scope));
  }

  add(job: OpenJob): void {
    this.#byId.set(job.jobId, job);
    this.#byPlace.set(placeOf(job.kind, job.scope), job);
  }

  remove({ jobId, kind, scope }: OpenJob): void {
    this.#byId.delete(jobId);
    this.#byPlace.delete(placeOf(kind, scope));
  }

  clear(): void {
    this.#byId.clear();
    this.#byPlace.clear();
  }

  all(): Iterable<OpenJob> {
    return this.#byId.values();
  }

  /** A list of its own, so that jobs may be removed on the way. */
  list(): OpenJob[] {
    return [...this.#byId.values()];
  }

  ofKind(kind: string): OpenJob[] {
    return this.list().filter((job) => job.kind === kind);
  }
}

/** The name of what a job is about, among those of all kinds. */
export function placeOf(kind: string, scope: string): string {
  return `${kind}/${scope}`;
}
