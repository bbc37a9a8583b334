import type { ConfigRow } from './config-row.ts';
import { bool, type ConfigType, long } from './config-type.ts';

/** The types of events that a cluster can record. */
export const eventTypes = [
  'acl_logs',
  'agent_logs',
  'cluster_metrics',
  'diagnostics_logs',
  'orbit_logs',
  'pipeline_logs',
  'tableflow_logs',
] as const;

export type EventType = (typeof eventTypes)[number];

type EventConfigName =
  | 'service.events.enabled'
  | `service.events.${EventType}.enabled`
  | `service.events.${EventType}.retention.nanos`;

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
    { type: bool, default: 'false', doc: 'Whether the cluster records events.', withoutEffect: true },
  ],
  ...eventTypes.flatMap((type): [string, ConfigRow][] => [
    [
      `service.events.${type}.enabled`,
      {
        type: bool,
        default: 'true',
        doc: `Whether events of the type ${type} are recorded when service.events.enabled is true.`,
        withoutEffect: true,
      },
    ],
    [
      `service.events.${type}.retention.nanos`,
      {
        type: long({ min: 1 }),
        default: defaultRetentionNanos,
        doc: `How long events of the type ${type} are kept, in nanoseconds, which the interface has too.`,
        withoutEffect: true,
      },
    ],
  ]),
];

/** Whether a cluster records events, which, and for how long. By name, as catalogues are. */
export const eventConfigs = Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1))) as EventConfigs;
