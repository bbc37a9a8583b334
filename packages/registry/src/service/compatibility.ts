import type { CompatibilityLevel, ConfigAnswer, Metadata } from '../registry-answers.ts';
import type { CompatibilityOptions, ReservedNames } from '../schema-format.ts';
import type { StoredSchema } from '../state/registry-entries.ts';
import type { SubjectVersion } from '../state/registry-state.ts';
import { type CandidateSchema, canonicalSchema, printKey, rowKey, storedSource } from './candidate-schema.ts';
import type { DecisionContext } from './decision-context.ts';
import { refusals, withValidSchema } from './refusals.ts';
import type { CompatibilityQuery } from './registry-queries.ts';
import type { SchemaBody } from './schema-bodies.ts';
import { configInScope } from './scopes.ts';
import { namedSubject, versionsToCompare } from './subject-queries.ts';

/** Which side reads the data of the other, in the order of the messages. */
const directions: Readonly<Record<CompatibilityLevel, readonly CompatibilityOptions['reader'][]>> = {
  NONE: [],
  BACKWARD: ['new'],
  BACKWARD_TRANSITIVE: ['new'],
  FORWARD: ['old'],
  FORWARD_TRANSITIVE: ['old'],
  FULL: ['old', 'new'],
  FULL_TRANSITIVE: ['old', 'new'],
};

/** The property of the metadata that lists names which a schema promises not to use. */
const reservedProperty = 'confluent:reserved';

/** What a message shows of the earlier schema. */
const oldSchemaCharsMax = 10 * 1024;

/** The messages about a schema that is not registered: compared with a version, or with those that the level names. */
export function checkMessages(
  context: DecisionContext,
  subject: string,
  wanted: number | 'latest' | undefined,
  body: SchemaBody,
  query: CompatibilityQuery,
): string[] {
  const { state, defaults } = context;
  const named = namedSubject(state, subject);
  const live = state.versions(named).filter(({ isDeleted }) => !isDeleted);
  const compared = versionsToCompare(live, wanted);
  if (body.text === undefined) throw refusals.emptySchema();
  const config = configInScope(state, defaults, named);
  const normalize = query.normalize === true || config.normalize === true;
  const schema = canonicalSchema(context, named, { ...body, text: body.text }, normalize);
  return incompatibilityMessages(context, config, schema, compared);
}

/**
 * Compares a schema with earlier versions, which are in order: with the last one, or with all of them, the newest
 * first, if the level is transitive. Returns the messages about the first version that is not compatible.
 */
export function incompatibilityMessages(
  context: DecisionContext,
  config: ConfigAnswer,
  schema: CandidateSchema,
  earlier: readonly SubjectVersion[],
): string[] {
  const level = config.compatibilityLevel ?? 'BACKWARD';
  if (directions[level].length === 0) return [];
  const { state, progress } = context;
  const { compatibilityGroup: group, compatibilityPolicy: policy, validateFields = false } = config;
  const comparison = JSON.stringify([level, policy, group, validateFields, schema.type]);
  for (const version of earlier.toReversed()) {
    const row = state.rowOfVersion(version);
    // What a reference leads to may change before the decision begins anew.
    const isFixed = row.isPlain && schema.references === undefined;
    const step = isFixed ? `compare ${rowKey(row)} ${printKey(schema)} ${comparison}` : undefined;
    if (step !== undefined && progress.isDone(step)) continue;
    if (group === undefined || isSameGroup(context, group, schema, version)) {
      const messages = messagesAbout(context, level, config, schema, version);
      if (messages.length > 0)
        return [...messages, `{validateFields: '${validateFields}', compatibility: '${level}'}`];
      if (!level.endsWith('_TRANSITIVE')) return [];
    }
    progress.endStep(step);
  }
  return [];
}

function messagesAbout(
  context: DecisionContext,
  level: CompatibilityLevel,
  config: ConfigAnswer,
  schema: CandidateSchema,
  version: SubjectVersion,
): string[] {
  const { state, work } = context;
  const row = state.rowOfVersion(version);
  const earlier = state.schema(row);
  if (earlier.type !== schema.type) return ['Incompatible because of different schema type'];
  const source = storedSource(context, row);
  const policy = config.compatibilityPolicy === 'LENIENT' ? 'LENIENT' : 'STRICT';
  const reserved = config.validateFields === true ? reservedNames(schema, earlier) : undefined;
  const messages = withValidSchema(schema.type, () =>
    directions[level].flatMap((reader, index) => {
      const [read, written] = reader === 'new' ? [schema.source, source] : [source, schema.source];
      // They are the same in both directions, and reported once.
      const options: CompatibilityOptions = { reader, policy, ...(index === 0 ? { reserved } : {}) };
      return work.incompatibilities(schema.type, read, written, options).map(({ message }) => message);
    }),
  );
  if (messages.length === 0) return [];
  const { text } = earlier;
  const oldSchema =
    text.length <= oldSchemaCharsMax ? `'${text}'` : `<truncated> '${text.slice(0, oldSchemaCharsMax)}...'`;
  return [...messages, `{oldSchemaVersion: ${version.version}}`, `{oldSchema: ${oldSchema}}`];
}

/** The names that both schemas reserve, unless neither reserves any. */
function reservedNames(schema: StoredSchema, earlier: StoredSchema): ReservedNames | undefined {
  const names = ({ metadata }: StoredSchema) =>
    (propertyOf(metadata, reservedProperty) ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  const reserved = { new: names(schema), old: names(earlier) };
  return reserved.new.length === 0 && reserved.old.length === 0 ? undefined : reserved;
}

/** Whether both have the same value of the property that a config names; having none is a value too. */
function isSameGroup(
  { state }: DecisionContext,
  property: string,
  schema: CandidateSchema,
  version: SubjectVersion,
): boolean {
  const earlier = state.schema(state.rowOfVersion(version));
  return propertyOf(schema.metadata, property) === propertyOf(earlier.metadata, property);
}

function propertyOf(metadata: Metadata | undefined, name: string): string | undefined {
  const { properties } = metadata ?? {};
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
