import type { CallOf, OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { counted, formatCount } from '../../format/format.ts';
import { Button } from '../../ui/button.tsx';
import { countColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { Answer, Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { say, sayWithUndo } from '../../ui/toasts.tsx';
import { type ResetForm, readResetForm, targets } from './reset-target.ts';

type Reset = CallOf<'preview_offset_reset'>;
type Row = OutputOf<'preview_offset_reset'>['partitions'][number];

interface ResetSheetProps {
  readonly group: string;
  /** The topics that the group has offsets of. */
  readonly topics: readonly string[];
  readonly onClose: () => void;
}

/** Resets offsets in three steps: where to, what that changes, and apply. */
export function ResetSheet({ group, topics, onClose }: ResetSheetProps) {
  const clusterId = useClusterId();
  const [form, setForm] = useState<ResetForm>({ to: 'latest', value: '', topic: '' });
  const [problem, setProblem] = useState<string>();
  const [reset, setReset] = useState<Reset>();
  const step = reset === undefined ? '1 of 3: choose the target' : '2 of 3: review the changes';
  const preview = () => {
    const read = readResetForm(form);
    if ('problem' in read) return setProblem(read.problem);
    setProblem(undefined);
    setReset({ virtual_cluster_id: clusterId, group, ...read });
  };
  return (
    <Dialog isOpen isSheet onClose={onClose} title={`Reset offsets of ${group}`} description={`Step ${step}`}>
      {reset === undefined ? (
        <TargetForm form={form} topics={topics} problem={problem} onChange={setForm} onDone={preview} />
      ) : (
        <Preview reset={reset} onBack={() => setReset(undefined)} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface TargetFormProps {
  readonly form: ResetForm;
  readonly topics: readonly string[];
  readonly problem: string | undefined;
  readonly onChange: (form: ResetForm) => void;
  readonly onDone: () => void;
}

const valueFields = {
  time: { label: 'Time', type: 'datetime-local', help: 'In the time zone of this browser.' },
  offset: { label: 'Offset', type: 'text', help: 'Partitions without this offset use the nearest.' },
  shift: { label: 'Records', type: 'text', help: 'Negative to move back and reprocess records.' },
  group: { label: 'Group', type: 'text', help: 'Partitions without offsets of that group stay unchanged.' },
} as const;

function TargetForm({ form, topics, problem, onChange, onDone }: TargetFormProps) {
  const field = form.to === 'earliest' || form.to === 'latest' ? undefined : valueFields[form.to];
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onDone();
      }}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 text-sm font-medium text-ink">Go on at</legend>
        {targets.map(([to, label]) => (
          <label key={to} className="flex items-center gap-2 text-sm text-body">
            <input
              type="radio"
              name="to"
              checked={form.to === to}
              onChange={() => onChange({ ...form, to, value: '' })}
            />
            {label}
          </label>
        ))}
      </fieldset>
      {field !== undefined && (
        <TextField
          label={field.label}
          name="value"
          problem={problem}
          type={field.type}
          {...(field.type === 'datetime-local' ? { step: 1 } : {})}
          value={form.value}
          onText={(text) => onChange({ ...form, value: text })}
        >
          {field.help}
        </TextField>
      )}
      <SelectField
        label="Topics"
        name="topic"
        value={form.topic}
        onChange={(event) => onChange({ ...form, topic: event.target.value })}
        options={[
          ['', 'All topics with committed offsets'],
          ...topics.map((topic) => [topic, topic] as const),
        ]}
      />
      <div className="flex justify-end">
        <Button kind="primary" type="submit">
          Preview
        </Button>
      </div>
    </form>
  );
}

const columns: readonly Column<Row>[] = [
  {
    id: 'topic',
    title: 'Topic',
    width: '10rem',
    cell: ({ topic }) => <span title={topic}>{topic}</span>,
  },
  { id: 'partition', title: 'Partition', width: '6rem', isNumber: true, cell: ({ partition }) => partition },
  countColumn('old', 'Current', 'minmax(6rem, 1fr)', ({ old_offset }) => old_offset),
  {
    id: 'new',
    title: '→ New',
    width: 'minmax(6rem, 1fr)',
    isNumber: true,
    cell: ({ new_offset }) => <span className="font-medium text-ink">{formatCount(new_offset)}</span>,
  },
  {
    id: 'change',
    title: 'Change',
    width: 'minmax(9rem, 1fr)',
    isNumber: true,
    cell: ({ change }) => changeText(change),
  },
];

function changeText(change: number | null): string {
  if (change === null) return 'new';
  if (change === 0) return 'stays';
  return change > 0 ? `skips ${formatCount(change)}` : `reprocesses ${formatCount(-change)}`;
}

interface PreviewProps {
  readonly reset: Reset;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

function Preview({ reset, onBack, onClose }: PreviewProps) {
  const preview = useOperation('preview_offset_reset', reset, { everyMs: 5_000 });
  const apply = useAction('reset_consumer_group_offsets');
  const back = useAction('reset_consumer_group_offsets');
  const done = (partitions: readonly Row[]) => {
    const text = `Reset ${counted(partitions.length, 'partition')}`;
    const { virtual_cluster_id, group } = reset;
    const offsets = oldOffsets(partitions);
    if (offsets === undefined) return say(text);
    sayWithUndo(text, () =>
      back.mutate(
        { virtual_cluster_id, group, to: 'offsets', offsets },
        {
          onSuccess: () => say(`Restored the offsets of ${group}`),
          onError: ({ message }) => say(`Failed to restore the offsets: ${message}`, 'fail'),
        },
      ),
    );
  };
  return (
    <Answer of={preview} what="preview the reset">
      {({
        partitions,
        skipped_records: skipped,
        repeated_records: repeated,
        member_count: members,
        state,
      }) => (
        <div className="flex flex-col gap-4">
          <p className="text-sm text-body">
            {counted(partitions.length, 'partition')}; {formatCount(skipped)} records skipped,{' '}
            {formatCount(repeated)} reprocessed.
          </p>
          {members > 0 && (
            <Status kind="warn" wraps>
              The group has {members === 1 ? 'an active member' : `${members} active members`} (state {state}
              ). Stop its consumers, then reset its offsets.
            </Status>
          )}
          <div className="rounded-md border border-line">
            <DataTable
              label="Changes"
              columns={columns}
              rows={partitions}
              keyOf={({ topic, partition }) => `${topic}-${partition}`}
              heightClass="max-h-[55vh]"
            />
          </div>
          {apply.isError && <Failure what="reset the offsets" error={apply.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={onBack}>Back</Button>
            <Button
              kind="primary"
              disabled={members > 0 || apply.isPending}
              onClick={() =>
                apply.mutate(reset, {
                  onSuccess: (answer) => {
                    done(answer.partitions);
                    onClose();
                  },
                })
              }
            >
              Apply
            </Button>
          </div>
        </div>
      )}
    </Answer>
  );
}

/** Where the group was before; `undefined` if it was nowhere in some partition, which a reset does not bring back. */
function oldOffsets(partitions: readonly Row[]) {
  const offsets = partitions.flatMap(({ topic, partition, old_offset: offset }) =>
    offset === null ? [] : [{ topic, partition, offset }],
  );
  return offsets.length === partitions.length ? offsets : undefined;
}
