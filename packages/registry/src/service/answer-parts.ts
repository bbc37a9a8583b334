import type { SchemaAnswer, SubjectVersionAnswer } from '../registry-answers.ts';
import type { SchemaSource, SchemaTags, SchemaType } from '../schema-format.ts';
import type { WorkSession } from '../schema-work/schema-work.ts';
import { referencedSubject } from '../state/qualified-subject.ts';
import type { StoredSchema } from '../state/registry-entries.ts';
import type { RegistryState, SchemaRow, SubjectVersion } from '../state/registry-state.ts';
import { storedSource } from './candidate-schema.ts';
import type { DecisionContext } from './decision-context.ts';
import { withValidSchema } from './refusals.ts';
import type { PageQuery } from './registry-queries.ts';

/** What every answer says about a schema. What is absent is left out. */
export function answerOf(
  { text, type, references, metadata, ruleSet }: StoredSchema,
  guid: string,
): SchemaAnswer {
  return {
    guid,
    schemaType: type,
    ...(references === undefined ? {} : { references }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(ruleSet === undefined ? {} : { ruleSet }),
    schema: text,
  };
}

export function schemaAnswer(state: RegistryState, row: SchemaRow): SchemaAnswer {
  return answerOf(state.schema(row), state.guid(row));
}

export function versionAnswer(state: RegistryState, version: SubjectVersion): SubjectVersionAnswer {
  return {
    subject: version.subject,
    version: version.version,
    id: version.id,
    ...schemaAnswer(state, state.rowOfVersion(version)),
    ...markOf(version),
  };
}

/** When a version was registered, and whether it is marked as deleted. */
export function markOf({ timestampMs: ts, isDeleted: deleted }: SubjectVersion) {
  return { ts, deleted };
}

/** References with the contexts of their subjects, if a request asks for them. */
export function qualifiedReferences(
  context: string,
  { references }: SchemaAnswer,
  referenceFormat: string | undefined,
): Pick<SchemaAnswer, 'references'> {
  if (referenceFormat !== 'qualified' || references === undefined) return {};
  return {
    references: references.map((reference) => ({
      ...reference,
      subject: referencedSubject(context, reference.subject),
    })),
  };
}

/** The tags inside of a schema, if a request asks for some; `*` is any. */
export function tagsAnswer(
  context: DecisionContext,
  row: SchemaRow,
  wanted: readonly string[] | undefined,
): { readonly schemaTags?: readonly SchemaTags[] } {
  if (wanted === undefined || wanted.length === 0) return {};
  const names = new Set(wanted);
  const { type } = context.state.schema(row);
  const schemaTags = withValidSchema(type, () => context.work.tags(type, storedSource(context, row))).filter(
    ({ tags }) => names.has('*') || tags.some((tag) => names.has(tag)),
  );
  return schemaTags.length === 0 ? {} : { schemaTags };
}

export function isFormat(format: string | undefined): format is string {
  return format !== undefined && format.trim() !== '';
}

export function formattedText(
  work: WorkSession,
  type: SchemaType,
  source: SchemaSource,
  format: string,
): string {
  return withValidSchema(type, () => work.formattedText(type, source, format.trim()));
}

/** The text of a stored schema in the format that a request asks for, if it asks for one. */
export function textInFormat(
  context: DecisionContext,
  row: SchemaRow,
  format: string | undefined,
): { readonly schema?: string } {
  if (!isFormat(format)) return {};
  const { type } = context.state.schema(row);
  return { schema: formattedText(context.work, type, storedSource(context, row), format) };
}

/** A page of a list. A limit that is not positive is none. */
export function page<Element>(
  elements: readonly Element[],
  { offset = 0, limit = -1 }: PageQuery,
): Element[] {
  const start = Math.max(0, offset);
  return elements.slice(start, limit > 0 ? start + limit : undefined);
}
