import { apiLimits } from '@weir/api/limits';
import { controlPlaneLimits } from '../../limits.ts';
import { boundedText } from '../common/bounded-text.ts';
import { freshId } from '../common/ids.ts';
import { AccountStore } from '../database/account-store.ts';
import type { SessionRow } from '../database/schema.ts';
import { freshToken, hashSecret, isToken } from '../secrets/secrets.ts';
import { type User, userOf } from './users.ts';

/** The idle timeout of a session, and its absolute lifetime. */
const sessionIdleMsMax = 12 * 3_600_000;
const sessionMsMax = 7 * 24 * 3_600_000;
/** The last use of a session is written at most this often. */
const lastSeenIntervalMs = 60_000;

export interface Session {
  /** `si_…`; it grants no access. */
  readonly id: string;
  readonly createdMs: number;
  readonly lastSeenMs: number;
  readonly expiresMs: number;
  readonly remoteAddress: string;
  readonly userAgent: string;
}

interface SignIn {
  readonly userId: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** The token that the browser sent. It may be forged. */
  readonly replacedToken?: string;
}

/** Sessions of the console. A browser holds a token of 256 random bits; the database holds its hash. */
export class Sessions extends AccountStore {
  /**
   * Begins a session with a new token and ends the previous one of the browser: a token that an attacker planted
   * (session fixation) is worthless after the sign-in.
   */
  async begin(signIn: SignIn): Promise<{ readonly session: Session; readonly token: string }> {
    const { clock, random, randomBytes } = this.deps;
    const token = freshToken(randomBytes);
    const nowMs = clock.nowMs();
    const row: SessionRow = {
      id: freshId('session', random),
      token_hash: hashSecret(token),
      user_id: signIn.userId,
      created_ms: nowMs,
      last_seen_ms: nowMs,
      expires_ms: nowMs + sessionMsMax,
      remote_address: boundedText(signIn.remoteAddress, controlPlaneLimits.remoteAddressCharsMax),
      user_agent: boundedText(signIn.userAgent, controlPlaneLimits.userAgentCharsMax),
    };
    if (signIn.replacedToken !== undefined) await this.endByToken(signIn.replacedToken);
    await this.database.insertInto('weir_sessions').values(row).execute();
    await this.#endOldest(signIn.userId);
    return { session: sessionOf(row), token };
  }

  /** Returns the session of a token with its user, unless it has ended. */
  async resume(token: string): Promise<{ readonly session: Session; readonly user: User } | undefined> {
    if (!isToken(token)) return undefined;
    const nowMs = this.deps.clock.nowMs();
    const row = await this.database
      .selectFrom('weir_sessions')
      .selectAll()
      .where('token_hash', '=', hashSecret(token))
      .where('expires_ms', '>', nowMs)
      .where('last_seen_ms', '>', nowMs - sessionIdleMsMax)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const user = await this.database
      .selectFrom('weir_users')
      .selectAll()
      .where('id', '=', row.user_id)
      .executeTakeFirst();
    if (user === undefined) return undefined;
    if (row.last_seen_ms <= nowMs - lastSeenIntervalMs) {
      await this.database
        .updateTable('weir_sessions')
        .set({ last_seen_ms: nowMs })
        .where('id', '=', row.id)
        .where('last_seen_ms', '<', nowMs)
        .execute();
      row.last_seen_ms = nowMs;
    }
    return { session: sessionOf(row), user: userOf(user) };
  }

  /** Lists the active sessions of a user, the newest first. */
  async list(userId: string): Promise<Session[]> {
    const nowMs = this.deps.clock.nowMs();
    const rows = await this.database
      .selectFrom('weir_sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('expires_ms', '>', nowMs)
      .where('last_seen_ms', '>', nowMs - sessionIdleMsMax)
      .orderBy('created_ms', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(sessionOf);
  }

  /** Returns whether there was one to end. */
  async end(userId: string, sessionId: string): Promise<boolean> {
    const { numDeletedRows } = await this.database
      .deleteFrom('weir_sessions')
      .where('user_id', '=', userId)
      .where('id', '=', sessionId)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  async endByToken(token: string): Promise<void> {
    await this.database.deleteFrom('weir_sessions').where('token_hash', '=', hashSecret(token)).execute();
  }

  async endAll(userId: string): Promise<void> {
    await this.database.deleteFrom('weir_sessions').where('user_id', '=', userId).execute();
  }

  /** Deletes expired sessions. */
  async forgetEnded(): Promise<void> {
    const nowMs = this.deps.clock.nowMs();
    await this.database
      .deleteFrom('weir_sessions')
      .where((row) =>
        row.or([row('expires_ms', '<=', nowMs), row('last_seen_ms', '<=', nowMs - sessionIdleMsMax)]),
      )
      .execute();
  }

  /** A program that signs in for every call must not fill the table. */
  async #endOldest(userId: string): Promise<void> {
    await this.database
      .deleteFrom('weir_sessions')
      .where('user_id', '=', userId)
      .where('id', 'not in', (query) =>
        query
          .selectFrom('weir_sessions')
          .select('id')
          .where('user_id', '=', userId)
          .orderBy('created_ms', 'desc')
          .orderBy('id', 'desc')
          .limit(apiLimits.sessionsPerUserMax),
      )
      .execute();
  }
}

function sessionOf(row: SessionRow): Session {
  return {
    id: row.id,
    createdMs: row.created_ms,
    lastSeenMs: row.last_seen_ms,
    expiresMs: row.expires_ms,
    remoteAddress: row.remote_address,
    userAgent: row.user_agent,
  };
}
