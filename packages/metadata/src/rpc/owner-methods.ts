import type { OwnerPort } from '../cluster/owner-port.ts';
import type { MutationOptions, TopicReference } from '../cluster/port.ts';
import { configsToAlter } from './admin-methods.ts';
import type { Method } from './methods.ts';
import { flag, list, object, optional, text, tuple } from './shape.ts';

/** The calls of those who own the cluster. */
export const ownerMethods = {
  listAgents: { again: 'repeated', deadlineMs: 30_000, args: tuple() },
  listClients: { membersOnly: true, again: 'repeated', deadlineMs: 30_000, args: tuple() },
  listDeletedTopics: { membersOnly: true, again: 'repeated', deadlineMs: 30_000, args: tuple() },
  restoreTopics: { membersOnly: true, again: 'once', deadlineMs: 30_000, args: tuple(list(text)) },
  removeTopics: {
    membersOnly: true,
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(object<TopicReference>({ topicId: optional(text), name: optional(text) }))),
  },
  replaceSecrets: { membersOnly: true, again: 'repeated', deadlineMs: 30_000, args: tuple() },
  alterOwnerConfigs: {
    membersOnly: true,
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(configsToAlter), object<MutationOptions>({ validateOnly: flag })),
  },
} as const satisfies { readonly [M in keyof OwnerPort]: Method<Parameters<OwnerPort[M]>> };
