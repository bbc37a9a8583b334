import { LinkIcon, XIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { formatBytes, formatTime } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyButton, copy } from '../../ui/copy-button.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Answer, Command, Empty } from '../../ui/states.tsx';
import { commandsFor } from './commands.ts';
import { exactJson } from './exact-json.ts';
import { JsonTree } from './json-tree.tsx';
import { bytesOfBase64, hexRows, hexRowsOf } from './payload-bytes.ts';
import { LongText } from './record-text.tsx';
import type { Decoders } from './state/decoders.ts';
import type { RecordPart, TopicRecord } from './state/records.ts';
import { useWholeRecord } from './state/use-records.ts';

interface RecordPanelProps {
  readonly topic: string;
  readonly record: TopicRecord;
  /** How the list shows it. */
  readonly decoders: Decoders;
  readonly onClose: () => void;
}

const views = ['value', 'key', 'headers', 'hex', 'copy'] as const;
type View = (typeof views)[number];
const titles: Readonly<Record<View, string>> = {
  value: 'Value',
  key: 'Key',
  headers: 'Headers',
  hex: 'Hex',
  copy: 'Copy as',
};

const hexRowsMax = 512;

/** All of one record. */
export function RecordPanel({ topic, record, decoders, onClose }: RecordPanelProps) {
  const [view, setView] = useState<View>('value');
  const [isWhole, setWhole] = useState(false);
  const whole = useWholeRecord({ topic, record }, decoders, isWhole);
  const shown = whole.data ?? record;
  const { partition, offset, timestamp, timestamp_ms } = record;
  const link = `${location.origin}${location.pathname}?partition=${partition}&offset=${offset}`;
  return (
    <section aria-label="Record" className="flex min-w-0 flex-col gap-3 p-4">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 font-mono text-sm font-semibold text-ink">
          {partition}:{offset}
        </h2>
        <Button
          kind="quiet"
          icon={LinkIcon}
          onClick={() => copy({ text: link, what: 'the link to the record' })}
        >
          Copy link
        </Button>
        <IconButton icon={XIcon} label="Close record" onClick={onClose} />
      </header>
      <p className="text-sm text-muted">
        {timestamp === null ? `time ${timestamp_ms} ms` : `${formatTime(timestamp, 'local', true)}`} ·{' '}
        {formatBytes(record.bytes)}
      </p>
      <div className="overflow-x-auto">
        <Segmented
          label="Part of the record"
          choices={views.map((name) => ({
            name,
            title: name === 'headers' ? `Headers ${record.header_count}` : titles[name],
          }))}
          value={view}
          onChange={setView}
        />
      </div>
      {(view === 'value' || view === 'key') && (
        <>
          <Part key={view} part={shown[view]} what={view} />
          {record[view]?.is_cut === true && whole.data === undefined && (
            <div>
              <Button disabled={isWhole && whole.isFetching} onClick={() => setWhole(true)}>
                Load full {view} ({formatBytes(record[view].bytes)})
              </Button>
              {whole.isError && <p className="mt-1 text-sm text-fail">{whole.error.message}</p>}
            </div>
          )}
        </>
      )}
      {view === 'headers' && <Headers record={record} />}
      {view === 'hex' && <Hex topic={topic} record={record} />}
      {view === 'copy' && <CopyAs topic={topic} record={record} />}
    </section>
  );
}

function Part({ part, what }: { readonly part: RecordPart | null; readonly what: 'key' | 'value' }) {
  const json =
    part !== null && (part.format === 'json' || part.format === 'schema') && !part.is_cut
      ? exactJson(part.text)
      : undefined;
  const [isRaw, setRaw] = useState(false);
  if (part === null)
    return (
      <p className="text-sm text-muted">
        {what === 'key' ? 'The record has no key.' : 'null (tombstone: deletes the key).'}
      </p>
    );
  const schema = part.schema_id ?? part.schema_guid;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 text-xs text-muted">
        <span>
          {part.format} · {formatBytes(part.bytes)}
          {part.is_cut && ' · truncated'}
          {part.is_masked && ' · masked for you'}
        </span>
        {schema !== null && (
          <span>
            · schema {schema} {part.schema_type} {part.subjects.join(', ')}
          </span>
        )}
        <span className="flex-1" />
        {json !== undefined && (
          <Segmented
            label="Format"
            choices={[
              { name: 'tree', title: 'Tree' },
              { name: 'raw', title: 'Raw' },
            ]}
            value={isRaw ? 'raw' : 'tree'}
            onChange={(name) => setRaw(name === 'raw')}
          />
        )}
        <CopyButton text={part.text} what={`the ${what}`} />
      </div>
      {part.problem !== null && (
        <p className="rounded-md bg-warn-soft p-2 text-sm text-ink">It cannot be decoded: {part.problem}</p>
      )}
      {part.bytes === 0 ? (
        <p className="text-sm text-muted">Empty text.</p>
      ) : json === undefined || isRaw ? (
        <LongText text={part.text} label={`The ${what} as text`} />
      ) : (
        <JsonTree node={json} />
      )}
    </>
  );
}

