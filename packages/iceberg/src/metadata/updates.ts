/**
 * The one language of commits: a list of updates, under requirements. Every catalog takes it, as the REST protocol of
 * Iceberg defines it; `applyUpdates` is what they mean.
 */
import { checkSpec, isSameSpec, type PartitionSpec } from '../partitions/partition-spec.ts';
import { checkSortOrder, isSameOrder, type SortOrder } from '../partitions/sort-order.ts';
import type { Schema } from '../schema/schema.ts';
import { isSameSchema } from '../schema/schema-json.ts';
import { CommitConflict, InvalidTable } from '../table-errors.ts';
import { mainBranch, type Snapshot, type SnapshotRef } from './snapshot.ts';
import {
  currentSchema,
  defaultSortOrder,
  defaultSpec,
  type SnapshotLogEntry,
  type Statistics,
  schemaOfId,
  snapshotOf,
  type TableMetadata,
} from './table-metadata.ts';

export type TableUpdate =
  | { readonly action: 'assign-uuid'; readonly uuid: string }
  | { readonly action: 'upgrade-format-version'; readonly formatVersion: number }
  | { readonly action: 'add-schema'; readonly schema: Schema; readonly lastColumnId?: number | undefined }
  /** -1 is the schema that was added last; so for the others. */
  | { readonly action: 'set-current-schema'; readonly schemaId: number }
  | { readonly action: 'add-spec'; readonly spec: PartitionSpec }
  | { readonly action: 'set-default-spec'; readonly specId: number }
  | { readonly action: 'add-sort-order'; readonly order: SortOrder }
  | { readonly action: 'set-default-sort-order'; readonly orderId: number }
  | { readonly action: 'add-snapshot'; readonly snapshot: Snapshot }
  | { readonly action: 'set-snapshot-ref'; readonly name: string; readonly ref: SnapshotRef }
  | { readonly action: 'remove-snapshots'; readonly snapshotIds: readonly bigint[] }
  | { readonly action: 'remove-snapshot-ref'; readonly name: string }
  | { readonly action: 'set-location'; readonly location: string }
  | { readonly action: 'set-properties'; readonly updates: Readonly<Record<string, string>> }
  | { readonly action: 'remove-properties'; readonly removals: readonly string[] }
  | { readonly action: 'set-statistics'; readonly statistics: Statistics }
  | { readonly action: 'remove-statistics'; readonly snapshotId: bigint }
  | { readonly action: 'set-partition-statistics'; readonly statistics: Statistics }
  | { readonly action: 'remove-partition-statistics'; readonly snapshotId: bigint };

export type TableRequirement =
  | { readonly type: 'assert-create' }
  | { readonly type: 'assert-table-uuid'; readonly uuid: string }
  /** Without a snapshot: the ref must not exist. */
  | { readonly type: 'assert-ref-snapshot-id'; readonly ref: string; readonly snapshotId: bigint | undefined }
  | { readonly type: 'assert-last-assigned-field-id'; readonly id: number }
  | { readonly type: 'assert-current-schema-id'; readonly id: number }
  | { readonly type: 'assert-last-assigned-partition-id'; readonly id: number }
  | { readonly type: 'assert-default-spec-id'; readonly id: number }
  | { readonly type: 'assert-default-sort-order-id'; readonly id: number };

export interface TableCommit {
  readonly requirements: readonly TableRequirement[];
  readonly updates: readonly TableUpdate[];
}

