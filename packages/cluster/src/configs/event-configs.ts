import { type EventTypeName, eventTypeNames } from '@weir/core';
import type { ConfigRow } from './config-row.ts';
import { bool, type ConfigType, long } from './config-type.ts';

type EventConfigName =
  | 'service.events.enabled'
  | `service.events.${EventTypeName}.enabled`
  | `service.events.${EventTypeName}.retention.nanos`;

interface EventRow<Value> extends ConfigRow {
  readonly type: ConfigType<Value>;
  readonly default: string;
}

type EventConfigs = {
  readonly [Name in EventConfigName]: EventRow<Name extends `${string}.enabled` ? boolean : number>;
};

/** Seven days. */
const defaultRetentionNanos = '604800000000000';

const rows: readonly (readonly [string, ConfigRow])[] = [
  [
    'service.events.enabled',
    { type: bool, default: 'false', group: 'events', doc: 'Whether the cluster records events.' },
  ],
  ...eventTypeNames.flatMap((type): [string, ConfigRow][] => [
    [
      `service.events.${type}.enabled`,
      {
        type: bool,
        default: 'true',
        group: 'events',
        doc: `Whether ${type} events are recorded; requires service.events.enabled.`,
      },
    ],
    [
      `service.events.${type}.retention.nanos`,
      {
        type: long({ min: 1 }),
        default: defaultRetentionNanos,
        group: 'events',
        doc: `Retention time of ${type} events, in nanoseconds.`,
      },
    ],
  ]),
];

/** Configs for recording events: whether, which, and for how long. Sorted by name, like all catalogues. */
export const eventConfigs = Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1))) as EventConfigs;
