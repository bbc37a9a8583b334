import type { OutputOf } from '@weir/api/client';

export type ReadAnswer = OutputOf<'read_records'>;
type ReadRecord = ReadAnswer['records'][number];
type ReadPart = NonNullable<ReadRecord['value']>;

/** A key or value as the page shows it. */
export interface RecordPart extends Omit<ReadPart, 'format'> {
  readonly format: ReadPart['format'] | 'hex';
}

export interface TopicRecord extends Omit<ReadRecord, 'key' | 'value'> {
  readonly key: RecordPart | null;
  readonly value: RecordPart | null;
}

export const keyOfRecord = ({ partition, offset }: Pick<TopicRecord, 'partition' | 'offset'>): string =>
  `${partition}:${offset}`;
