import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useClusterOperation } from '../../../api/use-cluster.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer } from '../../../ui/states.tsx';
import { configColumns, keyOfConfig, useConfigEditor } from '../../configs/config-editor.tsx';
import { useTopic } from '../use-topic.ts';

const columns = configColumns('this topic');

/** The configs of a topic: those that are set first. */
export function Configs() {
  const { clusterId, topic } = useParams({ from: '/frame/clusters/$clusterId/topics/$topic/configs' });
  const { data } = useTopic(topic);
  const defined = useClusterOperation('list_topic_config_definitions', {});
  const configs = useMemo(() => {
    const set = new Set(data?.set_configs);
    return (defined.data?.definitions ?? [])
      .map((definition) => ({
        definition,
        value: data?.configs[definition.name] ?? '',
        isSet: set.has(definition.name),
      }))
      .toSorted((a, b) => Number(b.isSet) - Number(a.isSet));
  }, [data, defined.data]);
  const { rows, onOpen, actions, dialogs } = useConfigEditor({
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
    <Card title={`${rows.filter(({ isSet }) => isSet).length} set on this topic`} actions={actions}>
      <Answer of={defined} what="list the configs of topics">
        {() => (
          <DataTable label="Configs" columns={columns} rows={rows} keyOf={keyOfConfig} onOpen={onOpen} />
        )}
      </Answer>
      {dialogs}
    </Card>
  );
}
