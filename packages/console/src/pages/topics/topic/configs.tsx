import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useClusterOperation } from '../../../api/use-cluster.ts';
import { useListSearch } from '../../../ui/list-page.tsx';
import { Answer } from '../../../ui/states.tsx';
import { useConfigEditor } from '../../configs/config-editor.tsx';
import { ConfigList } from '../../configs/config-list.tsx';
import { useTopic } from '../use-topic.ts';

/** The configs of a topic. */
export function Configs() {
  const { clusterId, topic } = useParams({ from: '/frame/clusters/$clusterId/topics/$topic/configs' });
  const { show } = useSearch({ from: '/frame/clusters/$clusterId/topics/$topic/configs' });
  const { q, set, setFilter } = useListSearch();
  const { data } = useTopic(topic);
  const defined = useClusterOperation('list_topic_config_definitions', {});
  const configs = useMemo(() => {
    const ownNames = new Set(data?.set_configs);
    return (defined.data?.definitions ?? []).map((definition) => ({
      definition,
      value: data?.configs[definition.name] ?? null,
      isSet: ownNames.has(definition.name),
    }));
  }, [data, defined.data]);
  const { rows, onEdit, onReset, actions, dialogs } = useConfigEditor({
    configs,
    operation: 'update_topic',
    inputOf: (edited) => ({
      virtual_cluster_id: clusterId,
      topic_name: topic,
      configs: Object.fromEntries(edited.map(({ definition, edit }) => [definition.name, edit ?? null])),
    }),
    what: `the configs of ${topic}`,
    name: topic,
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <p className="flex-1 text-sm text-muted">
          {rows.filter(({ isSet }) => isSet).length} set on this topic
        </p>
        {actions}
      </div>
      <Answer of={defined} what="list the configs of topics">
        {() => (
          <ConfigList
            rows={rows}
            owner="this topic"
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
    </>
  );
}
