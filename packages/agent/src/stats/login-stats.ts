import type { ReportedLogin } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { agentLimits } from '../limits.ts';
import { shortName } from './short-name.ts';

/**
 * Logins by credential, with their times, until they were reported. Those that do not fit into one report are in the
 * next.
 */
export class LoginStats {
  /** In monotonic time, oldest first. */
  readonly #noted = new Map<string, number>();
  #told: readonly (readonly [user: string, atMs: number])[] = [];

  note(user: string, atMs: number): void {
    if (this.#noted.size >= agentLimits.notedLoginsMax && !this.#noted.has(user)) return;
    this.#noted.set(user, atMs);
  }

  tell(nowMs: number): readonly ReportedLogin[] {
    this.#told = [...this.#noted].slice(0, coreLimits.reportedLoginsMax);
    return this.#told.map(([user, atMs]) => ({
      username: shortName(user),
      agoMs: Math.round(nowMs - atMs),
    }));
  }

  /** Called when the last report was received. Users that logged in again since then are reported again. */
  heard(): void {
    for (const [user, atMs] of this.#told) if (this.#noted.get(user) === atMs) this.#noted.delete(user);
    this.#told = [];
  }
}