/** Throws `CommitConflict` unless the table, or its absence, is as the commit needs it. */
export function checkRequirements(
  metadata: TableMetadata | undefined,
  requirements: readonly TableRequirement[],
): void {
  for (const requirement of requirements) {
    const conflict = (what: string, found: unknown, wanted: unknown) => {
      if (found !== wanted)
        throw new CommitConflict(
          `${what} is ${found ?? 'absent'} and not ${wanted ?? 'absent'}; load the table again`,
        );
    };
    if (requirement.type === 'assert-create') {
      if (metadata !== undefined) throw new CommitConflict('the table exists already');
      continue;
    }
    if (metadata === undefined) throw new CommitConflict('the table does not exist');
    switch (requirement.type) {
      case 'assert-table-uuid':
        conflict('the UUID of the table', metadata.uuid, requirement.uuid);
        break;
      case 'assert-ref-snapshot-id':
        conflict(
          `the snapshot of ${requirement.ref}`,
          refIn(metadata, requirement.ref)?.snapshotId,
          requirement.snapshotId,
        );
        break;
      case 'assert-last-assigned-field-id':
        conflict('the last id of a column', metadata.lastColumnId, requirement.id);
        break;
      case 'assert-current-schema-id':
        conflict('the current schema', metadata.currentSchemaId, requirement.id);
        break;
      case 'assert-last-assigned-partition-id':
        conflict('the last id of a partition field', metadata.lastPartitionId, requirement.id);
        break;
      case 'assert-default-spec-id':
        conflict('the default partition spec', metadata.defaultSpecId, requirement.id);
        break;
      case 'assert-default-sort-order-id':
        conflict('the default sort order', metadata.defaultSortOrderId, requirement.id);
    }
  }
}

function refIn(metadata: TableMetadata, name: string): SnapshotRef | undefined {
  return Object.hasOwn(metadata.refs, name) ? metadata.refs[name] : undefined;
}

/** Applies updates in order. The result obeys all rules, or an `InvalidTable` says which update does not. */
export function applyUpdates(
  metadata: TableMetadata,
  updates: readonly TableUpdate[],
  nowMs: number,
): TableMetadata {
  const state = new UpdatedTable(metadata);
  for (const update of updates) state.apply(update);
  return state.result(nowMs);
}

/** What a table is before its first updates. */
const nothing: TableMetadata = {
  formatVersion: 2,
  uuid: '',
  location: '',
  lastSequenceNumber: 0n,
  lastUpdatedMs: 0,
  lastColumnId: 0,
  schemas: [],
  currentSchemaId: -1,
  specs: [],
  defaultSpecId: -1,
  lastPartitionId: 999,
  sortOrders: [],
  defaultSortOrderId: -1,
  properties: {},
  snapshots: [],
  refs: {},
  snapshotLog: [],
  metadataLog: [],
  statistics: [],
  partitionStatistics: [],
};

/** A new table from the updates of its creation. */
export function createFromUpdates(updates: readonly TableUpdate[], nowMs: number): TableMetadata {
  const created = applyUpdates(nothing, updates, nowMs);
  for (const [part, isThere] of [
    ['UUID', created.uuid !== ''],
    ['location', created.location !== ''],
    ['schema', created.schemas.length > 0],
    ['partition spec', created.specs.length > 0],
    ['sort order', created.sortOrders.length > 0],
  ] as const)
    if (!isThere) throw new InvalidTable(`a table cannot be created without its ${part}`);
  return created;
}

class UpdatedTable {
  #now: TableMetadata;
  readonly #before: TableMetadata;
  #lastAdded: { schema?: number; spec?: number; order?: number } = {};
  readonly #addedSnapshots = new Set<bigint>();

  constructor(before: TableMetadata) {
    this.#before = before;
    this.#now = before;
  }

