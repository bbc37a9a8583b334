import type { OwnerPort } from '../cluster/owner-port.ts';
import type { TopicReference } from '../cluster/port.ts';
import type { Method } from './methods.ts';
import { list, object, optional, text, tuple } from './shape.ts';

/** The calls of those who own the cluster. */
export const ownerMethods = {
  listAgents: { again: 'repeated', deadlineMs: 30_000, args: tuple() },
  listDeletedTopics: { again: 'repeated', deadlineMs: 30_000, args: tuple() },
  restoreTopics: { again: 'once', deadlineMs: 30_000, args: tuple(list(text)) },
  removeTopics: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(object<TopicReference>({ topicId: optional(text), name: optional(text) }))),
  },
} as const satisfies { readonly [M in keyof OwnerPort]: Method<Parameters<OwnerPort[M]>> };
