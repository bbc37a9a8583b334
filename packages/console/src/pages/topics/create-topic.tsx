import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { useClusterFormAction } from '../../ui/actions.ts';
import { TextField } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useChosenConfigs } from './chosen-configs.tsx';
import { problemOfName } from './topic-name.ts';

const partitionsMax = 200_000;

/** Makes a topic. What is wrong is said while it is typed. */
export function CreateTopic({ onClose }: { readonly onClose: () => void }) {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [partitions, setPartitions] = useState('1');
  const { configs, areValid, fields } = useChosenConfigs();
  const nameProblem = name === '' ? undefined : problemOfName(name);
  const isCount =
    /^\d{1,6}$/.test(partitions) && Number(partitions) >= 1 && Number(partitions) <= partitionsMax;
  const create = useClusterFormAction('create_topic', () =>
    navigate({ to: '/clusters/$clusterId/topics/$topic', params: { clusterId, topic: name } }),
  );
  const submit = () => {
    if (name === '' || nameProblem !== undefined || !isCount || !areValid) return;
    create.run({ topic_name: name, configs, partition_count: Number(partitions) }, `Created ${name}`);
  };
  return (
    <FormDialog
      title="Create topic"
      description="Configs that you do not add use the cluster defaults."
      isSheet
      what="create the topic"
      action={create}
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
      {fields}
    </FormDialog>
  );
}
