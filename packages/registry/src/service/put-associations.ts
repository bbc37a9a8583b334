import { createHash } from 'node:crypto';
import { registryLimits } from '../limits.ts';
import type { AssociationAnswer, AssociationLifecycle, AssociationsAnswer } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import { fingerprint, guidText } from '../state/guid.ts';
import { contextOfPath, parseSubject, referencedSubject, subjectIn } from '../state/qualified-subject.ts';
import { entryKeys, put } from '../state/registry-entries.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { answerOf } from './answer-parts.ts';
import {
  type AssociationsBody,
  defaultSubjectOf,
  invalidAssociation,
  notFrozenSo,
  type WantedAssociation,
  withDefaults,
} from './association-bodies.ts';
import { associationsOf } from './associations-of-resource.ts';
import type { DecisionContext } from './decision-context.ts';
import { findVersion } from './look-up.ts';
import { refusals } from './refusals.ts';
import { register } from './register.ts';
import type { ChangeAssociationsQuery } from './registry-queries.ts';
import { checkWritable, isSubject, modeInScope } from './scopes.ts';
import { namedSubject } from './subject-queries.ts';

/** An association that a request may have, and the one that it is about. */
interface Decided {
  readonly wanted: WantedAssociation;
  readonly existing: AssociationAnswer | undefined;
  readonly subject: string;
  readonly lifecycle: AssociationLifecycle;
  readonly frozen: boolean;
  /** It is there as the request wants it. */
  readonly isSame: boolean;
}

/**
 * Creates associations of a resource with subjects and registers the schemas that come with them. With `UPSERT` they
 * may exist: a strong one gets the schema as a new version. All are checked before `apply` gets the first change.
 */
export function putAssociations(
  context: DecisionContext,
  type: 'CREATE' | 'UPSERT',
  body: AssociationsBody,
  query: ChangeAssociationsQuery,
  apply: (changes: readonly RegistryChange[]) => void,
): AssociationsAnswer['associations'] {
  const stored = associationsOf(context.state, body);
  const decided = body.associations.map((wanted) => {
    const existing = stored.find(({ associationType }) => associationType === wanted.associationType);
    return existing === undefined
      ? decideNew(context, type, body, wanted, query)
      : decideExisting(context, type, body, wanted, existing, query);
  });
  checkUniform(stored, decided);
  for (const one of decided) checkSubjectOf(context.state, context, decided, one);
  return decided.flatMap((one) => store(context, body, one, apply));
}

function decideNew(
  context: DecisionContext,
  type: 'CREATE' | 'UPSERT',
  body: AssociationsBody,
  given: WantedAssociation,
  query: ChangeAssociationsQuery,
): Decided {
  if (type === 'UPSERT' && given.schema !== undefined)
    throw invalidAssociation(
      'schema',
      'cannot be provided when adding an association to an existing topic; create it with the topic',
    );
  const wanted = withDefaults(given);
  const { lifecycle, frozen, schema, associationType } = wanted;
  const defaultSubject = defaultSubjectOf(body, associationType);
  const subject = subjectOf(context, wanted.subject ?? defaultSubject, query);
  if (lifecycle === 'WEAK' && subject === defaultSubject)
    throw invalidAssociation('subject', `WEAK associations cannot use subject '${defaultSubject}'`);
  if (frozen && subject !== defaultSubject)
    throw invalidAssociation('subject', `frozen associations must use subject '${defaultSubject}'`);
  if (lifecycle === 'STRONG' && modeInScope(context.state, context.defaults, subject) !== 'IMPORT') {
    if (type === 'UPSERT')
      throw invalidAssociation(
        'lifecycle',
        'cannot be STRONG when creating an association; STRONG associations must be created with the topic',
      );
    if (schema === undefined)
      throw invalidAssociation('schema', 'schema must be provided when creating a frozen association');
    const latest = context.state.latest(subject);
    if (latest !== undefined && (latest.version !== 1 || !isRegistered(context, subject, wanted)))
      throw invalidAssociation(
        'frozen',
        'cannot create a frozen association when schemas already exist in the subject',
      );
  }
  return { wanted, existing: undefined, subject, lifecycle, frozen, isSame: false };
}

function decideExisting(
  context: DecisionContext,
  type: 'CREATE' | 'UPSERT',
  body: AssociationsBody,
  wanted: WantedAssociation,
  existing: AssociationAnswer,
  query: ChangeAssociationsQuery,
): Decided {
  const { associationType } = existing;
  const subject = subjectOf(context, wanted.subject ?? existing.subject, query);
  const { lifecycle = existing.lifecycle, frozen = existing.frozen } = wanted;
  if (lifecycle === 'WEAK' && wanted.schema !== undefined)
    throw invalidAssociation('lifecycle', 'cannot be WEAK when schema is provided');
  const defaultSubject = defaultSubjectOf(body, associationType);
  if (lifecycle === 'WEAK' && subject === defaultSubject)
    throw invalidAssociation('subject', `WEAK associations cannot use subject '${defaultSubject}'`);
  if (frozen !== (lifecycle === 'STRONG')) throw notFrozenSo(lifecycle, frozen);
  const isSame =
    subject === existing.subject && lifecycle === existing.lifecycle && frozen === existing.frozen;
  const isTaken =
    type === 'CREATE' &&
    (!isSame || (wanted.schema !== undefined && !isRegistered(context, subject, wanted)));
  if (isTaken)
    throw new RegistryError(
      'associationForResourceExists',
      `An association of type '${associationType}' already exists for resource '${existing.resourceName}'`,
    );
  if (!isSame) {
    if (wanted.lifecycle === undefined && wanted.schema === undefined)
      throw invalidAssociation('lifecycle', 'at least lifecycle or schema must be provided for update');
    if (subject !== existing.subject)
      throw invalidAssociation(
        'subject',
        `subject of association cannot be changed from '${existing.subject}' to '${subject}'`,
      );
    if (frozen !== existing.frozen)
      throw invalidAssociation('frozen', 'frozen attribute of association cannot be changed');
  }
  return { wanted, existing, subject, lifecycle, frozen, isSame };
}

