import type { ReportedLogin } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { agentLimits } from '../limits.ts';
import { shortName } from './short-name.ts';

/** Who has logged in by a credential, and when, until it was told. What one report has no room for the next one tells. */
export class LoginStats {
  /** In monotonic time, who waits longest first. */
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

  /** What was told last was heard. Who has logged in once more since then is told of again. */
  heard(): void {
    for (const [user, atMs] of this.#told) if (this.#noted.get(user) === atMs) this.#noted.delete(user);
    this.#told = [];
  }
}
