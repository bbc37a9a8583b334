import type { ApiError } from '@weir/api';
import type { Log } from '@weir/core';
import type { AuditNote } from '../accounts/audit/audit-log.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { SsoConnection } from '../accounts/sso/sso-connections.ts';
import type { User } from '../accounts/users/users.ts';
import type { Visit } from './visit.ts';

type AuditedAccounts = Pick<AccountsDatabase, 'auditLog' | 'refusals'>;

/** The same operation name as that of sign-ins with a password. */
const operation = 'sign_in';

/** Audits sign-ins and failed sign-ins. Their targets name the connection, which one with a password does not have. */
export class SignInAudit {
  readonly #accounts: AuditedAccounts;
  readonly #log: Log;

  constructor(accounts: AuditedAccounts, log: Log) {
    this.#accounts = accounts;
    this.#log = log;
  }

  async signedIn(
    { remoteAddress, userAgent }: Visit,
    { id }: SsoConnection,
    user: User,
    note: string,
  ): Promise<void> {
    await this.#append({
      accountId: user.accountId,
      actor: { kind: 'user', id: user.id, name: user.email },
      remoteAddress,
      userAgent,
      operation,
      targets: [user.id, user.email, id],
      result: 'ok',
      message: note,
    });
  }

  /**
   * Rate-limited attempts are not recorded, or guessing would fill the log. Without a known connection there is no
   * account to record for.
   */
  async refused({ connection, email, remoteAddress, userAgent }: Visit, error: ApiError): Promise<void> {
    const problem = error.cause instanceof Error ? error.cause.message : error.message;
    const message = error.code === 'internal' ? error.message : problem;
    this.#log.info('refused sign-in', {
      connection: connection?.id,
      result: error.code,
      error: message,
    });
    if (connection === undefined || error.code === 'rate_limited') return;
    await this.#append({
      accountId: connection.accountId,
      actor: { kind: 'anonymous', id: '', name: '' },
      remoteAddress,
      userAgent,
      operation,
      targets: [connection.id, ...(email === undefined ? [] : [email])],
      result: error.code,
      message,
    });
  }

  /** A failed write does not affect the user. */
  async #append(note: AuditNote): Promise<void> {
    const { auditLog, refusals } = this.#accounts;
    try {
      if (note.result === 'ok') await auditLog.append([note]);
      else await refusals.record(note);
    } catch (error) {
      this.#log.error('failed to write sign-in to audit log', {
        error: (error as Error).message,
      });
    }
  }
}
