import type { ConfigAnswer, Metadata, RuleSet } from '../registry-answers.ts';
import { fingerprint } from '../state/guid.ts';
import { mergeMetadata, mergeRuleSets } from '../state/metadata.ts';
import { parseSubject } from '../state/qualified-subject.ts';
import type { SchemaRow, SubjectVersion } from '../state/registry-state.ts';
import { type CandidateSchema, canonicalSchema, isLooseMatch, type SchemaInput } from './candidate-schema.ts';
import type { DecisionContext } from './decision-context.ts';
import { configInScope } from './scopes.ts';

interface LookUpOptions {
  readonly normalize: boolean;
  readonly isDeletedFound: boolean;
}

/** The version of a subject that has a schema, in every letter or nearly. */
export function findVersion(
  context: DecisionContext,
  subject: string,
  input: SchemaInput,
  { normalize, isDeletedFound }: LookUpOptions,
): SubjectVersion | undefined {
  const { state, defaults } = context;
  const find = (sought: SchemaInput) => {
    const asSent = normalize ? undefined : findAsSent(context, subject, sought, isDeletedFound);
    if (asSent !== undefined) return asSent;
    const schema = canonicalSchema(context, subject, sought, {
      normalize,
      isNew: false,
      validatesFields: false,
    });
    return (
      findExact(context, subject, schema, isDeletedFound) ??
      findLoosely(context, subject, schema, isDeletedFound)
    );
  };
  const found = find(input);
  const latest = state.latest(subject);
  if (found !== undefined || latest === undefined) return found;
  // A registration would add what the config and the latest version say.
  const { metadata, ruleSet } = mergedDetails(
    configInScope(state, defaults, subject),
    input,
    state.schema(state.rowOfVersion(latest)),
  );
  if (metadata === input.metadata && ruleSet === input.ruleSet) return undefined;
  return find({ ...input, metadata, ruleSet });
}

/**
 * The newest version with exactly this text. Stored texts are canonical, and most clients send them in that form, so
 * that nothing has to be parsed for them.
 */
function findAsSent(
  context: DecisionContext,
  subject: string,
  { text, type, references, metadata, ruleSet }: SchemaInput,
  isDeletedFound: boolean,
): SubjectVersion | undefined {
  if (references.length > 0) return undefined;
  const print = fingerprint({ text, metadata, ruleSet });
  return findExact(context, subject, { print, type }, isDeletedFound);
}

/** The newest version with exactly this schema. */
export function findExact(
  context: DecisionContext,
  subject: string,
  schema: Pick<CandidateSchema, 'print' | 'type'>,
  isDeletedFound: boolean,
): SubjectVersion | undefined {
  const ids = new Set(sameSchemas(context, subject, schema).map(({ id }) => id));
  if (ids.size === 0) return undefined;
  // A subject has few versions; a schema as simple as "string" may be that of very many subjects.
  return context.state
    .versions(subject)
    .findLast(({ id, isDeleted }) => ids.has(id) && (isDeletedFound || !isDeleted));
}

function findLoosely(
  context: DecisionContext,
  subject: string,
  schema: CandidateSchema,
  isDeletedFound: boolean,
): SubjectVersion | undefined {
  return context.state
    .versions(subject)
    .findLast((version) => (isDeletedFound || !version.isDeleted) && isLooseMatch(context, schema, version));
}

/** The schemas of a subject's context that are the same, in the order of their ids. Texts of two types may be equal. */
export function sameSchemas(
  { state }: DecisionContext,
  subject: string,
  { print, type }: Pick<CandidateSchema, 'print' | 'type'>,
): SchemaRow[] {
  const { context } = parseSubject(subject);
  return state.rowsIn(context, print).filter((row) => row.type === type);
}

/** The metadata and rules with which a schema is registered: its own or the latest version's, and the config's. */
export function mergedDetails(
  config: ConfigAnswer,
  own: { readonly metadata: Metadata | undefined; readonly ruleSet: RuleSet | undefined },
  latest: { readonly metadata?: Metadata | undefined; readonly ruleSet?: RuleSet | undefined } | undefined,
): { readonly metadata: Metadata | undefined; readonly ruleSet: RuleSet | undefined } {
  return {
    metadata: mergeMetadata(
      mergeMetadata(config.defaultMetadata, own.metadata ?? latest?.metadata),
      config.overrideMetadata,
    ),
    ruleSet: mergeRuleSets(
      mergeRuleSets(config.defaultRuleSet, own.ruleSet ?? latest?.ruleSet),
      config.overrideRuleSet,
    ),
  };
}
