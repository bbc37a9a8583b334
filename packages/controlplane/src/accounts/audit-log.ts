import { caps } from '@weir/core';
import { boundedText } from './bounded-text.ts';
import { freshId } from './ids.ts';
import { Refusal } from './refusal.ts';
import type { AuditEntryRow, Database } from './schema.ts';
import type { AccountsSurroundings } from './surroundings.ts';

/** Who did it. The name is kept beside the id, because the entry outlives the actor. */
export interface AuditActor {
  readonly kind: 'user' | 'key' | 'system' | 'anonymous';
  /** Empty for those who have none. */
  readonly id: string;
  readonly name: string;
}

/** What is told of an operation. Nothing of it may be a secret. */
export interface AuditNote {
  readonly accountId: string;
  readonly actor: AuditActor;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** The name of the operation in the catalogue. */
  readonly operation: string;
  /** Where it happened, unless it is about the account. */
  readonly workspaceId?: string;
  /** Ids of what it was about. */
  readonly targetIds: readonly string[];
  /** `ok`, or the code of the error. */
  readonly result: string;
  readonly detail?: string;
}

export interface AuditEntry extends AuditNote {
  /** `aui_…` */
  readonly id: string;
  readonly timeMs: number;
}

export interface AuditSearch {
  readonly accountId: string;
  /** From this time on, and before that one. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly actorId?: string;
  readonly operation?: string;
  readonly targetId?: string;
  readonly result?: string;
  /** Only what happened in these; what is about the account is then left out. */
  readonly workspaceIds?: readonly string[];
  readonly limit?: number;
  /** Where the page before ended. */
  readonly cursor?: string;
}

export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly AuditEntry[];
  /** For the next page, if there is one. */
  readonly nextCursor: string | undefined;
}

const searchLimitDefault = 100;
/** Entries that one step of forgetting deletes, so that others wait for milliseconds only. */
const forgottenPerStepMax = 500;

/** Who did what, from where, with what result. Entries are written once and go only by age. */
export class AuditLog {
  readonly #database: Database;
  readonly #surroundings: AccountsSurroundings;

  constructor(database: Database, surroundings: AccountsSurroundings) {
    this.#database = database;
    this.#surroundings = surroundings;
  }

  async append(notes: readonly AuditNote[]): Promise<void> {
    const { clock, random } = this.#surroundings;
    const timeMs = clock.nowMs();
    await this.#database.transaction().execute(async (transaction) => {
      for (const note of notes) {
        const row = rowOf(freshId('aui', random), timeMs, note);
        await transaction.insertInto('weir_audit_entries').values(row).execute();
        for (const targetId of targetsOf(note))
          await transaction
            .insertInto('weir_audit_targets')
            .values({ entry_id: row.id, target_id: targetId, time_ms: timeMs })
            .execute();
      }
    });
  }

  async search(search: AuditSearch): Promise<AuditPage> {
    const limit = Math.max(1, Math.min(search.limit ?? searchLimitDefault, caps.auditEntriesPerPageMax));
    // One more than is shown says whether there is another page.
    const rows = await this.#select(search)
      .orderBy('time_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const shown = rows.slice(0, limit);
    const targets = await this.#targetsOf(shown);
    const last = shown.at(-1);
    return {
      entries: shown.map((row) => entryOf(row, targets.get(row.id) ?? [])),
      nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : undefined,
    };
  }

  /** Deletes what is older, a step at a time, and says whether there may be more. */
  async forgetBefore(timeMs: number): Promise<boolean> {
    const { numDeletedRows } = await this.#database
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

  #select({ accountId, fromMs, toMs, actorId, operation, targetId, result, workspaceIds, cursor }: AuditSearch) {
    let query = this.#database.selectFrom('weir_audit_entries').selectAll().where('account_id', '=', accountId);
    if (fromMs !== undefined) query = query.where('time_ms', '>=', fromMs);
    if (toMs !== undefined) query = query.where('time_ms', '<', toMs);
    if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
    if (operation !== undefined) query = query.where('operation', '=', operation);
    if (result !== undefined) query = query.where('result', '=', result);
    if (workspaceIds !== undefined) query = query.where('workspace_id', 'in', ['-', ...workspaceIds]);
    if (targetId !== undefined)
      query = query.where('id', 'in', (entries) =>
        entries.selectFrom('weir_audit_targets').select('entry_id').where('target_id', '=', targetId),
      );
    if (cursor !== undefined) {
      const { timeMs, id } = parseCursor(cursor);
      query = query.where((row) =>
        row.or([row('time_ms', '<', timeMs), row.and([row('time_ms', '=', timeMs), row('id', '<', id)])]),
      );
    }
    return query;
  }

  async #targetsOf(entries: readonly AuditEntryRow[]): Promise<Map<string, string[]>> {
    if (entries.length === 0) return new Map();
    const rows = await this.#database
      .selectFrom('weir_audit_targets')
      .select(['entry_id', 'target_id'])
      .where(
        'entry_id',
        'in',
        entries.map(({ id }) => id),
      )
      .orderBy('target_id')
      .execute();
    const ofEntry = new Map<string, string[]>();
    for (const { entry_id, target_id } of rows) {
      const targets = ofEntry.get(entry_id);
      if (targets === undefined) ofEntry.set(entry_id, [target_id]);
      else targets.push(target_id);
    }
    return ofEntry;
  }
}

function rowOf(id: string, timeMs: number, note: AuditNote): AuditEntryRow {
  const short = (text: string) => boundedText(text, caps.auditTextCharsMax);
  return {
    id,
    account_id: note.accountId,
    time_ms: timeMs,
    actor_kind: note.actor.kind,
    actor_id: short(note.actor.id),
    actor_name: short(note.actor.name),
    remote_address: boundedText(note.remoteAddress, caps.remoteAddressCharsMax),
    user_agent: boundedText(note.userAgent, caps.userAgentCharsMax),
    operation: short(note.operation),
    workspace_id: short(note.workspaceId ?? ''),
    result: short(note.result),
    detail: boundedText(note.detail ?? '', caps.auditDetailCharsMax),
  };
}

function targetsOf({ targetIds }: AuditNote): Set<string> {
  const kept = targetIds.slice(0, caps.auditTargetsMax);
  return new Set(kept.map((id) => boundedText(id, caps.auditTextCharsMax)));
}

function entryOf(row: AuditEntryRow, targetIds: readonly string[]): AuditEntry {
  return {
    id: row.id,
    timeMs: row.time_ms,
    accountId: row.account_id,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    remoteAddress: row.remote_address,
    userAgent: row.user_agent,
    operation: row.operation,
    ...(row.workspace_id === '' ? {} : { workspaceId: row.workspace_id }),
    targetIds,
    result: row.result,
    ...(row.detail === '' ? {} : { detail: row.detail }),
  };
}

/** Callers keep it and give it back; what it is made of is nobody's business. */
function cursorOf({ time_ms, id }: AuditEntryRow): string {
  return Buffer.from(`${time_ms}.${id}`).toString('base64url');
}

function parseCursor(cursor: string): { readonly timeMs: number; readonly id: string } {
  const parts = /^(\d{1,15})\.(aui_[0-9a-f_]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (parts === null)
    throw new Refusal('invalid_request', 'The cursor is not one that a search has given.');
  return { timeMs: Number(parts[1]), id: parts[2]! };
}
