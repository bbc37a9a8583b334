import type { OutputOf } from '@weir/api/client';
import { formatBytes } from '../../../format/format.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { exactJson } from '../../messages/exact-json.ts';
import { JsonTree } from '../../messages/json-tree.tsx';
import { LongText } from '../../messages/record-text.tsx';
import { payloadOf } from './failed-payload.ts';

export type FailedRecord = OutputOf<'dl/list_table_failures'>['failures'][number];

interface FailureSheetProps {
  readonly record: FailedRecord;
  readonly onClose: () => void;
}

/** All of one failed record. */
export function FailureSheet({ record, onClose }: FailureSheetProps) {
  const { partition, offset, timestamp_ms, step, error, key, value, headers } = record;
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title={`Record ${partition}:${offset}`}
      description={
        <>
          written <Time of={new Date(timestamp_ms).toISOString()} />, failed <Time of={record.failed_at} />
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <section aria-label="Error">
          <h3 className="mb-1 text-xs font-medium text-muted">Error at step {visibleText(step)}</h3>
          <p className="rounded-md bg-warn-soft p-2 text-sm break-words text-ink">{visibleText(error)}</p>
        </section>
        <Part title="Value" part={value} />
        <Part title="Key" part={key} />
        {headers.length > 0 && (
          <section aria-label="Headers">
            <h3 className="mb-1 text-xs font-medium text-muted">Headers</h3>
            <dl className="divide-y divide-line rounded-md border border-line">
              {headers.map(({ name, value: base64 }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: headers are a list, and names repeat.
                <div key={at} className="grid gap-1 p-2 font-mono text-xs break-all sm:grid-cols-[10rem_1fr]">
                  <dt className="text-muted">{visibleText(name)}</dt>
                  <dd className="text-ink">
                    {base64 === null ? 'null' : visibleText(payloadOf({ base64, bytes: 0 })!.text)}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        )}
      </div>
    </Dialog>
  );
}

interface PartProps {
  readonly title: string;
  readonly part: FailedRecord['value'];
}

function Part({ title, part }: PartProps) {
  const payload = payloadOf(part);
  const json = payload === null || payload.isHex || payload.isCut ? undefined : exactJson(payload.text);
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-xs font-medium text-muted">
        {title}
        {payload?.isHex === true && ' in hexadecimal'}
        {payload?.isCut === true && `, the beginning of ${formatBytes(part!.bytes)}`}
      </h3>
      {payload === null ? (
        <p className="text-sm text-muted">null</p>
      ) : json === undefined || 'text' in json ? (
        <LongText text={payload.text} label={`The ${title.toLowerCase()} as text`} />
      ) : (
        <JsonTree node={json} />
      )}
    </section>
  );
}
