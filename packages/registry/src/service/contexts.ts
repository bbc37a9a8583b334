import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import { contextScope, defaultContext, parseSubject } from '../state/qualified-subject.ts';
import { entryKeys, put } from '../state/registry-entries.ts';
import { page } from './answer-parts.ts';
import type { DecisionContext } from './decision-context.ts';
import type { ListContextsQuery } from './registry-queries.ts';

export function listContexts({ state }: DecisionContext, query: ListContextsQuery): string[] {
  const { contextPrefix = '' } = query;
  return page(
    state.contexts().filter((context) => context.startsWith(contextPrefix)),
    query,
  );
}

/** Decides on the deletion of a context, which has to be empty. Its ids are not given out again. */
export function deleteContext(
  { state }: DecisionContext,
  context: string,
): { readonly changes: readonly RegistryChange[]; readonly reply: undefined } {
  if (state.subjects().some((subject) => parseSubject(subject).context === context))
    throw new RegistryError(
      'contextNotEmpty',
      `The specified context '${contextScope(context)}' is not empty.`,
    );
  const isThere = context !== defaultContext && state.hasContext(context);
  const removed = { nextId: state.nextId(context), removed: true } as const;
  return {
    changes: isThere ? [put('context', entryKeys.context(context), removed)] : [],
    reply: undefined,
  };
}
