import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { useListSearch } from '../../ui/list-page.tsx';
import { Answer } from '../../ui/states.tsx';
import { type ConfigRow, useConfigEditor } from '../configs/config-editor.tsx';
import { ConfigList } from '../configs/config-list.tsx';
import { SettingsFrame } from './settings-frame.tsx';

/** The configs of a cluster. */
export function Configs() {
  const clusterId = useClusterId();
  const { show } = useSearch({ from: '/frame/clusters/$clusterId/settings/configs' });
  const { q, set, setFilter } = useListSearch();
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
  const { rows, onEdit, onReset, actions, dialogs } = useConfigEditor({
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
      <p className="text-sm text-muted">{rows.filter(({ isSet }) => isSet).length} set on this cluster</p>
      <Answer of={defined} what="list the configs of the cluster">
        {() => (
          <ConfigList
            rows={rows}
            owner="this cluster"
            filter={q ?? ''}
            onFilter={setFilter}
            showsAll={show === 'all'}
            onShowAll={(showsAll) => set({ show: showsAll ? 'all' : undefined })}
            onEdit={onEdit}
            onReset={onReset}
          />
        )}
      </Answer>
      {dialogs}
    </SettingsFrame>
  );
}

function configurationOf(edited: readonly ConfigRow[]) {
  const set = edited.flatMap(({ definition, edit }) =>
    typeof edit === 'string' ? [[definition.name, edit] as const] : [],
  );
  const reset = edited.filter(({ edit }) => edit === null).map(({ definition }) => definition.name);
  return {
    ...(set.length === 0 ? {} : { broker_configs: Object.fromEntries(set) }),
    ...(reset.length === 0 ? {} : { reset_broker_configs: reset }),
  };
}
