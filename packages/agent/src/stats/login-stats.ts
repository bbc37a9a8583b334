import type { ReportedLogin } from '@weir/cluster';
import { coreLimits, shortName } from '@weir/core';
import type { PasswordLogin } from '@weir/security';
import { agentLimits } from '../limits.ts';

/** When a user last logged in, in monotonic time. A new object for every login. */
interface LastLogin {
  readonly atMs: number;
  /** The last one with the old password of a rotation. */
  readonly oldPasswordMs: number | undefined;
}

/**
 * Logins by credential, with their times, until they were reported. Those that do not fit into one report are in the
 * next.
 */
export class LoginStats {
  /** Oldest first. */
  readonly #pending = new Map<string, LastLogin>();
  #reported: readonly (readonly [user: string, login: LastLogin])[] = [];

  note({ user, hasOldPassword }: PasswordLogin, atMs: number): void {
    const before = this.#pending.get(user);
    if (this.#pending.size >= agentLimits.notedLoginsMax && before === undefined) return;
    this.#pending.set(user, { atMs, oldPasswordMs: hasOldPassword ? atMs : before?.oldPasswordMs });
  }

  report(nowMs: number): readonly ReportedLogin[] {
    this.#reported = [...this.#pending].slice(0, coreLimits.reportedLoginsMax);
    return this.#reported.map(([user, { atMs, oldPasswordMs }]) => ({
      username: shortName(user),
      agoMs: Math.round(nowMs - atMs),
      ...(oldPasswordMs === undefined ? {} : { oldPasswordAgoMs: Math.round(nowMs - oldPasswordMs) }),
    }));
  }

  /** Called when the last report was received. Users that logged in again since then are reported again. */
  reportReceived(): void {
    for (const [user, login] of this.#reported)
      if (this.#pending.get(user) === login) this.#pending.delete(user);
    this.#reported = [];
  }
}
