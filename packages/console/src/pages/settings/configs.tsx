import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { Checkbox } from '../../ui/fields.tsx';
import { ListTable, useListSearch } from '../../ui/list-page.tsx';
import { type ConfigRow, configColumns, keyOfConfig, useConfigEditor } from '../configs/config-editor.tsx';
import { SettingsFrame } from './settings-frame.tsx';

const columns = configColumns('this cluster');

/** The configs of a cluster. */
export function Configs() {
  const clusterId = useClusterId();
  const { show } = useSearch({ from: '/frame/clusters/$clusterId/settings/configs' });
  const { set } = useListSearch();
  const defined = useClusterOperation('list_cluster_config_definitions', {});
  const cluster = useClusterOperation('describe_virtual_cluster', {});
  const definitions = defined.data?.definitions;
  const configs = useMemo(
    () =>
      (definitions ?? []).map((definition) => ({
        definition,
        value: definition.value,
        isSet: definition.is_set,
      })),
    [definitions],
  );
  const withEffect = useMemo(
    () => new Set(definitions?.filter(({ has_effect }) => has_effect).map(({ name }) => name)),
    [definitions],
  );
  const { rows, onOpen, actions, dialogs } = useConfigEditor({
    configs,
    operation: 'update_virtual_cluster_configuration',
    inputOf: (edited) => ({
      virtual_cluster_id: clusterId,
      virtual_cluster_configuration: configurationOf(edited),
    }),
    what: 'the configuration',
    name: cluster.data === undefined ? clusterId : clusterLabel(cluster.data.virtual_cluster),
  });
  return (
    <SettingsFrame actions={actions}>
      <ListTable
        label="Configs"
        title={`${rows.filter(({ isSet }) => isSet).length} set on this cluster`}
        of={defined}
        what="list the configs of the cluster"
        rowsOf={() => rows}
        filter={{
          label: 'Filter configs',
          noun: 'config',
          textOf: keyOfConfig,
          keeps: (row) =>
            show === 'all' || withEffect.has(keyOfConfig(row)) || row.isSet || row.edit !== undefined,
          controls: (
            <Checkbox
              label="Show Kafka configs that have no effect here"
              checked={show === 'all'}
              onChange={({ target }) => set({ show: target.checked ? 'all' : undefined })}
            />
          ),
        }}
        columns={columns}
        keyOf={keyOfConfig}
        sort="name"
        onOpen={onOpen}
      />
      {dialogs}
    </SettingsFrame>
  );
}

function configurationOf(edited: readonly ConfigRow[]) {
  const set = edited.flatMap(({ definition, edit }) =>
    typeof edit === 'string' ? [[definition.name, edit] as const] : [],
  );
  const reset = edited.filter(({ edit }) => edit === null).map(keyOfConfig);
  return {
    ...(set.length === 0 ? {} : { broker_configs: Object.fromEntries(set) }),
    ...(reset.length === 0 ? {} : { reset_broker_configs: reset }),
  };
}
