import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { counted } from '../../format/format.ts';
import { useClusterFormAction } from '../../ui/actions.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useChosenConfigs } from './chosen-configs.tsx';
import { cloneEnds, readCloneEnd } from './clone-end.ts';
import { problemOfName } from './topic-name.ts';

interface CloneTopicProps {
  readonly source: string;
  readonly partitionCount: number;
  readonly onClose: () => void;
}

const nameCharsMax = 249;

/** Makes a topic that begins with the records of another. The page stays; the clone is a click away. */
export function CloneTopic({ source, partitionCount, onClose }: CloneTopicProps) {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const [name, setName] = useState(`${source}-clone`.slice(0, nameCharsMax));
  const [upTo, setUpTo] = useState<(typeof cloneEnds)[number][0]>('now');
  const [time, setTime] = useState('');
  const [offsets, setOffsets] = useState('');
  const { configs, areValid, fields } = useChosenConfigs();
  const clone = useClusterFormAction('create_topic_clone', onClose);
  const nameProblem = name === '' ? undefined : problemOfName(name);
  const end = readCloneEnd({ upTo, time, offsets }, partitionCount);
  const endProblem = 'problem' in end ? end.problem : undefined;
  const submit = () => {
    if (name === '' || nameProblem !== undefined || 'problem' in end || !areValid) return;
    clone.run(
      { source_topic_name: source, topic_name: name, configs, ...end },
      ({ partitions }) => {
        const records = partitions.reduce((sum, one) => sum + one.end_offset - one.start_offset, 0);
        return `Created ${name} with ${counted(records, 'record')}`;
      },
      {
        label: 'Open clone',
        onSelect: () =>
          void navigate({ to: '/clusters/$clusterId/topics/$topic', params: { clusterId, topic: name } }),
      },
    );
  };
  return (
    <FormDialog
      title={`Clone ${source}`}
      description="The clone starts with the records and configs of its source. No records are copied."
      isSheet
      what={`clone ${source}`}
      button="Clone topic"
      action={clone}
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
      <SelectField
        label="Up to"
        name="up_to"
        value={upTo}
        onChange={(event) => setUpTo(event.target.value as typeof upTo)}
        options={cloneEnds}
      >
        Brokers deliver whole batches: an end within a batch moves to the start of that batch.
      </SelectField>
      {upTo === 'time' && (
        <TextField
          label="Time"
          name="time"
          type="datetime-local"
          step={1}
          problem={time === '' ? undefined : endProblem}
          value={time}
          onText={setTime}
          required
        >
          In the time zone of this browser. Records of this time and later are not cloned.
        </TextField>
      )}
      {upTo === 'offset' && (
        <TextField
          label={partitionCount === 1 ? 'Offset' : 'Offsets'}
          name="offsets"
          problem={offsets.trim() === '' ? undefined : endProblem}
          spellCheck={false}
          value={offsets}
          onText={setOffsets}
          required
        >
          {partitionCount === 1
            ? 'The first offset that is not cloned.'
            : 'The first offset that is not cloned, by partition: 0:1200, 1:900. Other partitions are cloned whole.'}
        </TextField>
      )}
      {fields}
    </FormDialog>
  );
}
