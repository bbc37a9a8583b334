import { createHash } from 'node:crypto';
import { registryLimits } from '../limits.ts';
import type { AssociationAnswer, AssociationsAnswer } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import { fingerprint, guidText } from '../state/guid.ts';
import { contextOfPath, subjectIn } from '../state/qualified-subject.ts';
import { entryKeys, put, remove } from '../state/registry-entries.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { StateBefore } from '../state/state-before.ts';
import { answerOf, page } from './answer-parts.ts';
import { type AssociationsBody, invalidAssociation, type WantedAssociation } from './association-bodies.ts';
import type { DecisionContext } from './decision-context.ts';
import { deleteSubject } from './delete.ts';
import { findVersion } from './look-up.ts';
import { refusals } from './refusals.ts';
import { register } from './register.ts';
import type {
  CreateAssociationsQuery,
  DeleteAssociationsQuery,
  ListAssociationsQuery,
} from './registry-queries.ts';
import { checkWritable, modeInScope } from './scopes.ts';
import { namedSubject } from './subject-queries.ts';

/** What a list of associations is about: a subject, the id of a resource, or its name in a namespace; `-` is any. */
export type AssociationScope =
  | { readonly subject: string }
  | { readonly resourceId: string }
  | { readonly resourceNamespace: string; readonly resourceName: string };

const anyName = '-';

export function listAssociations(
  { state }: DecisionContext,
  scope: AssociationScope,
  query: ListAssociationsQuery,
): AssociationAnswer[] {
  return page(found(state, scope, query), query);
}

