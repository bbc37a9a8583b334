import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { sql } from 'kysely';
import { controlPlaneLimits } from '../../limits.ts';
import { boundedText } from '../common/bounded-text.ts';
import { freshId } from '../common/ids.ts';
import { AccountStore } from '../database/account-store.ts';
import type { AuditEntryRow } from '../database/schema.ts';
import { type AuditRead, joinedReads } from './audit-read.ts';

/** Who made the call. The entry has the name beside the id, because it outlives the actor. */
export interface AuditActor {
  readonly kind: AuditEntryRow['actor_kind'];
  /** Empty for actors without an id. */
  readonly id: string;
  readonly name: string;
}

/** One value that a call changed. */
export interface AuditChange {
  /** The config, the partition or the field. */
  readonly name: string;
  /** `null` if there was no value, or if it was the default. */
  readonly before: string | null;
  /** `null` if there is no value any more. */
  readonly after: string | null;
}

/** What the audit log records of an operation. It must not contain secrets. */
export interface AuditNote {
  readonly accountId: string;
  readonly actor: AuditActor;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** The interface that the call came through; the API by default. */
  readonly via?: AuditEntryRow['via'];
  /** The name of the operation in the catalogue. */
  readonly operation: string;
  /** The workspace, unless the operation is about the account. */
  readonly workspaceId?: string;
  /** Ids and names of the objects. */
  readonly targets: readonly string[];
  /** What it changed, as far as the operation says. */
  readonly changes?: readonly AuditChange[];
  /** Records that it read. */
  readonly read?: AuditRead;
  /** `ok`, or the code of the error. */
  readonly result: string;
  /** The error message. */
  readonly message?: string;
}

export interface AuditEntry extends AuditNote {
  readonly via: AuditEntryRow['via'];
  /** `aei_…` */
  readonly id: string;
  readonly timeMs: number;
  /** How often it happened since then; more than 1 only for refused calls and reads of records. */
  readonly count: number;
}

export interface AuditSearch {
  readonly accountId: string;
  /** The length of a window that ends now, by the clock of the entries. */
  readonly lastMs?: number;
  /** An inclusive start and an exclusive end. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** The id or the name of the actor. */
  readonly actor?: string;
  readonly operation?: string;
  readonly target?: string;
  readonly result?: string;
  /** Only entries of these workspaces; entries about the account are then excluded. */
  readonly workspaceIds?: readonly string[];
  readonly limit?: number;
  /** The end of the previous page. */
  readonly cursor?: string;
}

interface AuditPage {
  /** The newest first. */
  readonly entries: readonly AuditEntry[];
  /** For the next page, if there is one. */
  readonly nextCursor: string | undefined;
}

const searchLimitDefault = 100;
/** Entries that one step deletes, so that other transactions wait for milliseconds only. */
const forgottenPerStepMax = 500;

/**
 * The audit log: actor, operation, origin and result. Entries are deleted only by age, and change only to count
 * repeated refusals and repeated reads.
 */
export class AuditLog extends AccountStore {
  /** Returns the ids of the entries, in the same order. */
  async append(notes: readonly AuditNote[]): Promise<readonly string[]> {
    const { clock, random } = this.deps;
    const timeMs = clock.nowMs();
    const ids: string[] = [];
    await this.database.transaction().execute(async (transaction) => {
      for (const note of notes) {
        const row = rowOf(freshId('auditEntry', random), timeMs, note);
        ids.push(row.id);
        await transaction.insertInto('weir_audit_entries').values(row).execute();
        for (const target of targetsOf(note))
          await transaction
            .insertInto('weir_audit_targets')
            .values({ entry_id: row.id, target_id: target, time_ms: timeMs })
            .execute();
      }
    });
    return ids;
  }

