import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { Answer } from '../../ui/answer.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Card } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { type ConfigRow, configColumns, keyOfConfig, useConfigEditor } from '../configs/config-editor.tsx';
import { SettingsFrame } from './settings-frame.tsx';

const columns = configColumns('this cluster');

/** The configs of a cluster. */
export function Configs() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/settings/configs' });
  const search = useSearch({ from: '/frame/clusters/$clusterId/settings/configs' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/settings/configs' });
  const defined = useOperation('list_cluster_config_definitions', { virtual_cluster_id: clusterId });
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
    clusterId,
    configs,
    operation: 'update_virtual_cluster_configuration',
    inputOf: (edited) => ({
      virtual_cluster_id: clusterId,
      virtual_cluster_configuration: configurationOf(edited),
    }),
    what: 'the configuration',
  });
  const listed = matching(
    rows.filter(
      (row) =>
        search.show === 'all' || withEffect.has(keyOfConfig(row)) || row.isSet || row.edit !== undefined,
    ),
    keyOfConfig,
    search.q,
  );
  return (
    <SettingsFrame clusterId={clusterId} actions={actions}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FilterBox
          label="Filter configs"
          value={search.q ?? ''}
          onChange={(q) => void navigate({ search: (now) => ({ ...now, q: q || undefined }), replace: true })}
        />
        <Checkbox
          label="Show Kafka configs that have no effect here"
          checked={search.show === 'all'}
          onChange={(event) =>
            void navigate({
              search: (now) => ({ ...now, show: event.target.checked ? 'all' : undefined }),
              replace: true,
            })
          }
        />
      </div>
      <Card title={`${rows.filter(({ isSet }) => isSet).length} set on this cluster`}>
        <Answer of={defined} what="list the configs of the cluster">
          {() =>
            listed.length === 0 ? (
              <Empty title="No config matches the filter">Change or clear the filter.</Empty>
            ) : (
              <DataTable
                label="Configs"
                columns={columns}
                rows={listed}
                keyOf={keyOfConfig}
                sort={search.sort ?? 'name'}
                onSort={(sort) => void navigate({ search: (now) => ({ ...now, sort }), replace: true })}
                onOpen={onOpen}
              />
            )
          }
        </Answer>
      </Card>
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
