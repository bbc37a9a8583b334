import type { CompatibilityLevel, ConfigAnswer, Metadata } from '../registry-answers.ts';
import type { CompatibilityOptions } from '../schema-format.ts';
import type { StoredSchema } from '../state/registry-entries.ts';
import type { SubjectVersion } from '../state/registry-state.ts';
import { type CandidateSchema, canonicalSchema, printKey, rowKey, storedSource } from './candidate-schema.ts';
import type { DecisionContext } from './decision-context.ts';
import { refusals, withValidSchema } from './refusals.ts';
import type { CompatibilityQuery } from './registry-queries.ts';
import type { SchemaBody } from './schema-bodies.ts';
import { configInScope, validatesNew } from './scopes.ts';
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
  const schema = canonicalSchema(
    context,
    named,
    { ...body, text: body.text },
    { normalize, isNew: validatesNew(config), validatesFields: config.validateFields === true },
  );
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
  const { compatibilityLevel: level = 'BACKWARD', validateFields = false } = config;
  const messages = [
    ...(validateFields ? reservedMessages(context, schema, earlier.at(-1)) : []),
    ...differenceMessages(context, config, level, schema, earlier),
  ];
  if (messages.length === 0) return [];
  return [...messages, `{validateFields: '${validateFields}', compatibility: '${level}'}`];
}

/**
 * What is wrong with the names that the metadata reserves: one that the last version reserved is not any more, or the
 * schema uses one at its top. No level excuses it, and a first version is checked too.
 */
function reservedMessages(
  { state, work }: DecisionContext,
  schema: CandidateSchema,
  last: SubjectVersion | undefined,
): string[] {
  const reserved = reservedNames(schema);
  const before = last === undefined ? [] : reservedNames(state.schema(state.rowOfVersion(last)));
  const kept = new Set(reserved);
  const used = withValidSchema(schema.type, () =>
    reserved.length === 0 ? [] : work.usedNames(schema.type, schema.source, reserved),
  );
  return [
    ...before
      .filter((name) => !kept.has(name))
      .map(
        (name) =>
          `The new schema has reserved field ${name} removed from its metadata which is present in the old schema's metadata.`,
      ),
    ...used.map((name) => `The new schema has field that conflicts with the reserved field ${name}.`),
  ];
}

function differenceMessages(
  context: DecisionContext,
  config: ConfigAnswer,
  level: CompatibilityLevel,
  schema: CandidateSchema,
  earlier: readonly SubjectVersion[],
): string[] {
  if (directions[level].length === 0) return [];
  const { state, progress } = context;
  const { compatibilityGroup: group, compatibilityPolicy: policy } = config;
  const comparison = JSON.stringify([level, policy, group, schema.type]);
  for (const version of earlier.toReversed()) {
    const row = state.rowOfVersion(version);
    // What a reference leads to may change before the decision begins anew.
    const isFixed = row.isPlain && schema.references === undefined;
    const step = isFixed ? `compare ${rowKey(row)} ${printKey(schema)} ${comparison}` : undefined;
    if (step !== undefined && progress.isDone(step)) continue;
    if (group === undefined || isSameGroup(context, group, schema, version)) {
      const messages = messagesAbout(context, level, config, schema, version);
      if (messages.length > 0) return messages;
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
  const messages = withValidSchema(schema.type, () =>
    directions[level].flatMap((reader) => {
      const [read, written] = reader === 'new' ? [schema.source, source] : [source, schema.source];
      return work
        .incompatibilities(schema.type, read, written, { reader, policy })
        .map(({ message }) => message);
    }),
  );
  if (messages.length === 0) return [];
  const { text } = earlier;
  const oldSchema =
    text.length <= oldSchemaCharsMax ? `'${text}'` : `<truncated> '${text.slice(0, oldSchemaCharsMax)}...'`;
  return [...messages, `{oldSchemaVersion: ${version.version}}`, `{oldSchema: ${oldSchema}}`];
}

/** The names that the metadata of a schema reserves, each once. */
function reservedNames({ metadata }: StoredSchema): string[] {
  const names = (propertyOf(metadata, reservedProperty) ?? '').split(',').map((name) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
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
