import { type Client, catalogue } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { checkChanges } from '@weir/controlplane/registry-changes';
import { release, systemClock } from '@weir/core';
import { loadSchemaFormats, parseSubject, RegistryService, RegistryState } from '@weir/registry';
import type { ActualRegistry } from '../actual.ts';
import type { DesiredRegistry } from '../desired.ts';
import { subjectOfReference } from '../document/schema-order.ts';
import {
  checkParts,
  isOuter,
  type RegistryChange,
  type RegistryItem,
  type RegistryOutcome,
  registryItems,
} from '../plan/registry-checks.ts';

type Check = (changes: readonly RegistryChange[]) => Promise<readonly RegistryOutcome[]>;

/** Asks what the changes of a registry would lead to. Nothing is changed. */
export async function readRegistry(
  client: Client,
  desired: DesiredRegistry,
  target: { readonly virtual_cluster_id: string },
  { isPruning }: { readonly isPruning: boolean },
): Promise<ActualRegistry> {
  const check: Check = async (changes) =>
    (await client.call('check_registry_changes', { ...target, changes: [...changes] })).outcomes;
  const checked = await checkedItems(desired, check);
  if (!isPruning || desired.subjects === undefined) return checked;
  const others = await leftOut(client, desired, target);
  return { ...checked, ...(await checkedDeletions(others, registryItems(desired), check)) };
}

/** The same for the registry of a cluster that does not exist yet: it will be empty. */
export async function checkNewRegistry(desired: DesiredRegistry): Promise<ActualRegistry> {
  const service = new RegistryService({
    store: {
      state: new RegistryState(),
      async refresh() {},
      write: () => Promise.reject(new Error('the registry of a plan is not written')),
    },
    formats: await loadSchemaFormats(),
    clock: systemClock,
    clusterId: '',
    release,
  });
  try {
    // As the API reads a call, with its defaults.
    const { changes: input } = catalogue.check_registry_changes.input.shape;
    return await checkedItems(
      desired,
      async (changes) => (await checkChanges(service, input.parse(changes))).outcomes,
    );
  } finally {
    await service.end();
  }
}

async function checkedItems(desired: DesiredRegistry, check: Check): Promise<ActualRegistry> {
  const items = registryItems(desired);
  const parts = checkParts(items);
  if (parts === undefined) return { checks: [], deletions: [], kept: [], isTooLarge: true };
  const outcomes = new Map<RegistryItem, RegistryOutcome>();
  for (const part of parts) {
    const found = await check(part.map(({ change }) => change));
    for (const [index, item] of part.entries()) outcomes.set(item, found[index]!);
  }
  const checks = items.map((item) => ({ item, outcome: outcomes.get(item)! }));
  return { checks, deletions: [], kept: [], isTooLarge: false };
}

/**
 * Subjects that the documents leave out, of the contexts that they mention: a pipeline that links schemas may own those
 * of others.
 */
async function leftOut(
  client: Client,
  { contexts = [], subjects = [] }: DesiredRegistry,
  target: { readonly virtual_cluster_id: string },
): Promise<{ readonly subject: string; readonly isReferredTo: boolean }[]> {
  const mentioned = new Set([
    '.',
    ...contexts.map(({ scope }) => parseSubject(scope ?? '').context),
    ...subjects.map(({ name }) => parseSubject(name).context),
  ]);
  const wanted = new Set(subjects.map(({ name }) => name));
  const referredTo = new Set(
    subjects.flatMap(({ name, schemas }) =>
      schemas.flatMap(({ references }) => references.map(({ subject }) => subjectOfReference(name, subject))),
    ),
  );
  const found: { subject: string; isReferredTo: boolean }[] = [];
  let cursor: string | null = null;
  do {
    const page: { subjects: { subject: string }[]; next_cursor: string | null } = await client.call(
      'list_subjects',
      { ...target, limit: apiLimits.apiPageRowsMax, ...(cursor === null ? {} : { cursor }) },
    );
    for (const { subject } of page.subjects) {
      if (wanted.has(subject) || !mentioned.has(parseSubject(subject).context)) continue;
      found.push({ subject, isReferredTo: referredTo.has(subject) });
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

/** Orders deletions so that a subject goes after those that refer to it, and finds those that have to stay. */
async function checkedDeletions(
  others: readonly { readonly subject: string; readonly isReferredTo: boolean }[],
  items: readonly RegistryItem[],
  check: Check,
): Promise<Pick<ActualRegistry, 'deletions' | 'kept'>> {
  const deletions: string[] = [];
  const kept = others
    .filter(({ isReferredTo }) => isReferredTo)
    .map(({ subject }) => ({ subject, reason: 'is referenced by other schemas' }));
  // Settings of the registry may be what allows deletions.
  const before = items
    .filter((item) => item.kind === 'settings' && !item.isLate && isOuter(item.settings.scope))
    .map(({ change }) => change);
  const candidates = others.filter(({ isReferredTo }) => !isReferredTo).map(({ subject }) => subject);
  const size = Math.max(1, deletionsPerCheck - before.length);
  for (let start = 0; start < candidates.length; start += size) {
    const accepted: string[] = [];
    let rest = candidates.slice(start, start + size);
    while (rest.length > 0) {
      const asked = [...accepted, ...rest];
      const changes = asked.map((subject): RegistryChange => ({ subject, delete: true }));
      const outcomes = (await check([...before, ...changes])).slice(before.length + accepted.length);
      const fits = rest.filter((_, index) => isAccepted(outcomes[index]!));
      const refused = rest.flatMap((subject, index) => {
        const outcome = outcomes[index]!;
        return isAccepted(outcome) ? [] : [{ subject, outcome }];
      });
      accepted.push(...fits);
      rest = refused.map(({ subject }) => subject);
      if (fits.length > 0 && rest.length > 0) continue;
      for (const { subject, outcome } of refused) kept.push({ subject, reason: keeperOf(outcome) });
      break;
    }
    deletions.push(...accepted);
  }
  return { deletions, kept };
}

const deletionsPerCheck = 400;

/** Subjects in other modes are copied from another registry, or are not to be changed. */
function isAccepted({ problem, mode }: RegistryOutcome): boolean {
  return problem === null && mode === 'READWRITE';
}

function keeperOf({ mode }: RegistryOutcome): string {
  return mode === 'READWRITE' ? 'is referenced by other schemas' : `has mode ${mode}`;
}
