import type { InputOf, OutputOf } from '@weir/api';
import { type ConfigChange, describeConfigs } from '@weir/cluster';
import { eventTypeNames } from '@weir/core';
import type { CallContext } from '../call-context.ts';
import type { OperationHandlers } from '../handler.ts';
import { readClusterConfigs } from './cluster-reads.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { shortest } from './wire-values.ts';

type EventsOperation = 'get_events_state' | 'update_events_state';
type TypeStates = OutputOf<'get_events_state'>['event_types'];
type TypeChanges = InputOf<'update_events_state'>['event_types'];

/** Events are configs of the cluster, which agents follow and Kafka's tools can show. */
const enabledConfig = 'service.events.enabled';
const enabledConfigOf = (type: string) => `service.events.${type}.enabled`;
const retentionConfigOf = (type: string) => `service.events.${type}.retention.nanos`;

export function eventsStateOperations({ clusterPort }: ClusterServices) {
  return {
    get_events_state: async ({ virtual_cluster_id }, context) => {
      const clusterConfigs = await readClusterConfigs(clusterPort(virtual_cluster_id), context);
      const texts = new Map(
        describeConfigs('cluster', {
          texts: clusterConfigs,
          clusterTexts: clusterConfigs,
          agentTexts: {},
          names: [
            enabledConfig,
            ...eventTypeNames.flatMap((type) => [enabledConfigOf(type), retentionConfigOf(type)]),
          ],
        }).map(({ name, value }) => [name, value!]),
      );
      const states: TypeStates = {};
      for (const type of eventTypeNames) {
        states[type] = {
          enabled: texts.get(enabledConfigOf(type)) === 'true',
          // Text until here, because not every value is exact as a number.
          retention_period_nanos: shortest(BigInt(texts.get(retentionConfigOf(type))!)),
        };
      }
      return { enabled: texts.get(enabledConfig) === 'true', event_types: states };
    },

    update_events_state: async ({ virtual_cluster_id, enabled, event_types }) => {
      const changes = [...setting(enabledConfig, enabled), ...typeChanges(event_types)];
      if (changes.length === 0) return {};
      const resource = { kind: 'cluster', name: '', replacesAll: false, changes } as const;
      const [result] = await clusterPort(virtual_cluster_id).alterConfigs([resource], {
        validateOnly: false,
      });
      refuse(result!, { INVALID_CONFIG: 'invalid_request', INVALID_REQUEST: 'invalid_request' });
      return {};
    },
  } satisfies OperationHandlers<EventsOperation, CallContext>;
}

function typeChanges(types: TypeChanges): ConfigChange[] {
  return eventTypeNames.flatMap((type) => {
    const change = types[type];
    if (change === undefined) return [];
    return [
      ...setting(enabledConfigOf(type), change.enabled),
      ...setting(retentionConfigOf(type), change.retention_period_nanos),
    ];
  });
}

function setting(name: string, value: boolean | number | bigint | undefined): ConfigChange[] {
  return value === undefined ? [] : [{ name, operation: 'set', value: String(value) }];
}
