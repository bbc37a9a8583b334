import type { ReportedLogin } from '@weir/cluster';
import { coreLimits, shortName } from '@weir/core';
import { agentLimits } from '../limits.ts';

/**
 * Logins by credential, with their times, until they were reported. Those that do not fit into one report are in the
 * next.
 */
export class LoginStats {
  /** In monotonic time, oldest first. */
  readonly #pending = new Map<string, number>();
  #reported: readonly (readonly [user: string, atMs: number])[] = [];

  note(user: string, atMs: number): void {
    if (this.#pending.size >= agentLimits.notedLoginsMax && !this.#pending.has(user)) return;
    this.#pending.set(user, atMs);
  }

  report(nowMs: number): readonly ReportedLogin[] {
    this.#reported = [...this.#pending].slice(0, coreLimits.reportedLoginsMax);
    return this.#reported.map(([user, atMs]) => ({
      username: shortName(user),
      agoMs: Math.round(nowMs - atMs),
    }));
  }

  /** Called when the last report was received. Users that logged in again since then are reported again. */
  reportReceived(): void {
    for (const [user, atMs] of this.#reported)
      if (this.#pending.get(user) === atMs) this.#pending.delete(user);
    this.#reported = [];
  }
}
