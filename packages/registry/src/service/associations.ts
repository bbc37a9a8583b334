import type { AssociationAnswer, AssociationsAnswer, SubjectVersionAnswer } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import { entryKeys, remove } from '../state/registry-entries.ts';
import type { RegistryState } from '../state/registry-state.ts';
import { StateBefore } from '../state/state-before.ts';
import { page, versionAnswer } from './answer-parts.ts';
import {
  type AssociationOp,
  type AssociationOps,
  type AssociationsBody,
  type AssociationsSought,
  invalidAssociation,
  type WantedAssociation,
} from './association-bodies.ts';
import { associationsOf } from './associations-of-resource.ts';
import type { DecisionContext } from './decision-context.ts';
import { deleteSubject } from './delete.ts';
import { putAssociations } from './put-associations.ts';
import type {
  ChangeAssociationsQuery,
  DeleteAssociationsQuery,
  GuardedQuery,
  ListAssociationsQuery,
  MutateAssociationsQuery,
  SoughtAssociationsQuery,
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
export function changeAssociations(
  context: DecisionContext,
  type: 'CREATE' | 'UPSERT',
  body: AssociationsBody,
  query: ChangeAssociationsQuery,
): { readonly changes: readonly RegistryChange[]; readonly reply: AssociationsAnswer } {
  const { result, changes } = takenBack(context.state, (apply) =>
    putAssociations(context, type, body, query, apply),
  );
  const { associations: _, ...resource } = body;
  const isDryRun = query.dryRun === true;
  return {
    changes: isDryRun ? [] : changes,
    reply: { ...resource, associations: isDryRun ? [] : result },
  };
}

/** Decides on one request of a batch: all of its changes, or none. The answer has all associations of the resource. */
export function mutateAssociations(
  context: DecisionContext,
  { ops, ...resource }: AssociationOps,
  query: MutateAssociationsQuery,
): { readonly changes: readonly RegistryChange[]; readonly reply: AssociationsAnswer } {
  const { state } = context;
  const isDryRun = query.dryRun === true;
  const { result, changes } = takenBack(state, (apply) => {
    const made = runsOf(ops).flatMap((run) => {
      if (run.type !== 'DELETE')
        return putAssociations(context, run.type, { ...resource, associations: run.wanted }, query, apply);
      const found = associationsOf(state, resource).filter(
        ({ associationType }) => associationType === run.associationType,
      );
      removeAssociations(context, found, run.cascadeLifecycle, query.isDeletable, apply);
      return [];
    });
    if (isDryRun) return [];
    return associationsOf(state, resource)
      .filter(({ subject }) => query.isAllowed?.(subject) !== false)
      .map(({ subject, associationType, lifecycle, frozen }) => ({
        subject,
        associationType,
        lifecycle,
        frozen,
        ...schemaOf(made.find((one) => one.associationType === associationType)?.schema),
      }));
  });
  return { changes: isDryRun ? [] : changes, reply: { ...resource, associations: result } };
}

type Run =
  | { readonly type: 'CREATE' | 'UPSERT'; readonly wanted: readonly WantedAssociation[] }
  | Extract<AssociationOp, { readonly type: 'DELETE' }>;

/** Neighbours that put associations are one change, so that the rules see all types of the resource at once. */
function runsOf(ops: readonly AssociationOp[]): Run[] {
  const runs: Run[] = [];
  for (const op of ops) {
    const last = runs.at(-1);
    if (op.type === 'DELETE') runs.push(op);
    else if (last?.type === op.type) runs.splice(-1, 1, { ...last, wanted: [...last.wanted, op.wanted] });
    else runs.push({ type: op.type, wanted: [op.wanted] });
  }
  return runs;
}

/** The associations of one request of a batch, with the newest schemas of their subjects if asked for. */
export function soughtAssociations(
  { state }: DecisionContext,
  sought: AssociationsSought,
  { includeSchemas, isAllowed }: SoughtAssociationsQuery,
): AssociationsAnswer {
  const { resourceId, resourceName = '', resourceNamespace = '', ...filters } = sought;
  const scope = resourceId === undefined ? { resourceName, resourceNamespace } : { resourceId };
  const list = found(state, scope, { ...filters, isAllowed });
  const first = list[0];
  if (list.some((one) => one.resourceId !== first?.resourceId))
    throw invalidAssociation('resourceName', 'several resources have it; name the resourceId');
  return {
    resourceName: first?.resourceName ?? resourceName,
    resourceNamespace: first?.resourceNamespace ?? resourceNamespace,
    resourceId: resourceId ?? first?.resourceId,
    resourceType: sought.resourceType,
    associations: list.map(({ subject, associationType, lifecycle, frozen }) => {
      const latest = includeSchemas === true ? state.latest(subject) : undefined;
      const schema = latest === undefined ? undefined : versionAnswer(state, latest);
      return { subject, associationType, lifecycle, frozen, ...schemaOf(schema) };
    }),
  };
}

function schemaOf(schema: SubjectVersionAnswer | undefined) {
  return schema === undefined ? {} : { schema };
}

/** Decides on the deletion of a resource's associations; with `cascadeLifecycle` strong ones take their subjects. */
export function deleteAssociations(
  context: DecisionContext,
  resourceId: string,
  query: DeleteAssociationsQuery,
): { readonly changes: readonly RegistryChange[]; readonly reply: undefined } {
  const { state } = context;
  const { isAllowed, ...wanted } = query;
  const resourceType = query.resourceType || 'topic';
  const deleted = found(state, { resourceId }, { ...wanted, resourceType });
  if (deleted.length === 0)
    throw new RegistryError('associationNotFound', `Association for '${resourceId}' not found.`);
  const { changes } = takenBack(state, (apply) =>
    removeAssociations(context, deleted, query.cascadeLifecycle === true, isAllowed, apply),
  );
  return { changes: query.dryRun === true ? [] : changes, reply: undefined };
}

function removeAssociations(
  context: DecisionContext,
  deleted: readonly AssociationAnswer[],
  isCascade: boolean,
  isAllowed: GuardedQuery['isAllowed'],
  apply: (changes: readonly RegistryChange[]) => void,
): void {
  const { state, defaults } = context;
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
  for (const one of deleted) {
    apply([remove(entryKeys.association(one))]);
    const isImported = modeInScope(state, defaults, one.subject) === 'IMPORT';
    if (!isCascade || isImported || one.lifecycle !== 'STRONG') continue;
    if (state.latest(one.subject) !== undefined) apply(deleteSubject(context, one.subject, false).changes);
    if (state.versions(one.subject).length > 0) apply(deleteSubject(context, one.subject, true).changes);
  }
}

/** Runs what applies changes one after the other, each of which sees those before it, and takes them back. */
function takenBack<Result>(
  state: RegistryState,
  run: (apply: (changes: readonly RegistryChange[]) => void) => Result,
): { readonly result: Result; readonly changes: readonly RegistryChange[] } {
  const before = new StateBefore(state);
  const changes: RegistryChange[] = [];
  try {
    const result = run((made) => {
      before.apply(made);
      changes.push(...made);
    });
    return { result, changes };
  } finally {
    before.restore();
  }
}
