import type { CompatibilityLevel, ConfigAnswer, Metadata } from '../registry-answers.ts';
import type { CompatibilityOptions } from '../schema-format.ts';
import type { SubjectVersion } from '../state/registry-state.ts';
import { type CandidateSchema, storedSource } from './candidate-schema.ts';
import type { DecisionContext } from './decision-context.ts';
import { withValidSchema } from './refusals.ts';

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

/** What a message shows of the earlier schema. */
const oldSchemaCharsMax = 10 * 1024;

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
  const newestFirst = earlier.toReversed();
  const comparable =
    config.compatibilityGroup === undefined
      ? newestFirst
      : newestFirst.filter((version) => isSameGroup(context, config.compatibilityGroup!, schema, version));
  const compared = level.endsWith('_TRANSITIVE') ? comparable : comparable.slice(0, 1);
  const comparison = `${Buffer.from(schema.print).toString('latin1')}${level}${config.compatibilityPolicy ?? ''}`;
  const { compatible } = context.work;
  for (const version of compared) {
    // The decision begins anew after each piece of work, so that it must not repeat itself. What a reference leads to
    // may have changed meanwhile.
    const row = context.state.rowOfVersion(version);
    const isFixed = row.isPlain && schema.references === undefined;
    const digest = `${row.print}${comparison}`;
    if (isFixed && compatible.get(row) === digest) continue;
    const messages = messagesAbout(context, level, config, schema, version);
    if (messages.length === 0) {
      if (isFixed) compatible.set(row, digest);
      continue;
    }
    const validateFields = config.validateFields ?? false;
    return [...messages, `{validateFields: '${validateFields}', compatibility: '${level}'}`];
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
    directions[level].flatMap((reader) =>
      work
        .incompatibilities(
          schema.type,
          reader === 'new' ? schema.source : source,
          reader === 'new' ? source : schema.source,
          { reader, policy },
        )
        .map(({ message }) => message),
    ),
  );
  if (messages.length === 0) return [];
  const { text } = earlier;
  const oldSchema =
    text.length <= oldSchemaCharsMax ? `'${text}'` : `<truncated> '${text.slice(0, oldSchemaCharsMax)}...'`;
  return [...messages, `{oldSchemaVersion: ${version.version}}`, `{oldSchema: ${oldSchema}}`];
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
