import { useNavigate } from '@tanstack/react-router';
import { configProblem, topicNamePattern, topicNameRule } from '@weir/api/topic-rules';
import { internalTopicProblem, isInternalTopic } from '@weir/core';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useFormAction } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { Select, TextField } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { ConfigControl } from '../configs/config-control.tsx';

interface CreateTopicProps {
  /** The topic to begin with the records of, if it is to be a clone. */
  readonly source?: string;
  readonly onClose: () => void;
}

const partitionsMax = 200_000;

/** Makes a topic, or a clone of one. What is wrong is said while it is typed. */
export function CreateTopic({ source, onClose }: CreateTopicProps) {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const { data } = useClusterOperation('list_topic_config_definitions', {});
  const [name, setName] = useState(source === undefined ? '' : `${source}-clone`.slice(0, 249));
  const [partitions, setPartitions] = useState('1');
  const [configs, setConfigs] = useState<Readonly<Record<string, string>>>({});
  const definitions = data?.definitions ?? [];
  const chosen = definitions.filter((definition) => Object.hasOwn(configs, definition.name));
  const nameProblem = name === '' ? undefined : problemOfName(name);
  const isCount =
    /^\d{1,6}$/.test(partitions) && Number(partitions) >= 1 && Number(partitions) <= partitionsMax;
  const isReady =
    name !== '' &&
    nameProblem === undefined &&
    isCount &&
    chosen.every((definition) => configProblem(definition, configs[definition.name]!) === undefined);
  const set = (config: string, value: string) => setConfigs((now) => ({ ...now, [config]: value }));
  const open = () =>
    void navigate({ to: '/clusters/$clusterId/topics/$topic', params: { clusterId, topic: name } });
  const create = useFormAction('create_topic', open);
  const clone = useFormAction('create_topic_clone', open);
  const submit = () => {
    if (!isReady) return;
    const common = { virtual_cluster_id: clusterId, topic_name: name, configs };
    if (source !== undefined) clone.run({ ...common, source_topic_name: source }, `Created ${name}`);
    else create.run({ ...common, partition_count: Number(partitions) }, `Created ${name}`);
  };
  return (
    <FormDialog
      title={source === undefined ? 'Create topic' : `Clone ${source}`}
      description={
        source === undefined
          ? 'Configs that you do not add use the cluster defaults.'
          : 'The clone starts with the records and configs of its source. No records are copied.'
      }
      isSheet
      what={source === undefined ? 'create the topic' : `clone ${source}`}
      button={source === undefined ? 'Create topic' : 'Clone topic'}
      action={source === undefined ? create : clone}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label="Name"
        name="name"
        problem={nameProblem}
        spellCheck={false}
        value={name}
        onText={setName}
      />
      {source === undefined && (
        <TextField
          label="Partitions"
          name="partitions"
          problem={isCount ? undefined : `is not a whole number from 1 to ${partitionsMax}`}
          inputMode="numeric"
          value={partitions}
          onText={setPartitions}
        >
          You can add partitions later, but not remove them.
        </TextField>
      )}
      {chosen.map((definition) => (
        <div key={definition.name} className="flex items-start gap-2 rounded-md border border-line p-3">
          <div className="min-w-0 flex-1">
            <ConfigControl
              definition={definition}
              value={configs[definition.name]!}
              onChange={(value) => set(definition.name, value)}
            />
          </div>
          <Button
            kind="quiet"
            aria-label={`Remove ${definition.name}`}
            onClick={() => setConfigs(({ [definition.name]: _, ...others }) => others)}
          >
            Remove
          </Button>
        </div>
      ))}
      <Select
        aria-label="Add config"
        value=""
        onChange={(event) => {
          const definition = definitions.find((one) => one.name === event.target.value);
          if (definition !== undefined) set(definition.name, definition.default ?? '');
        }}
        options={[
          ['', 'Add config …'],
          ...definitions
            .filter((definition) => definition.has_effect && !Object.hasOwn(configs, definition.name))
            .map((definition) => [definition.name, definition.name] as const),
        ]}
      />
    </FormDialog>
  );
}

function problemOfName(name: string): string | undefined {
  if (!topicNamePattern.test(name)) return topicNameRule;
  return isInternalTopic(name) ? internalTopicProblem(name) : undefined;
}
