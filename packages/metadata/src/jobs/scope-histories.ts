import type { ListedJob } from '@weir/cluster';
import { metadataLimits } from '../limits.ts';
import { placeOf } from './open-jobs.ts';

/** What is remembered of a scope between its jobs. */
interface ScopeHistory {
  failureCount: number;
  /** By the monotonic clock. */
  retryAtMs: number;
  lastDoneMs: number | undefined;
  /** Where a job that failed can be continued. */
  checkpoint: Uint8Array | null;
  /** The last failure, as it is listed. */
  failed: ListedJob | undefined;
}

interface JobPlace {
  readonly kind: string;
  readonly scope: string;
}

/** What went before, by kind and scope; the one that was changed longest ago first, and forgotten first. */
export class ScopeHistories {
  readonly #histories = new Map<string, ScopeHistory>();

  get({ kind, scope }: JobPlace): ScopeHistory | undefined {
    return this.#histories.get(placeOf(kind, scope));
  }

  /** Returns the history of a scope that is about to change. */
  change({ kind, scope }: JobPlace): ScopeHistory {
    const place = placeOf(kind, scope);
    const history = this.#histories.get(place) ?? {
      failureCount: 0,
      retryAtMs: 0,
      lastDoneMs: undefined,
      checkpoint: null,
      failed: undefined,
    };
    this.#histories.delete(place);
    this.#histories.set(place, history);
    if (this.#histories.size > metadataLimits.jobScopesMax)
      this.#histories.delete(this.#histories.keys().next().value!);
    return history;
  }

  delete({ kind, scope }: JobPlace): void {
    this.#histories.delete(placeOf(kind, scope));
  }

  failed(): ListedJob[] {
    return [...this.#histories.values()].flatMap(({ failed }) => failed ?? []);
  }

  /** Scopes of a kind that failed last, or with `all` those that were done too. */
  scopesOf(kind: string, all: boolean): string[] {
    const start = placeOf(kind, '');
    return [...this.#histories].flatMap(([place, { failed }]) =>
      (all || failed !== undefined) && place.startsWith(start) ? [place.slice(start.length)] : [],
    );
  }
}
