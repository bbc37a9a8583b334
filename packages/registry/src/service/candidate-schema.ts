import type { Metadata, RuleSet } from '../registry-answers.ts';
import type { SchemaReference, SchemaSource, SchemaType } from '../schema-format.ts';
import { fingerprint } from '../state/guid.ts';
import { confluentVersion, withoutConfluentVersion } from '../state/metadata.ts';
import { parseSubject } from '../state/qualified-subject.ts';
import type { StoredSchema } from '../state/registry-entries.ts';
import type { SchemaRow, SubjectVersion } from '../state/registry-state.ts';
import type { DecisionContext } from './decision-context.ts';
import { withValidSchema } from './refusals.ts';

/** A schema that a request brings, in the form in which it would be stored. */
export interface CandidateSchema extends StoredSchema {
  readonly source: SchemaSource;
  readonly print: Uint8Array;
}

export interface SchemaInput {
  readonly text: string;
  readonly type: SchemaType;
  readonly references: readonly SchemaReference[];
  readonly metadata: Metadata | undefined;
  readonly ruleSet: RuleSet | undefined;
}

interface CanonicalOptions {
  readonly normalize: boolean;
  /**
   * Whether the schema would be a new version: then it may only refer to what is not marked as deleted, and its
   * defaults have to fit.
   */
  readonly isNew: boolean;
  /** Whether reserved names of fields are refused. */
  readonly validatesFields: boolean;
}

/** Parses a schema for a subject and brings it into the form in which it is stored and compared. */
export function canonicalSchema(
  { resolver, work }: DecisionContext,
  subject: string,
  { text, type, references: given, metadata, ruleSet }: SchemaInput,
  { normalize, isNew, validatesFields }: CanonicalOptions,
): CandidateSchema {
  return withValidSchema(type, () => {
    const { context } = parseSubject(subject);
    const { references } = resolver.resolve(context, text, normalize ? sortedReferences(given) : given);
    // Cycles and depths were checked above.
    if (isNew) resolver.requireLive(context, references);
    const { source } = resolver.resolve(context, text, references);
    const canonicalText = work.canonicalText(type, source, { normalize, isNew, validatesFields });
    const schema: StoredSchema = {
      text: canonicalText,
      type,
      ...(references.length === 0 ? {} : { references }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(ruleSet === undefined ? {} : { ruleSet }),
    };
    return {
      ...schema,
      source: { text: canonicalText, references: source.references },
      print: fingerprint(schema),
    };
  });
}

/** The source of a schema that is stored already. */
export function storedSource({ state, resolver }: DecisionContext, row: SchemaRow): SchemaSource {
  const { text, references } = state.schema(row);
  return resolver.resolve(row.context, text, references ?? []).source;
}

/**
 * Whether a schema is meant to be an earlier one, although not in every letter: a client that resolves references sends
 * the text without them, and one that knows no versions in metadata leaves them out.
 */
export function isLooseMatch(
  context: DecisionContext,
  schema: CandidateSchema,
  earlier: SubjectVersion,
): boolean {
  const { state, progress } = context;
  const row = state.rowOfVersion(earlier);
  const ownVersion = confluentVersion(schema.metadata);
  const canMatch = !row.isPlain || ownVersion !== undefined;
  if (!canMatch) return false;
  const step = `match ${rowKey(row)} ${earlier.version} ${printKey(schema)} ${schema.type}`;
  if (progress.isDone(step)) return false;
  const match = looseMatch(schema, state.schema(row), earlier.version);
  const isMatch = match === 'if resolved' ? isSameResolved(context, schema, row) : match;
  // What references lead to may change before the decision begins anew.
  if (!isMatch) progress.endStep(match === 'if resolved' ? undefined : step);
  return isMatch;
}

/** Whether two schemas match loosely; it may depend on what their references lead to. */
function looseMatch(schema: CandidateSchema, other: StoredSchema, version: number): boolean | 'if resolved' {
  if (other.type !== schema.type || !isSame(schema.ruleSet, other.ruleSet)) return false;
  if (!isSameMetadata(schema.metadata, other.metadata, version)) return false;
  if (isSame(schema.references ?? [], other.references ?? [])) return schema.text === other.text;
  return schema.references === undefined && schema.type === 'AVRO' ? 'if resolved' : false;
}

function isSameResolved(context: DecisionContext, schema: CandidateSchema, row: SchemaRow): boolean {
  const resolved = (source: SchemaSource) => context.work.formattedText('AVRO', source, 'resolved');
  return withValidSchema('AVRO', () => resolved(schema.source) === resolved(storedSource(context, row)));
}

/** Names a stored schema with its contents, for steps of a decision. */
export function rowKey({ context, id, print }: SchemaRow): string {
  return `${id} ${print} ${context}`;
}

/** Names a schema that a request brings. */
export function printKey({ print }: CandidateSchema): string {
  return Buffer.from(print).toString('latin1');
}

function isSameMetadata(own: Metadata | undefined, other: Metadata | undefined, version: number): boolean {
  const ownVersion = confluentVersion(own);
  const otherVersion = confluentVersion(other);
  if ((ownVersion === undefined) === (otherVersion === undefined)) return isSame(own, other);
  if (ownVersion !== undefined && Number(ownVersion) !== version) return false;
  return isSame(withoutConfluentVersion(own ?? {}), withoutConfluentVersion(other ?? {}));
}

/** Names in order, each reference once. */
function sortedReferences(references: readonly SchemaReference[]): SchemaReference[] {
  const byText = new Map(references.map((reference) => [JSON.stringify(reference), reference]));
  return [...byText.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Whether two JSON values are the same, whatever the order of their fields. Absent parts are empty. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(normalJson(a)) === JSON.stringify(normalJson(b));
}

function normalJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalJson);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([key, element]) => [key, normalJson(element)] as const)
    .filter(([, element]) => element !== undefined && JSON.stringify(element) !== '{}')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}
