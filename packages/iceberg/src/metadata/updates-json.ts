/** Updates and requirements as the JSON of Iceberg's REST protocol. */
import type { Json, JsonObject } from '../json/exact-json.ts';
import { ObjectReader, readLong, readText } from '../json/json-reader.ts';
import { readSpecFields, specJson } from '../partitions/partition-spec.ts';
import { readSortOrder, sortOrderJson } from '../partitions/sort-order.ts';
import { readSchema, schemaJson } from '../schema/schema-json.ts';
import { InvalidTable } from '../table-errors.ts';
import { readStatistics } from './metadata-json.ts';
import { readRef, readSnapshot, refJson, snapshotJson } from './snapshot.ts';
import type { TableCommit, TableRequirement, TableUpdate } from './updates.ts';

export function commitJson({ requirements, updates }: TableCommit): JsonObject {
  return { requirements: requirements.map(requirementJson), updates: updates.map(updateJson) };
}

export function readCommit(json: Json, place: string): TableCommit {
  const reader = new ObjectReader(json, place);
  return {
    requirements: reader.list('requirements', readRequirement),
    updates: reader.list('updates', readUpdate),
  };
}

function updateJson(update: TableUpdate): JsonObject {
  const { action } = update;
  switch (update.action) {
    case 'assign-uuid':
      return { action, uuid: update.uuid };
    case 'upgrade-format-version':
      return { action, 'format-version': update.formatVersion };
    case 'add-schema':
      return { action, schema: schemaJson(update.schema), 'last-column-id': update.lastColumnId };
    case 'set-current-schema':
      return { action, 'schema-id': update.schemaId };
    case 'add-spec':
      return { action, spec: specJson(update.spec) };
    case 'set-default-spec':
      return { action, 'spec-id': update.specId };
    case 'add-sort-order':
      return { action, 'sort-order': sortOrderJson(update.order) };
    case 'set-default-sort-order':
      return { action, 'sort-order-id': update.orderId };
    case 'add-snapshot':
      return { action, snapshot: snapshotJson(update.snapshot) };
    case 'set-snapshot-ref':
      return { action, 'ref-name': update.name, ...refJson(update.ref) };
    case 'remove-snapshots':
      return { action, 'snapshot-ids': update.snapshotIds };
    case 'remove-snapshot-ref':
      return { action, 'ref-name': update.name };
    case 'set-location':
      return { action, location: update.location };
    case 'set-properties':
      return { action, updates: update.updates };
    case 'remove-properties':
      return { action, removals: update.removals };
    case 'set-statistics':
      return { action, 'snapshot-id': update.statistics.snapshotId, statistics: update.statistics.json };
    case 'set-partition-statistics':
      return { action, 'partition-statistics': update.statistics.json };
    case 'remove-statistics':
    case 'remove-partition-statistics':
      return { action, 'snapshot-id': update.snapshotId };
  }
}

