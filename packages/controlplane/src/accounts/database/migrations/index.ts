import { accounts } from './0001-accounts.ts';
import { diagnostics } from './0002-diagnostics.ts';
import { signIn } from './0003-sign-in.ts';
import { pipelines } from './0004-pipelines.ts';
import { auditCounts } from './0005-audit-counts.ts';
import { eventViews } from './0006-event-views.ts';
import { secrets } from './0007-secrets.ts';
import { auditChanges } from './0008-audit-changes.ts';
import { auditVia } from './0009-audit-via.ts';
import { alerts } from './0010-alerts.ts';
import { recordsReaders } from './0011-records-readers.ts';
import { tables } from './0012-tables.ts';
import { catalogsOfTables } from './0013-catalogs-of-tables.ts';
import type { Migration } from './migration.ts';

/** All migrations, in order. */
export const migrations: readonly Migration[] = [
  accounts,
  diagnostics,
  signIn,
  pipelines,
  auditCounts,
  eventViews,
  secrets,
  auditChanges,
  auditVia,
  alerts,
  recordsReaders,
  tables,
  catalogsOfTables,
];