  apply(update: TableUpdate): void {
    const now = this.#now;
    switch (update.action) {
      case 'assign-uuid':
        if (now.uuid !== '' && now.uuid !== update.uuid)
          throw new InvalidTable('the UUID of a table cannot be changed');
        this.#set({ uuid: update.uuid });
        return;
      case 'upgrade-format-version':
        this.#upgrade(update.formatVersion);
        return;
      case 'add-schema':
        this.#addSchema(update.schema, update.lastColumnId);
        return;
      case 'set-current-schema': {
        const id = this.#idOr(update.schemaId, this.#lastAdded.schema, 'schema');
        schemaOfId(now, id);
        this.#set({ currentSchemaId: id });
        return;
      }
      case 'add-spec':
        this.#addSpec(update.spec);
        return;
      case 'set-default-spec':
        this.#set({ defaultSpecId: this.#idOr(update.specId, this.#lastAdded.spec, 'partition spec') });
        return;
      case 'add-sort-order':
        this.#addOrder(update.order);
        return;
      case 'set-default-sort-order':
        this.#set({ defaultSortOrderId: this.#idOr(update.orderId, this.#lastAdded.order, 'sort order') });
        return;
      case 'add-snapshot':
        this.#addSnapshot(update.snapshot);
        return;
      case 'set-snapshot-ref':
        this.#setRef(update.name, update.ref);
        return;
      case 'remove-snapshots':
        this.#removeSnapshots(new Set(update.snapshotIds));
        return;
      case 'remove-snapshot-ref': {
        const { [update.name]: _removed, ...refs } = now.refs;
        this.#set({ refs });
        return;
      }
      case 'set-location':
        this.#set({ location: update.location.replace(/\/+$/, '') });
        return;
      case 'set-properties':
        this.#set({ properties: { ...now.properties, ...update.updates } });
        return;
      case 'remove-properties': {
        const removed = new Set(update.removals);
        this.#set({
          properties: Object.fromEntries(Object.entries(now.properties).filter(([key]) => !removed.has(key))),
        });
        return;
      }
      case 'set-statistics':
        this.#set({
          statistics: [...without(now.statistics, update.statistics.snapshotId), update.statistics],
        });
        return;
      case 'remove-statistics':
        this.#set({ statistics: without(now.statistics, update.snapshotId) });
        return;
      case 'set-partition-statistics':
        this.#set({
          partitionStatistics: [
            ...without(now.partitionStatistics, update.statistics.snapshotId),
            update.statistics,
          ],
        });
        return;
      case 'remove-partition-statistics':
        this.#set({ partitionStatistics: without(now.partitionStatistics, update.snapshotId) });
        return;
    }
  }

  result(nowMs: number): TableMetadata {
    const now = this.#now;
    const schema = currentSchema(now);
    // Dropping a column that rows are divided or sorted by would leave a table that cannot be written.
    checkSpec(defaultSpec(now), schema);
    checkSortOrder(defaultSortOrder(now), schema);
    const log = this.#snapshotLog(now);
    // Time does not go back, whatever the clocks of writers say.
    const lastUpdatedMs = Math.max(nowMs, this.#before.lastUpdatedMs, log.at(-1)?.timestampMs ?? 0);
    return { ...now, snapshotLog: log, lastUpdatedMs };
  }

  #set(parts: Partial<TableMetadata>): void {
    this.#now = { ...this.#now, ...parts };
  }

  #idOr(id: number, lastAdded: number | undefined, what: string): number {
    if (id !== -1) return id;
    if (lastAdded === undefined)
      throw new InvalidTable(`-1 means the ${what} that was added last, and none was added`);
    return lastAdded;
  }

  #upgrade(version: number): void {
    if (version !== 1 && version !== 2)
      throw new InvalidTable(`format version ${version} is not supported; Weir writes 2`);
    const isNew = this.#now.schemas.length === 0;
    if (version < this.#now.formatVersion && !isNew)
      throw new InvalidTable(`a table of format version ${this.#now.formatVersion} cannot become ${version}`);
    this.#set({ formatVersion: version });
  }

  #addSchema(schema: Schema, lastColumnId: number | undefined): void {
    const { schemas } = this.#now;
    const same = schemas.find((one) => isSameSchema(one, schema));
    if (same !== undefined) {
      this.#lastAdded.schema = same.id;
      return;
    }
    const id = Math.max(-1, ...schemas.map((one) => one.id)) + 1;
    this.#lastAdded.schema = id;
    this.#set({
      schemas: [...schemas, schema.withId(id)],
      lastColumnId: Math.max(this.#now.lastColumnId, lastColumnId ?? 0, schema.columnIdMax),
    });
  }

  #addSpec(spec: PartitionSpec): void {
    const { specs, schemas } = this.#now;
    const same = specs.find((one) => isSameSpec(one, spec));
    if (same !== undefined) {
      this.#lastAdded.spec = same.id;
      return;
    }
    const schema = schemas.find((one) => one.id === this.#now.currentSchemaId) ?? schemas.at(-1);
    if (schema === undefined) throw new InvalidTable('a partition spec needs a schema first');
    checkSpec(spec, schema);
    const id = Math.max(-1, ...specs.map((one) => one.id)) + 1;
    this.#lastAdded.spec = id;
    this.#set({
      specs: [...specs, { ...spec, id }],
      lastPartitionId: Math.max(this.#now.lastPartitionId, ...spec.fields.map((field) => field.id)),
    });
  }

  #addOrder(order: SortOrder): void {
    const { sortOrders } = this.#now;
    const same = sortOrders.find((one) => isSameOrder(one, order));
    if (same !== undefined) {
      this.#lastAdded.order = same.id;
      return;
    }
    // 0 is for tables without an order.
    const id = order.fields.length === 0 ? 0 : Math.max(0, ...sortOrders.map((one) => one.id)) + 1;
    this.#lastAdded.order = id;
    this.#set({ sortOrders: [...sortOrders, { ...order, id }] });
  }

  #addSnapshot(snapshot: Snapshot): void {
    const { snapshots, formatVersion, lastSequenceNumber } = this.#now;
    if (snapshotOf(this.#now, snapshot.id) !== undefined)
      throw new InvalidTable(`the snapshot ${snapshot.id} exists already`);
    if (formatVersion > 1 && snapshot.sequenceNumber <= lastSequenceNumber && snapshot.parentId !== undefined)
      throw new CommitConflict(
        `the sequence number ${snapshot.sequenceNumber} is not after ${lastSequenceNumber}; load the table again`,
      );
    this.#addedSnapshots.add(snapshot.id);
    this.#set({
      snapshots: [...snapshots, snapshot],
      lastSequenceNumber:
        snapshot.sequenceNumber > lastSequenceNumber ? snapshot.sequenceNumber : lastSequenceNumber,
    });
  }

  #setRef(name: string, ref: SnapshotRef): void {
    if (snapshotOf(this.#now, ref.snapshotId) === undefined)
      throw new InvalidTable(`${name}: there is no snapshot ${ref.snapshotId}`);
    if (name === mainBranch && ref.type !== 'branch') throw new InvalidTable('main must be a branch');
    this.#set({ refs: { ...this.#now.refs, [name]: ref } });
  }

  #removeSnapshots(ids: ReadonlySet<bigint>): void {
    const now = this.#now;
    for (const [name, { snapshotId }] of Object.entries(now.refs))
      if (ids.has(snapshotId))
        throw new InvalidTable(`the snapshot ${snapshotId} cannot be removed: ${name} is there`);
    this.#set({
      snapshots: now.snapshots.filter(({ id }) => !ids.has(id)),
      statistics: now.statistics.filter(({ snapshotId }) => !ids.has(snapshotId)),
      partitionStatistics: now.partitionStatistics.filter(({ snapshotId }) => !ids.has(snapshotId)),
    });
  }

  /**
   * The log of `main`. History before a snapshot that was removed is forgotten: times in between would be answered with
   * a wrong snapshot.
   */
  #snapshotLog(now: TableMetadata): readonly SnapshotLogEntry[] {
    const main = refIn(now, mainBranch)?.snapshotId;
    const before = refIn(this.#before, mainBranch)?.snapshotId;
    let log = this.#before.snapshotLog;
    if (main === undefined) return [];
    if (main !== before) {
      const { timestampMs } = snapshotOf(now, main)!;
      // A branch may be set back to an old snapshot; the log stays in the order of time.
      const at = this.#addedSnapshots.has(main)
        ? timestampMs
        : Math.max(timestampMs, log.at(-1)?.timestampMs ?? 0);
      log = [...log, { timestampMs: at, snapshotId: main }];
    }
    const ids = new Set(now.snapshots.map(({ id }) => id));
    const lastGone = log.findLastIndex(({ snapshotId }) => !ids.has(snapshotId));
    return log.slice(lastGone + 1);
  }
}

function without(statistics: readonly Statistics[], snapshotId: bigint): Statistics[] {
  return statistics.filter((one) => one.snapshotId !== snapshotId);
}