  /** Adds repetitions to an entry, further targets, and what they read. */
  async repeat(
    id: string,
    {
      times,
      targets,
      read,
    }: {
      readonly times: number;
      readonly targets: readonly string[];
      readonly read?: AuditRead | undefined;
    },
  ): Promise<void> {
    await this.database.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom('weir_audit_entries')
        .select(['targets', 'time_ms', 'read_records'])
        .where('id', '=', id)
        .executeTakeFirst();
      // The entry has expired.
      if (row === undefined) return;
      const known = JSON.parse(row.targets) as string[];
      const all = targetsOf({ targets: [...new Set([...known, ...targets])] });
      await transaction
        .updateTable('weir_audit_entries')
        .set((update) => ({
          occurrences: update('occurrences', '+', times),
          targets: JSON.stringify([...all]),
          ...(read === undefined ? {} : { read_records: printedRead(read, readOf(row)) }),
        }))
        .where('id', '=', id)
        .execute();
      for (const target of all) {
        if (known.includes(target)) continue;
        await transaction
          .insertInto('weir_audit_targets')
          .values({ entry_id: id, target_id: target, time_ms: row.time_ms })
          .execute();
      }
    });
  }

  async search(search: AuditSearch): Promise<AuditPage> {
    const limit = Math.max(1, Math.min(search.limit ?? searchLimitDefault, apiLimits.apiPageRowsMax));
    // One row more than is shown shows whether there is another page.
    const rows = await this.#select(search)
      .orderBy('time_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      entries: shown.map(entryOf),
      nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : undefined,
    };
  }

  /** Deletes older entries, one step at a time; returns whether there may be more. */
  async forgetBefore(timeMs: number): Promise<boolean> {
    const { numDeletedRows } = await this.database
      .deleteFrom('weir_audit_entries')
      .where('id', 'in', (query) =>
        query
          .selectFrom('weir_audit_entries')
          .select('id')
          .where('time_ms', '<', timeMs)
          .orderBy('time_ms')
          .limit(forgottenPerStepMax),
      )
      .executeTakeFirst();
    return numDeletedRows >= forgottenPerStepMax;
  }

  #select({
    accountId,
    lastMs,
    fromMs,
    toMs,
    actor,
    operation,
    target,
    result,
    workspaceIds,
    cursor,
  }: AuditSearch) {
    let query = this.database
      .selectFrom('weir_audit_entries')
      .selectAll()
      .where('account_id', '=', accountId);
    if (lastMs !== undefined) query = query.where('time_ms', '>=', this.deps.clock.nowMs() - lastMs);
    if (fromMs !== undefined) query = query.where('time_ms', '>=', fromMs);
    if (toMs !== undefined) query = query.where('time_ms', '<', toMs);
    if (actor !== undefined)
      query = query.where((row) => row.or([row('actor_id', '=', actor), row('actor_name', '=', actor)]));
    if (operation !== undefined) query = query.where('operation', '=', operation);
    if (result !== undefined) query = query.where('result', '=', result);
    if (workspaceIds !== undefined)
      query =
        workspaceIds.length === 0
          ? query.where(sql<boolean>`1 = 0`)
          : query.where('workspace_id', 'in', workspaceIds);
    if (target !== undefined)
      query = query.where('id', 'in', (entries) =>
        entries.selectFrom('weir_audit_targets').select('entry_id').where('target_id', '=', target),
      );
    if (cursor !== undefined) {
      const { timeMs, id } = parseCursor(cursor);
      query = query.where((row) =>
        row.or([row('time_ms', '<', timeMs), row.and([row('time_ms', '=', timeMs), row('id', '<', id)])]),
      );
    }
    return query;
  }
}

function rowOf(id: string, timeMs: number, note: AuditNote): AuditEntryRow {
  const short = (text: string) => boundedText(text, controlPlaneLimits.auditTextCharsMax);
  return {
    id,
    account_id: note.accountId,
    time_ms: timeMs,
    actor_kind: note.actor.kind,
    actor_id: short(note.actor.id),
    actor_name: short(note.actor.name),
    remote_address: boundedText(note.remoteAddress, controlPlaneLimits.remoteAddressCharsMax),
    user_agent: boundedText(note.userAgent, controlPlaneLimits.userAgentCharsMax),
    via: note.via ?? 'api',
    operation: short(note.operation),
    workspace_id: short(note.workspaceId ?? ''),
    result: short(note.result),
    message: boundedText(note.message ?? '', controlPlaneLimits.auditMessageCharsMax),
    targets: JSON.stringify([...targetsOf(note)]),
    changes: JSON.stringify(changesOf(note)),
    read_records: note.read === undefined ? null : printedRead(note.read),
    occurrences: 1,
  };
}

function printedRead(read: AuditRead, earlier?: AuditRead): string {
  return JSON.stringify(earlier === undefined ? read : joinedReads(earlier, read));
}

function readOf({ read_records }: Pick<AuditEntryRow, 'read_records'>): AuditRead | undefined {
  return read_records === null ? undefined : (JSON.parse(read_records) as AuditRead);
}

/** The first changes, and how many more there were. */
function changesOf({ changes = [] }: Pick<AuditNote, 'changes'>): AuditChange[] {
  const { auditChangesMax: max, auditTextCharsMax: charsMax } = controlPlaneLimits;
  const short = (text: string | null) => (text === null ? null : boundedText(text, charsMax));
  const stored = changes.slice(0, max).map(({ name, before, after }) => {
    return { name: boundedText(name, charsMax), before: short(before), after: short(after) };
  });
  const moreCount = changes.length - stored.length;
  return moreCount === 0 ? stored : [...stored, { name: `and ${moreCount} more`, before: null, after: null }];
}

function targetsOf({ targets }: Pick<AuditNote, 'targets'>): Set<string> {
  const stored = targets.slice(0, controlPlaneLimits.auditTargetsMax);
  return new Set(stored.map((id) => boundedText(id, controlPlaneLimits.auditTextCharsMax)));
}

function entryOf(row: AuditEntryRow): AuditEntry {
  const changes = JSON.parse(row.changes) as AuditChange[];
  const read = readOf(row);
  return {
    id: row.id,
    timeMs: row.time_ms,
    accountId: row.account_id,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    remoteAddress: row.remote_address,
    userAgent: row.user_agent,
    via: row.via,
    operation: row.operation,
    ...(row.workspace_id === '' ? {} : { workspaceId: row.workspace_id }),
    targets: JSON.parse(row.targets) as string[],
    result: row.result,
    count: row.occurrences,
    ...(changes.length === 0 ? {} : { changes }),
    ...(read === undefined ? {} : { read }),
    ...(row.message === '' ? {} : { message: row.message }),
  };
}

/** Opaque to callers. */
function cursorOf({ time_ms, id }: AuditEntryRow): string {
  return Buffer.from(`${time_ms}.${id}`).toString('base64url');
}

function parseCursor(cursor: string): { readonly timeMs: number; readonly id: string } {
  const parts = /^(\d{1,15})\.(aei_[0-9a-f_]{1,64})$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  );
  if (parts === null)
    throw new ApiError('invalid_request', 'The cursor does not come from an earlier search.');
  return { timeMs: Number(parts[1]), id: parts[2]! };
}
