import { PlusIcon, TrashIcon } from '@primer/octicons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallOf } from '@weir/api/client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../api/client.ts';
import { useClusterId } from '../../api/use-cluster.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { controlClass, Select, TextField } from '../../ui/fields.tsx';
import { Failure } from '../../ui/states.tsx';
import { CredentialForm, isAboutCredential } from './credential-form.tsx';
import { credentialOf, useCredential } from './state/kafka-credential.ts';

interface ProduceSheetProps {
  readonly topic: string;
  readonly partitionCount: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

type ProduceInput = CallOf<'produce_record'>;
const formats = ['string', 'json', 'schema', 'base64'] as const;

interface Draft {
  readonly text: string;
  readonly format: (typeof formats)[number] | 'null';
  readonly schemaId: string;
}

interface HeaderDraft {
  readonly nth: number;
  readonly key: string;
  readonly value: string;
}

const noKey: Draft = { text: '', format: 'null', schemaId: '' };
const emptyValue: Draft = { text: '', format: 'string', schemaId: '' };

/** Writes one record. What was typed stays until another is begun. */
export function ProduceSheet({ topic, partitionCount, isOpen, onClose }: ProduceSheetProps) {
  const clusterId = useClusterId();
  const [key, setKey] = useState(noKey);
  const [value, setValue] = useState(emptyValue);
  const [headers, setHeaders] = useState<readonly HeaderDraft[]>([]);
  const [partition, setPartition] = useState('');
  const { user } = useCredential(clusterId);
  const queries = useQueryClient();
  const produce = useMutation({
    mutationFn: (input: ProduceInput) => call('produce_record', { ...input, ...credentialOf(clusterId) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['read_records'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (produce.isPending) return;
    produce.mutate({
      virtual_cluster_id: clusterId,
      topic_name: topic,
      ...(partition === '' ? {} : { partition: Number(partition) }),
      key: partOf(key),
      value: partOf(value),
      headers: headers.map((header) => ({ key: header.key, value: { text: header.value } })),
    });
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Produce to ${topic}`} isSheet>
      {isAboutCredential(produce.error) && (
        <CredentialForm act="produce" user={user} reason={produce.error} />
      )}
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <PartFields title="Key" none="No key" draft={key} onChange={setKey} rows={1} />
        <PartFields title="Value" none="Null (tombstone)" draft={value} onChange={setValue} rows={10} />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 text-sm font-medium text-ink">Headers</legend>
          {headers.map((header, index) => {
            const change = (differs: Partial<HeaderDraft>) =>
              setHeaders(headers.map((one) => (one.nth === header.nth ? { ...one, ...differs } : one)));
            return (
              <div key={header.nth} className="flex gap-2">
                <input
                  aria-label={`Name of header ${index + 1}`}
                  placeholder="Name"
                  className={controlClass}
                  value={header.key}
                  onChange={(event) => change({ key: event.target.value })}
                />
                <input
                  aria-label={`Value of header ${index + 1}`}
                  placeholder="Value"
                  className={controlClass}
                  value={header.value}
                  onChange={(event) => change({ value: event.target.value })}
                />
                <IconButton
                  icon={TrashIcon}
                  label={`Remove header ${index + 1}`}
                  onClick={() => setHeaders(headers.filter(({ nth }) => nth !== header.nth))}
                />
              </div>
            );
          })}
          <div>
            <Button
              icon={PlusIcon}
              onClick={() =>
                setHeaders([...headers, { nth: (headers.at(-1)?.nth ?? 0) + 1, key: '', value: '' }])
              }
            >
              Add header
            </Button>
          </div>
        </fieldset>
        <TextField
          label="Partition"
          name="partition"
          type="number"
          min={0}
          max={partitionCount - 1}
          placeholder="By key"
          value={partition}
          onText={setPartition}
        >
          Empty: chosen by the key, as Kafka clients do.
        </TextField>
        {produce.isError && !isAboutCredential(produce.error) && (
          <Failure what="produce the record" error={produce.error} />
        )}
        {produce.data !== undefined && (
          <p role="status" className="rounded-md bg-ok-soft p-3 text-sm text-ink">
            Written as{' '}
            <Link
              to="/clusters/$clusterId/topics/$topic/messages"
              params={{ clusterId, topic }}
              search={{ partition: produce.data.partition, offset: produce.data.offset }}
              onClick={onClose}
              className="font-mono underline"
            >
              {produce.data.partition}:{produce.data.offset}
            </Link>
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={produce.isPending}>
            Produce
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function partOf({ text, format, schemaId }: Draft): NonNullable<ProduceInput['value']> | null {
  if (format === 'null') return null;
  return { text, format, ...(format === 'schema' ? { schema_id: Number(schemaId) } : {}) };
}

interface PartFieldsProps {
  readonly title: 'Key' | 'Value';
  /** What it is called if there is none. */
  readonly none: string;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly rows: number;
}

function PartFields({ title, none, draft, onChange, rows }: PartFieldsProps): ReactNode {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium text-ink">{title}</legend>
      <div className="flex gap-2">
        <Select
          aria-label={`Format of the ${title.toLowerCase()}`}
          value={draft.format}
          onChange={(event) => onChange({ ...draft, format: event.target.value as Draft['format'] })}
          options={[
            ['null', none],
            ['string', 'Text'],
            ['json', 'JSON'],
            ['schema', 'JSON by schema'],
            ['base64', 'Base64'],
          ]}
        />
        {draft.format === 'schema' && (
          <input
            aria-label={`Schema id of the ${title.toLowerCase()}`}
            placeholder="Schema id"
            type="number"
            min={1}
            required
            className={controlClass}
            value={draft.schemaId}
            onChange={(event) => onChange({ ...draft, schemaId: event.target.value })}
          />
        )}
      </div>
      {draft.format !== 'null' && (
        <textarea
          aria-label={title}
          rows={rows}
          spellCheck={false}
          className={classNames(controlClass, 'h-auto py-1.5 font-mono text-xs')}
          value={draft.text}
          onChange={(event) => onChange({ ...draft, text: event.target.value })}
        />
      )}
    </fieldset>
  );
}
