/** Changes of a table that leave its files as they are: its schema, how it is partitioned, its properties. */
import { currentSchema, defaultSpec, type TableMetadata } from '../metadata/table-metadata.ts';
import type { TableCommit } from '../metadata/updates.ts';
import {
  isSameSpec,
  type NewPartitionField,
  newSpec,
  type PartitionSpec,
} from '../partitions/partition-spec.ts';
import { changeSchema, type SchemaChange } from '../schema/schema-changes.ts';
import { isSameSchema } from '../schema/schema-json.ts';
import { ChangeRefused } from '../table-errors.ts';
import type { TableChange } from './table-change.ts';

/** A change that writes no files. */
abstract class MetadataChange implements TableChange {
  abstract isIn(metadata: TableMetadata): boolean;
  abstract on(metadata: TableMetadata): Promise<TableCommit | undefined>;

  unusedFiles(): readonly string[] {
    return [];
  }
}

/**
 * Schema evolution. The changes were made for the schema with the id `plannedOn`; if another writer changed the schema
 * since, they may mean something else, and are refused.
 */
export class SchemaEvolution extends MetadataChange {
  readonly #changes: readonly SchemaChange[];
  readonly #plannedOn: TableMetadata;

  constructor(changes: readonly SchemaChange[], plannedOn: TableMetadata) {
    super();
    this.#changes = changes;
    this.#plannedOn = plannedOn;
  }

  isIn(metadata: TableMetadata): boolean {
    return isSameSchema(currentSchema(metadata), this.#planned().schema);
  }

  async on(metadata: TableMetadata): Promise<TableCommit | undefined> {
    const { currentSchemaId, lastColumnId, uuid } = this.#plannedOn;
    if (metadata.currentSchemaId !== currentSchemaId || metadata.lastColumnId !== lastColumnId)
      throw new ChangeRefused('the schema of the table was changed meanwhile; plan the change again');
    const changed = this.#planned();
    return {
      requirements: [
        { type: 'assert-table-uuid', uuid },
        { type: 'assert-current-schema-id', id: currentSchemaId },
        { type: 'assert-last-assigned-field-id', id: lastColumnId },
      ],
      updates: [
        { action: 'add-schema', schema: changed.schema, lastColumnId: changed.lastColumnId },
        { action: 'set-current-schema', schemaId: -1 },
      ],
    };
  }

  #planned() {
    return changeSchema(currentSchema(this.#plannedOn), this.#plannedOn.lastColumnId, this.#changes);
  }
}

/** New files are partitioned by these fields; older files stay as they are. */
export class PartitionEvolution extends MetadataChange {
  readonly #fields: readonly NewPartitionField[];

  constructor(fields: readonly NewPartitionField[]) {
    super();
    this.#fields = fields;
  }

  isIn(metadata: TableMetadata): boolean {
    return isSameSpec(defaultSpec(metadata), this.#spec(metadata));
  }

  async on(metadata: TableMetadata): Promise<TableCommit> {
    return {
      requirements: [
        { type: 'assert-table-uuid', uuid: metadata.uuid },
        { type: 'assert-current-schema-id', id: metadata.currentSchemaId },
        { type: 'assert-default-spec-id', id: metadata.defaultSpecId },
        { type: 'assert-last-assigned-partition-id', id: metadata.lastPartitionId },
      ],
      updates: [
        { action: 'add-spec', spec: this.#spec(metadata) },
        { action: 'set-default-spec', specId: -1 },
      ],
    };
  }

  #spec(metadata: TableMetadata): PartitionSpec {
    const { specs, lastPartitionId } = metadata;
    return newSpec(currentSchema(metadata), this.#fields, { earlier: specs, lastPartitionId });
  }
}

export class PropertyChange extends MetadataChange {
  readonly #set: Readonly<Record<string, string>>;
  readonly #removed: readonly string[];

  constructor({
    set = {},
    removed = [],
  }: { readonly set?: Readonly<Record<string, string>>; readonly removed?: readonly string[] }) {
    super();
    this.#set = set;
    this.#removed = removed;
  }

  isIn({ properties }: TableMetadata): boolean {
    return (
      Object.entries(this.#set).every(
        ([key, value]) => Object.hasOwn(properties, key) && properties[key] === value,
      ) && this.#removed.every((key) => !Object.hasOwn(properties, key))
    );
  }

  async on(metadata: TableMetadata): Promise<TableCommit> {
    return {
      requirements: [{ type: 'assert-table-uuid', uuid: metadata.uuid }],
      updates: [
        ...(Object.keys(this.#set).length > 0
          ? [{ action: 'set-properties' as const, updates: this.#set }]
          : []),
        ...(this.#removed.length > 0
          ? [{ action: 'remove-properties' as const, removals: this.#removed }]
          : []),
      ],
    };
  }
}
