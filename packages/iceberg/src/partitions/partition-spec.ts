/** Partition specs: how rows are divided into files. A table has one by default, and those of its older files. */
import type { Json, JsonObject } from '../json/exact-json.ts';
import { ObjectReader } from '../json/json-reader.ts';
import { icebergLimits } from '../limits.ts';
import type { Schema } from '../schema/schema.ts';
import { type PrimitiveType, typeText } from '../schema/types.ts';
import { InvalidTable } from '../table-errors.ts';
import { canTransform, parseTransform, resultType, type Transform, transformText } from './transform.ts';

interface PartitionField {
  /** The column whose values are transformed. */
  readonly sourceId: number;
  /** Unique among all specs of the table; the same column with the same transform has the same id in all. */
  readonly id: number;
  readonly name: string;
  readonly transform: Transform;
}

export interface PartitionSpec {
  readonly id: number;
  readonly fields: readonly PartitionField[];
}

/** A field with the types of its values. */
export interface PartitionColumn extends PartitionField {
  readonly source: PrimitiveType;
  readonly type: PrimitiveType;
}

/** The last id before those of partition fields. */
export const partitionIdBase = 999;

export const unpartitioned: PartitionSpec = { id: 0, fields: [] };

/**
 * The fields of a spec with their types, by the first of the schemas that has the column: older specs may be about a
 * column that was dropped since.
 */
export function partitionColumns(spec: PartitionSpec, schemas: readonly Schema[]): PartitionColumn[] {
  return spec.fields.map((field) => {
    const { name, sourceId, transform } = field;
    const column = schemas.map((schema) => schema.column(sourceId)).find((found) => found !== undefined);
    if (column === undefined)
      throw new InvalidTable(`partition field ${name}: there is no column with the id ${sourceId}`);
    if (!canTransform(transform, column.type))
      throw new InvalidTable(
        `partition field ${name}: ${transformText(transform)} does not apply to ${column.path.join('.')}, which is ${typeText(column.type)}`,
      );
    if (column.isRepeated)
      throw new InvalidTable(`partition field ${name}: ${column.path.join('.')} is in a list or map`);
    return { ...field, source: column.type, type: resultType(transform, column.type) };
  });
}

/** Refuses a spec that files cannot be written with. */
export function checkSpec(spec: PartitionSpec, schema: Schema): void {
  if (spec.fields.length > icebergLimits.tableSpecFieldsMax)
    throw new InvalidTable(`a partition spec has at most ${icebergLimits.tableSpecFieldsMax} fields`);
  partitionColumns(spec, [schema]);
  const [names, ids] = [new Set<string>(), new Set<number>()];
  for (const { name, id, sourceId, transform } of spec.fields) {
    if (transform.kind === 'unknown')
      throw new InvalidTable(`partition field ${name}: unknown transform "${transform.text.slice(0, 100)}"`);
    if (name === '' || names.has(name) || ids.has(id))
      throw new InvalidTable(`partition field "${name}": names and ids must be unique`);
    const column = schema.find([name]);
    // The files of a partition by identity have the value in both.
    if (
      column !== undefined &&
      (transform.kind !== 'identity' || column.id !== sourceId) &&
      transform.kind !== 'void'
    )
      throw new InvalidTable(
        `partition field ${name}: a column has this name; choose another, such as ${name}_${transform.kind}`,
      );
    names.add(name);
    ids.add(id);
  }
}

export interface NewPartitionField {
  readonly path: readonly string[];
  readonly transform: Transform;
  /** Derived from path and transform if absent: `ts_day`. */
  readonly name?: string | undefined;
}

/**
 * Makes a spec of columns and transforms. A field that an earlier spec of the table has keeps its id; others get ids
 * after `lastPartitionId`.
 */
export function newSpec(
  schema: Schema,
  fields: readonly NewPartitionField[],
  {
    earlier = [],
    lastPartitionId = partitionIdBase,
  }: { readonly earlier?: readonly PartitionSpec[]; readonly lastPartitionId?: number } = {},
): PartitionSpec {
  let lastId = lastPartitionId;
  const known = earlier.flatMap((spec) => spec.fields);
  const made = fields.map(({ path, transform, name }): PartitionField => {
    const column = schema.find(path);
    if (column === undefined) throw new InvalidTable(`partition by ${path.join('.')}: no such column`);
    const same = known.find(
      (one) => one.sourceId === column.id && transformText(one.transform) === transformText(transform),
    );
    const suffix = { bucket: '_bucket', truncate: '_trunc', void: '_null', identity: '', unknown: '' };
    const defaultName =
      path.join('.') +
      (transform.kind in suffix ? suffix[transform.kind as keyof typeof suffix] : `_${transform.kind}`);
    return {
      sourceId: column.id,
      id: same?.id ?? ++lastId,
      name: name ?? same?.name ?? defaultName,
      transform,
    };
  });
  const spec = { id: 0, fields: made };
  checkSpec(spec, schema);
  return spec;
}

/** Whether both divide rows alike and have the same names and ids. */
export function isSameSpec(one: PartitionSpec, other: PartitionSpec): boolean {
  return JSON.stringify(specFieldsJson(one)) === JSON.stringify(specFieldsJson(other));
}

export function specJson(spec: PartitionSpec): JsonObject {
  return { 'spec-id': spec.id, fields: specFieldsJson(spec) };
}

/** The fields alone, as manifests and format version 1 have them. */
export function specFieldsJson(spec: PartitionSpec): JsonObject[] {
  return spec.fields.map(({ sourceId, id, name, transform }) => ({
    'source-id': sourceId,
    'field-id': id,
    name,
    transform: transformText(transform),
  }));
}

export function readSpec(json: Json | undefined, place: string): PartitionSpec {
  const reader = new ObjectReader(json, place);
  return { id: reader.integer('spec-id'), fields: readSpecFields(reader.raw('fields'), `${place}.fields`) };
}

/** In format version 1 fields may lack ids; then they are numbered from 1000. */
export function readSpecFields(json: Json | undefined, place: string): PartitionField[] {
  if (!Array.isArray(json)) throw new InvalidTable(`${place}: must be a list`);
  return (json as readonly Json[]).map((item, at) => {
    const reader = new ObjectReader(item, `${place}[${at}]`);
    return {
      sourceId: reader.integer('source-id'),
      id: reader.integerIfAny('field-id') ?? partitionIdBase + 1 + at,
      name: reader.text('name'),
      transform: parseTransform(reader.text('transform'), `${place}[${at}].transform`),
    };
  });
}