function Headers({ record }: { readonly record: TopicRecord }) {
  const { headers, header_count } = record;
  if (header_count === 0) return <p className="text-sm text-muted">The record has no headers.</p>;
  return (
    <dl className="flex flex-col divide-y divide-line rounded-md border border-line">
      {headers.map(({ key, value }, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: headers are a list, and names repeat.
        <div key={nth} className="grid gap-1 p-2 sm:grid-cols-[10rem_1fr]">
          <dt className="font-mono text-xs break-all text-muted">
            <bdi>{visibleText(key)}</bdi>
          </dt>
          <dd className="min-w-0 font-mono text-xs break-all text-ink">
            {value === null ? (
              <span className="text-muted">null</span>
            ) : (
              <bdi dir="ltr">
                {value.format === 'base64' && <span className="text-muted">base64 </span>}
                {visibleText(value.text)}
                {value.is_cut && '…'}
              </bdi>
            )}
          </dd>
        </div>
      ))}
      {headers.length < header_count && (
        <div className="p-2 text-xs text-muted">{header_count - headers.length} more are not shown.</div>
      )}
    </dl>
  );
}

type PlaceProps = Omit<RecordPanelProps, 'onClose' | 'decoders'>;

const asBytes: Decoders = { keyAs: 'base64', valueAs: 'base64' };

function Hex(props: PlaceProps) {
  const whole = useWholeRecord(props, asBytes, true);
  return (
    <Answer of={whole} what="read the bytes of the record">
      {({ key, value }) => (
        <div className="flex flex-col gap-3">
          <HexPart title="Key" part={key} />
          <HexPart title="Value" part={value} />
        </div>
      )}
    </Answer>
  );
}

function HexPart({ title, part }: { readonly title: string; readonly part: RecordPart | null }) {
  if (part === null || part.bytes === 0 || part.is_masked)
    return (
      <p className="text-sm text-muted">
        {title}: {part === null ? 'null' : part.is_masked ? 'masked for you' : 'empty'}
      </p>
    );
  const bytes = bytesOfBase64(part.text);
  const isCut = hexRowsOf(part.bytes) > hexRowsMax;
  return (
    <div>
      <h3 className="mb-1 text-xs font-medium text-muted">
        {title} · {formatBytes(part.bytes)}
        {isCut && ` · the first ${formatBytes(hexRowsMax * 16)}`}
      </h3>
      <section
        aria-label={`${title} as hex`}
        className="max-h-[50vh] overflow-auto rounded-md border border-line bg-page p-3 font-mono text-xs whitespace-pre text-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
        tabIndex={0}
      >
        {hexRows(bytes, hexRowsMax)}
      </section>
    </div>
  );
}

function CopyAs({ topic, record }: PlaceProps) {
  const clusterId = useClusterId();
  const listed = useClusterOperation('list_agents', {});
  return (
    <Answer of={listed} what="find the address of an agent">
      {({ agents }) => {
        const { partition, offset } = record;
        const agent = agents.find(({ kafka_port }) => kafka_port !== undefined);
        const bootstrap = agent === undefined ? 'localhost:9092' : `${agent.host}:${agent.kafka_port}`;
        const { origin } = location;
        const commands = commandsFor({ clusterId, topic, partition, offset, bootstrap, origin });
        return (
          <div className="flex flex-col gap-2">
            {Object.entries(commands).map(([name, text]) => (
              <div key={name}>
                <h3 className="mb-1 text-xs font-medium text-muted">{name}</h3>
                <Command text={text} />
              </div>
            ))}
          </div>
        );
      }}
    </Answer>
  );
}

/** Instead of a record that a link leads to and that is not there. */
export function MissingRecord({ place }: { readonly place: string }) {
  return (
    <Empty title={`No record at ${place}`}>
      Retention or compaction may have deleted it, or the offset is a transaction marker.
    </Empty>
  );
}
