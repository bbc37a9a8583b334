import type { InputOf, OutputOf } from '@weir/api';
import { type ConfigChange, describeConfigs } from '@weir/cluster';
import { clusterKind } from '@weir/core';
import { type EventTypeName, eventTypes, eventTypesIn } from '@weir/events';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readClusterConfigs } from './cluster-reads.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { shortest } from './wire-values.ts';

type TypeStates = OutputOf<'get_events_state'>['event_types'];
type TypeChanges = InputOf<'update_events_state'>['event_types'];

/** Events are configs of the cluster, which agents follow and Kafka's tools can show. */
const enabledConfig = 'service.events.enabled';
const enabledConfigOf = (type: string) => `service.events.${type}.enabled`;
const retentionConfigOf = (type: string) => `service.events.${type}.retention.nanos`;

export function eventsStateOperations({ clusterPort }: ClusterServices) {
  return {
    get_events_state: async ({ virtual_cluster_id }, context) => {
      const types = eventTypesIn(clusterKind(virtual_cluster_id));
      const clusterConfigs = await readClusterConfigs(clusterPort(virtual_cluster_id), context);
      const texts = new Map(
        describeConfigs('cluster', {
          texts: clusterConfigs,
          clusterTexts: clusterConfigs,
          agentTexts: {},
          names: [
            enabledConfig,
            ...types.flatMap((type) => [enabledConfigOf(type), retentionConfigOf(type)]),
          ],
        }).map(({ name, value }) => [name, value!]),
      );
      const states: TypeStates = {};
      for (const type of types) {
        states[type] = {
          enabled: texts.get(enabledConfigOf(type)) === 'true',
          emitted: eventTypes[type].isEmitted,
          // Text until here, because not every value is exact as a number.
          retention_period_nanos: shortest(BigInt(texts.get(retentionConfigOf(type))!)),
        };
      }
      return { enabled: texts.get(enabledConfig) === 'true', event_types: states };
    },

    update_events_state: async ({ virtual_cluster_id, enabled, event_types }) => {
      const types = eventTypesIn(clusterKind(virtual_cluster_id));
      const unknown = Object.keys(event_types).find((type) => !types.includes(type as EventTypeName));
      if (unknown !== undefined)
        throw new OperationFailed(
          'invalid_request',
          `event_types: a cluster of this type has no ${unknown}, but ${types.join(', ')}`,
        );
      const changes = [...setting(enabledConfig, enabled), ...typeChanges(types, event_types)];
      if (changes.length === 0) return {};
      const resource = { kind: 'cluster', name: '', replacesAll: false, changes } as const;
      const [result] = await clusterPort(virtual_cluster_id).alterConfigs([resource], {
        validateOnly: false,
      });
      refuse(result!, { INVALID_CONFIG: 'invalid_request', INVALID_REQUEST: 'invalid_request' });
      return {};
    },
  } satisfies SomeHandlers;
}

function typeChanges(types: readonly EventTypeName[], changes: TypeChanges): ConfigChange[] {
  return types.flatMap((type) => {
    const change = changes[type];
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