/** The subject in the context of the request, or the one that it is an alias of. It takes the right to write it. */
function subjectOf(
  { state, defaults }: DecisionContext,
  given: string,
  query: ChangeAssociationsQuery,
): string {
  if (!isSubject(given)) throw invalidAssociation('subject', 'is not valid');
  const { context } = query;
  const isPlain = context === undefined || context === '';
  const subject = namedSubject(state, isPlain ? given : subjectIn(contextOfPath(context), given));
  if (query.isAllowed?.(subject) === false)
    throw new RegistryError('denied', `You do not have the right to write the subject '${subject}'.`);
  checkWritable(state, defaults, subject);
  return subject;
}

function isRegistered(
  context: DecisionContext,
  subject: string,
  { schema, normalize }: WantedAssociation,
): boolean {
  if (schema?.text === undefined) return false;
  const options = { normalize, isDeletedFound: false };
  return findVersion(context, subject, { ...schema, text: schema.text }, options) !== undefined;
}

/** A topic is either the owner of its schemas, or shares them. */
function checkUniform(stored: readonly AssociationAnswer[], decided: readonly Decided[]): void {
  const lifecycles = new Map(stored.map(({ associationType, lifecycle }) => [associationType, lifecycle]));
  for (const { wanted, lifecycle } of decided) lifecycles.set(wanted.associationType, lifecycle);
  if (new Set(lifecycles.values()).size <= 1) return;
  const got = [...lifecycles].map(([type, lifecycle]) => `${type}=${lifecycle}`).join(', ');
  throw invalidAssociation(
    'lifecycle',
    `all associations for a resource must have the same lifecycle, but got ${got}`,
  );
}

function checkSubjectOf(
  state: RegistryState,
  { defaults }: DecisionContext,
  decided: readonly Decided[],
  { wanted, existing, subject, lifecycle }: Decided,
): void {
  // The versions of such a subject arrive on their own; the schema would be dropped.
  if (wanted.schema !== undefined && modeInScope(state, defaults, subject) === 'IMPORT')
    throw invalidAssociation('schema', `cannot be provided while subject '${subject}' is in IMPORT mode`);
  if (wanted.schema === undefined && state.latest(subject) === undefined)
    throw refusals.noActiveVersion(subject);
  const others = [...state.associations().values()].filter(
    (one) => one.subject === subject && one !== existing,
  );
  if (lifecycle === 'STRONG') {
    if (others.length > 0) throw refusals.associationForSubjectExists(subject);
    const referenced = state.versions(subject).find(({ version }) => isReferenced(state, subject, version));
    if (referenced !== undefined) throw refusals.referenceExists(subject, referenced.version);
    if (decided.some((other) => refersTo(other, subject))) throw refusals.referenceExists(subject, 1);
  }
  if (others.some((one) => one.lifecycle === 'STRONG'))
    throw new RegistryError(
      'strongAssociationForSubjectExists',
      `A strong association already exists for subject '${subject}'`,
    );
}

function isReferenced(state: RegistryState, subject: string, version: number): boolean {
  return state.referrers(subject, version).length > 0;
}

function refersTo({ wanted, subject: referrer }: Decided, subject: string): boolean {
  const { context } = parseSubject(referrer);
  return (wanted.schema?.references ?? []).some(
    (reference) => referencedSubject(context, reference.subject) === subject,
  );
}

function store(
  context: DecisionContext,
  { resourceName, resourceNamespace, resourceId = '', resourceType }: AssociationsBody,
  { wanted, existing, subject, lifecycle, frozen, isSame }: Decided,
  apply: (changes: readonly RegistryChange[]) => void,
): AssociationsAnswer['associations'] {
  const { state, nowMs } = context;
  const { associationType, schema, normalize } = wanted;
  const registered =
    schema === undefined ? undefined : register(context, subject, schema, { normalize, force: false });
  apply(registered?.changes ?? []);
  if (isSame) return [];
  const { associationsMax } = registryLimits;
  if (existing === undefined && state.associations().size >= associationsMax)
    throw new RegistryError(
      'tooManyAssociations',
      `A maximum of ${associationsMax} associations already exist`,
    );
  const key = entryKeys.association({ associationType, resourceType, resourceId });
  const made: AssociationAnswer = {
    subject,
    guid: guidText(createHash('md5').update(`${key}/${nowMs}`).digest()),
    resourceName,
    resourceNamespace,
    resourceId,
    resourceType,
    associationType,
    createTs: nowMs,
    ...existing,
    lifecycle,
    frozen,
    updateTs: nowMs,
  };
  apply([put('association', key, made)]);
  if (registered === undefined) return [{ subject, associationType, lifecycle, frozen }];
  const { version, schema: stored } = registered;
  const answer = answerOf(stored, guidText(fingerprint(stored)));
  return [
    {
      subject,
      associationType,
      lifecycle,
      frozen,
      schema: { subject, version: version.version, id: version.id, ...answer },
    },
  ];
}
