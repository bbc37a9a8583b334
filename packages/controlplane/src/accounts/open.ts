import type { DiagnosticsStore } from '@weir/diagnostics';
import { Roles } from './access/roles.ts';
import { Accounts } from './accounts.ts';
import { AlertChannels } from './alerts/alert-channels.ts';
import { AlertRecords } from './alerts/alert-records.ts';
import { Alerts } from './alerts/alerts.ts';
import { AuditLog } from './audit/audit-log.ts';
import { AuditRefusals } from './audit/audit-refusals.ts';
import type { AccountsDeps } from './common/deps.ts';
import { openDatabase } from './database/open-database.ts';
import { tidyAccounts } from './housekeeping.ts';
import { KeyVerifier } from './keys/key-verifier.ts';
import { Keys } from './keys/keys.ts';
import { Passwords } from './secrets/passwords.ts';
import { Setup } from './setup.ts';
import { SqlDiagnosticsStore } from './sql-diagnostics-store.ts';
import { SsoConnections } from './sso/sso-connections.ts';
import { SsoSignIns } from './sso/sso-sign-ins.ts';
import { Invitations } from './users/invitations.ts';
import { Sessions } from './users/sessions.ts';
import { Users } from './users/users.ts';
import { EventViews } from './workspaces/event-views.ts';
import { Federations } from './workspaces/federations.ts';
import { Pipelines } from './workspaces/pipelines.ts';
import { Secrets } from './workspaces/secrets.ts';
import { Tables } from './workspaces/tables.ts';
import { VirtualClusters } from './workspaces/virtual-clusters.ts';
import { Workspaces } from './workspaces/workspaces.ts';

/** The database of users, keys and ownership. */
export interface AccountsDatabase {
  readonly accounts: Accounts;
  readonly setup: Setup;
  readonly users: Users;
  readonly invitations: Invitations;
  readonly roles: Roles;
  readonly workspaces: Workspaces;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly keyVerifier: KeyVerifier;
  readonly virtualClusters: VirtualClusters;
  readonly ssoConnections: SsoConnections;
  readonly ssoSignIns: SsoSignIns;
  readonly federations: Federations;
  readonly pipelines: Pipelines;
  readonly tables: Tables;
  readonly secrets: Secrets;
  readonly eventViews: EventViews;
  readonly alerts: Alerts;
  readonly alertChannels: AlertChannels;
  /** States of alerts and what they sent, which the leader of a cluster writes. */
  readonly alertRecords: AlertRecords;
  readonly auditLog: AuditLog;
  /** Writes refused calls without filling the audit log. */
  readonly refusals: AuditRefusals;
  /** The health of clusters. */
  readonly diagnostics: DiagnosticsStore;
  /** Deletes expired rows; called periodically. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

/** Opens it in `postgres://…`, the path of a SQLite file, or `memory://name`. */
export async function openAccounts(databaseUrl: string, deps: AccountsDeps): Promise<AccountsDatabase> {
  const { database, close } = await openDatabase(databaseUrl, deps);
  const { passwordCost: cost, randomBytes } = deps;
  const passwords = new Passwords({ cost, randomBytes });
  const keys = new Keys(database, deps);
  const keyVerifier = new KeyVerifier(database, keys, deps);
  const sessions = new Sessions(database, deps);
  const auditLog = new AuditLog(database, deps);
  const refusals = new AuditRefusals({ auditLog, ...deps });
  return {
    accounts: new Accounts(database, deps),
    setup: new Setup(database, deps, passwords),
    users: new Users(database, deps, passwords),
    invitations: new Invitations(database, deps, passwords),
    roles: new Roles(database, deps),
    workspaces: new Workspaces(database, deps),
    sessions,
    keys,
    keyVerifier,
    virtualClusters: new VirtualClusters(database, deps),
    ssoConnections: new SsoConnections(database, deps),
    ssoSignIns: new SsoSignIns(database, deps),
    federations: new Federations(database, deps),
    pipelines: new Pipelines(database, deps),
    tables: new Tables(database, deps),
    secrets: new Secrets(database, deps),
    eventViews: new EventViews(database, deps),
    alerts: new Alerts(database, deps),
    alertChannels: new AlertChannels(database, deps),
    alertRecords: new AlertRecords(database, deps),
    auditLog,
    refusals,
    diagnostics: new SqlDiagnosticsStore(database),
    tidy: () => tidyAccounts({ database, sessions, auditLog, deps }),
    async close() {
      await refusals.close();
      await keyVerifier.close();
      await close();
    },
  };
}
