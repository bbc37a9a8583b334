import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { requireUnusedView } from '../alerts/alerts.ts';
import { freshId } from '../common/ids.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import type { Database, DatabaseTransaction, EventViewRow } from '../database/schema.ts';

/** The parameters of a search, as the page has them in its URL. */
type EventSearch = Readonly<Record<string, string | undefined>>;

interface EventView {
  /** `evi_…` */
  readonly id: string;
  /** The user who alone sees it; `undefined` if it is shared. */
  readonly userId: string | undefined;
  readonly name: string;
  readonly search: EventSearch;
  readonly savedBy: string;
  readonly savedMs: number;
}

type NewEventView = Omit<EventView, 'id' | 'savedMs'>;

type EventViewChange = Pick<EventView, 'userId' | 'savedBy'> & {
  readonly [Key in 'name' | 'search']?: EventView[Key] | undefined;
};

/** Where a view is, and who asks. Views of other users are not found. */
interface EventViewPlace {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly viewId: string;
  readonly userId: string | undefined;
}

/** Saved searches for events. The caller has checked that the workspace is one of the account. */
export class EventViews extends AccountStore {
  /** Shared ones by name, then those of the user. */
  async list(workspaceId: string, userId: string | undefined): Promise<EventView[]> {
    const rows = await this.database
      .selectFrom('weir_event_views')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where((row) => row.or([row('user_id', 'is', null), row('user_id', '=', userId ?? '')]))
      .execute();
    // Collations of databases differ.
    return rows.map(viewOf).sort(byOwnerAndName);
  }

  async get({ workspaceId, viewId, userId }: Omit<EventViewPlace, 'accountId'>): Promise<EventView> {
    return viewOf(await requireView(this.database, { workspaceId, viewId, userId }));
  }

  create(accountId: string, workspaceId: string, view: NewEventView): Promise<EventView> {
    return this.changeAccount(accountId, async (transaction) => {
      await requireRoom(transaction, workspaceId, view);
      const { clock, random } = this.deps;
      const row: EventViewRow = {
        id: freshId('eventView', random),
        workspace_id: workspaceId,
        user_id: view.userId ?? null,
        name: view.name,
        search: JSON.stringify(view.search),
        saved_by: view.savedBy,
        saved_ms: clock.nowMs(),
      };
      await transaction.insertInto('weir_event_views').values(row).execute();
      return viewOf(row);
    });
  }

  async change(place: EventViewPlace, change: EventViewChange): Promise<void> {
    await this.changeAccount(place.accountId, async (transaction) => {
      const row = await requireView(transaction, place);
      const changed: EventViewRow = {
        ...row,
        user_id: change.userId ?? null,
        name: change.name ?? row.name,
        search: change.search === undefined ? row.search : JSON.stringify(change.search),
        saved_by: change.savedBy,
        saved_ms: this.deps.clock.nowMs(),
      };
      if (row.user_id === null && changed.user_id !== null) await requireUnusedView(transaction, row.id);
      await requireRoom(transaction, row.workspace_id, viewOf(changed));
      await transaction.updateTable('weir_event_views').set(changed).where('id', '=', row.id).execute();
    });
  }

  async delete(place: EventViewPlace): Promise<void> {
    await this.changeAccount(place.accountId, async (transaction) => {
      const { id } = await requireView(transaction, place);
      await requireUnusedView(transaction, id);
      await transaction.deleteFrom('weir_event_views').where('id', '=', id).execute();
    });
  }
}

async function requireView(
  database: Database | DatabaseTransaction,
  { workspaceId, viewId, userId }: Omit<EventViewPlace, 'accountId'>,
): Promise<EventViewRow> {
  const row = await database
    .selectFrom('weir_event_views')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', viewId)
    .executeTakeFirst();
  if (row === undefined || (row.user_id !== null && row.user_id !== userId)) throw notFound('event view');
  return row;
}

/** Whether a view may be among those of its owner: its name is free, and there are not too many. */
async function requireRoom(
  transaction: DatabaseTransaction,
  workspaceId: string,
  view: { readonly id?: string; readonly userId: string | undefined; readonly name: string },
): Promise<void> {
  const { id, userId, name } = view;
  const all = transaction
    .selectFrom('weir_event_views')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId);
  const rows = await (userId === undefined
    ? all.where('user_id', 'is', null)
    : all.where('user_id', '=', userId)
  ).execute();
  const others = rows.filter((row) => row.id !== id);
  const whose = userId === undefined ? 'shared view of the workspace' : 'view of yours';
  if (others.some((row) => row.name === name))
    throw new ApiError('duplicate_name', `A ${whose} named "${name}" already exists; choose another name.`);
  const max = userId === undefined ? apiLimits.eventViewsSharedMax : apiLimits.eventViewsOwnMax;
  if (others.length >= max)
    throw new ApiError(
      'limit_exceeded',
      userId === undefined
        ? `A workspace has at most ${max} shared views; delete one first.`
        : `A user has at most ${max} private views in a workspace; delete one first.`,
    );
}

function viewOf(row: EventViewRow): EventView {
  return {
    id: row.id,
    userId: row.user_id ?? undefined,
    name: row.name,
    search: JSON.parse(row.search) as EventSearch,
    savedBy: row.saved_by,
    savedMs: row.saved_ms,
  };
}

function byOwnerAndName(a: EventView, b: EventView): number {
  const isSharedFirst = Number(a.userId !== undefined) - Number(b.userId !== undefined);
  return isSharedFirst || (a.name < b.name ? -1 : 1);
}
