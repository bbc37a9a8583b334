import {
  type AdminPort,
  type ConfigChange,
  type ConfigsToAlter,
  configOperations,
  configResourceKinds,
  type RecordsToDelete,
  type StoredConfigResource,
  storedConfigKinds,
} from '../cluster/admin-port.ts';
import type { MutationOptions } from '../cluster/port.ts';
import type { Method } from './methods.ts';
import { flag, list, nullable, number, object, oneOf, text, tuple, whole } from './shape.ts';

export const configsToAlter = object<ConfigsToAlter>({
  kind: oneOf(...configResourceKinds),
  name: text,
  replacesAll: flag,
  changes: list(
    object<ConfigChange>({ name: text, operation: oneOf(...configOperations), value: nullable(text) }),
  ),
});

/** The calls of administrators. */
export const adminMethods = {
  alterConfigs: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(configsToAlter), object<MutationOptions>({ validateOnly: flag })),
  },
  describeConfigs: {
    again: 'repeated',
    deadlineMs: 30_000,
    args: tuple(list(object<StoredConfigResource>({ kind: oneOf(...storedConfigKinds), name: text }))),
  },
  listConfigResources: { again: 'repeated', deadlineMs: 30_000, args: tuple(oneOf(...storedConfigKinds)) },
  deleteRecords: {
    again: 'once',
    deadlineMs: 30_000,
    args: tuple(list(object<RecordsToDelete>({ topicId: text, partition: whole, offset: number }))),
  },
  logSizes: { again: 'repeated', deadlineMs: 30_000, args: tuple(list(text)) },
  countFiles: { again: 'repeated', deadlineMs: 30_000, args: tuple() },
  describeJournal: { again: 'repeated', deadlineMs: 30_000, args: tuple() },
} as const satisfies { readonly [M in keyof AdminPort]: Method<Parameters<AdminPort[M]>> };