function found(
  state: RegistryState,
  scope: AssociationScope,
  { resourceType, associationTypes = [], lifecycle, isAllowed }: ListAssociationsQuery,
): AssociationAnswer[] {
  const isInScope = inScope(state, scope);
  return [...state.associations().values()]
    .filter(isInScope)
    .filter((one) => !resourceType || one.resourceType === resourceType)
    .filter((one) => associationTypes.length === 0 || associationTypes.includes(one.associationType))
    .filter((one) => !lifecycle || one.lifecycle === lifecycle.toUpperCase())
    .filter((one) => isAllowed?.(one.subject) !== false)
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function inScope(state: RegistryState, scope: AssociationScope): (one: AssociationAnswer) => boolean {
  if ('resourceId' in scope) return ({ resourceId }) => resourceId === scope.resourceId;
  if ('subject' in scope) {
    const named = namedSubject(state, scope.subject);
    return ({ subject }) => subject === named;
  }
  return ({ resourceName, resourceNamespace }) =>
    [anyName, resourceName].includes(scope.resourceName) &&
    [anyName, resourceNamespace].includes(scope.resourceNamespace);
}

function orderOf({
  subject,
  resourceNamespace,
  resourceName,
  associationType,
  resourceId,
}: AssociationAnswer) {
  return JSON.stringify([subject, resourceNamespace, resourceName, associationType, resourceId]);
}

/** Decides on associations of a resource with subjects, and on the schemas that come with them: all, or none. */
export function createAssociations(
  context: DecisionContext,
  body: AssociationsBody,
  query: CreateAssociationsQuery,
): { readonly changes: readonly RegistryChange[]; readonly reply: AssociationsAnswer } {
  const { state } = context;
  const before = new StateBefore(state);
  const changes: RegistryChange[] = [];
  const apply = (made: readonly RegistryChange[]) => {
    before.apply(made);
    changes.push(...made);
  };
  const created: AssociationsAnswer['associations'][number][] = [];
  try {
    for (const wanted of body.associations) {
      const subject = subjectOf(state, wanted, query);
      const made = createOne(context, body, wanted, subject, apply);
      if (made !== undefined) created.push(made);
    }
  } finally {
    before.restore();
  }
  const { associations: _, ...resource } = body;
  const isDryRun = query.dryRun === true;
  return {
    changes: isDryRun ? [] : changes,
    reply: { ...resource, associations: isDryRun ? [] : created },
  };
}

/** The subject in the context of the request. The caller needs the right to write it. */
function subjectOf(state: RegistryState, wanted: WantedAssociation, query: CreateAssociationsQuery): string {
  const isPlain = query.context === undefined || query.context === '' || wanted.isDefaultSubject;
  const subject = namedSubject(
    state,
    isPlain ? wanted.subject : subjectIn(contextOfPath(query.context!), wanted.subject),
  );
  if (query.isAllowed?.(subject) === false)
    throw new RegistryError('denied', `You do not have the right to write the subject '${subject}'.`);
  return subject;
}

function createOne(
  context: DecisionContext,
  body: AssociationsBody,
  wanted: WantedAssociation,
  subject: string,
  apply: (changes: readonly RegistryChange[]) => void,
) {
  const { state, defaults, nowMs } = context;
  const { resourceName, resourceNamespace, resourceId = '', resourceType } = body;
  const { associationType, lifecycle, frozen, schema } = wanted;
  checkWritable(state, defaults, subject);
  const key = entryKeys.association({ associationType, resourceType, resourceId });
  const existing = state.associations().get(key.slice('association/'.length));
  const isRegistered = () => {
    if (schema?.text === undefined) return false;
    const options = { normalize: wanted.normalize, isDeletedFound: false };
    return findVersion(context, subject, { ...schema, text: schema.text }, options) !== undefined;
  };
  if (existing !== undefined) {
    const isSame =
      existing.subject === subject && existing.lifecycle === lifecycle && existing.frozen === frozen;
    if (isSame && (schema === undefined || isRegistered())) return undefined;
    throw new RegistryError(
      'associationForResourceExists',
      `An association of type '${associationType}' already exists for resource '${existing.resourceName}'`,
    );
  }
  const isImported = modeInScope(state, defaults, subject) === 'IMPORT';
  const latest = state.latest(subject);
  if (frozen && !isImported) {
    if (schema === undefined)
      throw invalidAssociation('schema', 'schema must be provided when creating a frozen association');
    if (latest !== undefined && (latest.version !== 1 || !isRegistered()))
      throw invalidAssociation(
        'frozen',
        'cannot create a frozen association when schemas already exist in the subject',
      );
  }
  if (schema === undefined && latest === undefined) throw refusals.noActiveVersion(subject);
  const others = [...state.associations().values()].filter((one) => one.subject === subject);
  if (lifecycle === 'STRONG' && others.length > 0) throw refusals.associationForSubjectExists(subject);
  if (others.some((one) => one.lifecycle === 'STRONG'))
    throw new RegistryError(
      'strongAssociationForSubjectExists',
      `A strong association already exists for subject '${subject}'`,
    );
  if (state.associations().size >= registryLimits.associationsMax)
    throw new RegistryError(
      'tooManyAssociations',
      `A maximum of ${registryLimits.associationsMax} associations already exist`,
    );
  const registered =
    schema === undefined || isImported
      ? undefined
      : register(context, subject, schema, { normalize: wanted.normalize, force: false });
  apply(registered?.changes ?? []);
  const guid = guidText(createHash('md5').update(`${key}/${nowMs}`).digest());
  const stored: AssociationAnswer = {
    subject,
    guid,
    resourceName,
    resourceNamespace,
    resourceId,
    resourceType,
    associationType,
    lifecycle,
    frozen,
    createTs: nowMs,
    updateTs: nowMs,
  };
  apply([put('association', key, stored)]);
  if (registered === undefined) return { subject, associationType, lifecycle, frozen };
  const { version, schema: made } = registered;
  return {
    subject,
    associationType,
    lifecycle,
    frozen,
    schema: {
      subject,
      version: version.version,
      id: version.id,
      ...answerOf(made, guidText(fingerprint(made))),
    },
  };
}

/** Decides on the deletion of a resource's associations; with `cascadeLifecycle` strong ones take their subjects. */
export function deleteAssociations(
  context: DecisionContext,
  resourceId: string,
  query: DeleteAssociationsQuery,
): { readonly changes: readonly RegistryChange[]; readonly reply: undefined } {
  const { state, defaults } = context;
  const { isAllowed, ...wanted } = query;
  const resourceType = query.resourceType || 'topic';
  const deleted = found(state, { resourceId }, { ...wanted, resourceType });
  if (deleted.length === 0)
    throw new RegistryError('associationNotFound', `Association for '${resourceId}' not found.`);
  const isCascade = query.cascadeLifecycle === true;
  for (const { subject, associationType, frozen } of deleted) {
    if (isAllowed?.(subject) === false)
      throw new RegistryError('denied', `You do not have the right to delete the subject '${subject}'.`);
    checkWritable(state, defaults, subject);
    if (frozen && !isCascade)
      throw new RegistryError(
        'associationFrozen',
        `The association of type '${associationType}' is frozen for subject '${subject}'`,
      );
  }
  const before = new StateBefore(state);
  const changes: RegistryChange[] = [];
  const apply = (made: readonly RegistryChange[]) => {
    before.apply(made);
    changes.push(...made);
  };
  try {
    for (const one of deleted) {
      apply([remove(entryKeys.association(one))]);
      const isImported = modeInScope(state, defaults, one.subject) === 'IMPORT';
      if (!isCascade || isImported || one.lifecycle !== 'STRONG') continue;
      if (state.latest(one.subject) !== undefined) apply(deleteSubject(context, one.subject, false).changes);
      if (state.versions(one.subject).length > 0) apply(deleteSubject(context, one.subject, true).changes);
    }
  } finally {
    before.restore();
  }
  return { changes: query.dryRun === true ? [] : changes, reply: undefined };
}
