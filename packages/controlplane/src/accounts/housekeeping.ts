import type { AuditLog } from './audit/audit-log.ts';
import type { AccountsDeps } from './common/deps.ts';
import type { Database } from './database/schema.ts';
import type { Sessions } from './users/sessions.ts';

/** The retention of the audit log. */
const auditRetentionMs = 90 * 24 * 3_600_000;

export interface HousekeepingOptions {
  readonly database: Database;
  readonly sessions: Sessions;
  readonly auditLog: AuditLog;
  readonly deps: AccountsDeps;
}

/**
 * Deletes expired sessions, invitations and setup links, and old entries of the audit log. Readers check expiry
 * themselves, so correctness does not depend on it; it bounds the size of tables. Any number of processes may run it.
 */
export async function tidyAccounts(options: HousekeepingOptions): Promise<void> {
  const { database, sessions, auditLog, deps } = options;
  const nowMs = deps.clock.nowMs();
  await sessions.forgetEnded();
  await database.deleteFrom('weir_invitations').where('expires_ms', '<=', nowMs).execute();
  await database.deleteFrom('weir_setup_tokens').where('expires_ms', '<=', nowMs).execute();
  while (await auditLog.forgetBefore(nowMs - auditRetentionMs));
}