/** One reader per action; the compiler refuses a missing one. */
const updateReaders: { readonly [Action in TableUpdate['action']]: (reader: ObjectReader) => TableUpdate } = {
  'assign-uuid': (reader) => ({ action: 'assign-uuid', uuid: reader.text('uuid') }),
  'upgrade-format-version': (reader) => ({
    action: 'upgrade-format-version',
    formatVersion: reader.integer('format-version'),
  }),
  'add-schema': (reader) => ({
    action: 'add-schema',
    schema: readSchema(reader.raw('schema'), `${reader.place}.schema`),
    lastColumnId: reader.integerIfAny('last-column-id'),
  }),
  'set-current-schema': (reader) => ({ action: 'set-current-schema', schemaId: reader.integer('schema-id') }),
  'add-spec': (reader) => {
    // The server gives the id.
    const spec = reader.object('spec');
    const fields = readSpecFields(spec.raw('fields'), `${spec.place}.fields`);
    return { action: 'add-spec', spec: { id: spec.integerIfAny('spec-id') ?? 0, fields } };
  },
  'set-default-spec': (reader) => ({ action: 'set-default-spec', specId: reader.integer('spec-id') }),
  'add-sort-order': (reader) => ({
    action: 'add-sort-order',
    order: readSortOrder(reader.raw('sort-order'), `${reader.place}.sort-order`),
  }),
  'set-default-sort-order': (reader) => ({
    action: 'set-default-sort-order',
    orderId: reader.integer('sort-order-id'),
  }),
  'add-snapshot': (reader) => ({
    action: 'add-snapshot',
    snapshot: readSnapshot(reader.raw('snapshot'), `${reader.place}.snapshot`),
  }),
  'set-snapshot-ref': (reader) => ({
    action: 'set-snapshot-ref',
    name: reader.text('ref-name'),
    ref: readRef(reader),
  }),
  'remove-snapshots': (reader) => ({
    action: 'remove-snapshots',
    snapshotIds: reader.list('snapshot-ids', readLong),
  }),
  'remove-snapshot-ref': (reader) => ({ action: 'remove-snapshot-ref', name: reader.text('ref-name') }),
  'set-location': (reader) => ({ action: 'set-location', location: reader.text('location') }),
  'set-properties': (reader) => ({ action: 'set-properties', updates: reader.texts('updates') }),
  'remove-properties': (reader) => ({
    action: 'remove-properties',
    removals: reader.list('removals', readText),
  }),
  'set-statistics': (reader) => ({
    action: 'set-statistics',
    statistics: readStatistics(reader.raw('statistics'), `${reader.place}.statistics`),
  }),
  'remove-statistics': (reader) => ({ action: 'remove-statistics', snapshotId: reader.long('snapshot-id') }),
  'set-partition-statistics': (reader) => ({
    action: 'set-partition-statistics',
    statistics: readStatistics(reader.raw('partition-statistics'), `${reader.place}.partition-statistics`),
  }),
  'remove-partition-statistics': (reader) => ({
    action: 'remove-partition-statistics',
    snapshotId: reader.long('snapshot-id'),
  }),
};

function readUpdate(json: Json, place: string): TableUpdate {
  const reader = new ObjectReader(json, place);
  const action = reader.text('action');
  if (!Object.hasOwn(updateReaders, action))
    throw new InvalidTable(`${place}: unknown action "${action.slice(0, 100)}"`);
  return updateReaders[action as TableUpdate['action']](reader);
}

function requirementJson(requirement: TableRequirement): JsonObject {
  const { type } = requirement;
  switch (requirement.type) {
    case 'assert-create':
      return { type };
    case 'assert-table-uuid':
      return { type, uuid: requirement.uuid };
    case 'assert-ref-snapshot-id':
      return { type, ref: requirement.ref, 'snapshot-id': requirement.snapshotId ?? null };
    default:
      return { type, [idNames[requirement.type]]: requirement.id };
  }
}

/** Requirements about one id, and its name in JSON. */
const idNames = {
  'assert-last-assigned-field-id': 'last-assigned-field-id',
  'assert-current-schema-id': 'current-schema-id',
  'assert-last-assigned-partition-id': 'last-assigned-partition-id',
  'assert-default-spec-id': 'default-spec-id',
  'assert-default-sort-order-id': 'default-sort-order-id',
} as const;

function readRequirement(json: Json, place: string): TableRequirement {
  const reader = new ObjectReader(json, place);
  const type = reader.text('type');
  if (type === 'assert-create') return { type };
  if (type === 'assert-table-uuid') return { type, uuid: reader.text('uuid') };
  if (type === 'assert-ref-snapshot-id')
    return { type, ref: reader.text('ref'), snapshotId: reader.longIfAny('snapshot-id') };
  if (!Object.hasOwn(idNames, type))
    throw new InvalidTable(`${place}: unknown requirement "${type.slice(0, 100)}"`);
  const known = type as keyof typeof idNames;
  return { type: known, id: reader.integer(idNames[known]) };
}
