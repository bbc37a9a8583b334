import { formatBytes, formatTime } from '../../format/format.ts';
import { cutText, visibleText } from '../../format/visible-text.ts';
import type { Column } from '../../ui/data-table.tsx';
import { PartPreview } from './record-text.tsx';
import { isUsual, type UsualColumn } from './state/column-choice.ts';
import { pathOfField, textAt } from './state/record-fields.ts';
import { keyOfRecord, type TopicRecord } from './state/records.ts';

const cellChars = 200;

const usual: Readonly<Record<UsualColumn, Column<TopicRecord>>> = {
  time: {
    id: 'time',
    title: 'Time',
    width: '14rem',
    cell: ({ timestamp, timestamp_ms }) =>
      timestamp === null ? (
        <span className="text-muted">{timestamp_ms} ms</span>
      ) : (
        <time dateTime={timestamp} title={`${formatTime(timestamp, 'utc', true)} UTC`}>
          {formatTime(timestamp, 'local', true)}
        </time>
      ),
  },
  place: {
    id: 'place',
    title: 'Partition:offset',
    width: '9rem',
    cell: (record) => <span className="font-mono text-xs">{keyOfRecord(record)}</span>,
  },
  key: {
    id: 'key',
    title: 'Key',
    width: 'minmax(7rem, 12rem)',
    cell: ({ key }) => <PartPreview part={key} />,
  },
  value: {
    id: 'value',
    title: 'Value',
    width: 'minmax(14rem, 3fr)',
    cell: ({ value }) => <PartPreview part={value} />,
  },
  size: {
    id: 'size',
    title: 'Size',
    width: '6.5rem',
    isNumber: true,
    cell: ({ bytes }) => formatBytes(bytes),
  },
};

/** What a column is called. */
export const titleOfColumn = (column: string): string =>
  isUsual(column) ? usual[column].title : visibleText(column);

/** The columns of a list of records, in this order. */
export function recordColumns(columns: readonly string[]): readonly Column<TopicRecord>[] {
  return columns.map((column) => (isUsual(column) ? usual[column] : fieldColumn(column)));
}

function fieldColumn(field: string): Column<TopicRecord> {
  const path = pathOfField(field) ?? [];
  return {
    id: field,
    title: titleOfColumn(field),
    width: 'minmax(9rem, 1fr)',
    cell: (record) => {
      const text = textAt(record, path);
      if (text === undefined) return <span className="text-muted">–</span>;
      return (
        <bdi className="font-mono text-xs" dir="ltr">
          {visibleText(cutText(text, cellChars))}
        </bdi>
      );
    },
  };
}
