import { isUtf8 } from 'node:buffer';
import type { DecodedRecord } from '@weir/registry/decoding';
import type { BatchRecord, RecordBatchView } from '@weir/wire';
import { escapeControls } from '../../problem.ts';
import { jsonBytes, shownBytes, shownTimestamp } from '../record-text.ts';
import type { Diagnosis } from './diagnosis.ts';
import { schemaJson, shownSchema } from './payload-schema.ts';
import type { FoundBatch } from './read-record.ts';

interface DiagnosedRecord extends Diagnosis {
  readonly clusterId: string;
  readonly topic: string;
  readonly partition: number;
  readonly metadata: string;
  readonly bucket: string | undefined;
  /** The record by the schemas that it names, if that was asked for. */
  readonly decoded: DecodedRecord | undefined;
}

/** Characters, or bytes in hex, of a key or a value. */
const previewMax = 200;

/** One line for each thing that is known. */
export function shownDiagnosis(diagnosis: DiagnosedRecord): string {
  const { clusterId, topic, partition, offset, located, metadata, explanation } = diagnosis;
  const rows: [name: string, value: string][] = [
    ['cluster', clusterId],
    ['topic', `${topic}, id ${located.topic_id}`],
    ['partition', String(partition)],
    ['offset', String(offset)],
    ['metadata', `of the ${metadata}`],
    [
      'log',
      `start ${located.log_start_offset}, end ${located.end_offset}, last stable ${located.last_stable_offset}`,
    ],
    ...placeRows(diagnosis),
    ...batchRows(diagnosis),
    ...recordRows(diagnosis),
    ['result', explanation],
  ];
  return rows.map(([name, value]) => `${name.padEnd(16)}${escapeControls(value)}\n`).join('');
}

type Rows = [name: string, value: string][];

function placeRows({ located: { range, marker }, bucket, read }: DiagnosedRecord): Rows {
  if (marker !== null)
    return [
      [
        'marker',
        `${marker.result} of producer ${marker.producer_id}, epoch ${marker.producer_epoch}, ${marker.ended_at}`,
      ],
    ];
  if (range === null) return [];
  const { first_offset, end_offset, file_id, level, file_time, key, first_byte, byte_count } = range;
  const size = read?.file === undefined ? '' : ` of ${read.file.bytes}`;
  const rows: Rows = [
    ['pointer', `offsets ${first_offset} to ${end_offset - 1}`],
    ['file', `${file_id}, level ${level}, ${file_time}`],
    ['object', bucket === undefined ? key : `${key} in ${bucket}`],
    ['bytes', `${first_byte} to ${first_byte + byte_count - 1}${size}`],
  ];
  if (read?.file !== undefined) rows.push(['file checksum', checked(read.file.problem)]);
  return rows;
}

function checked(problem: string | undefined): string {
  return problem === undefined ? 'valid' : `invalid: ${problem}`;
}

function batchRows({ read, transaction }: DiagnosedRecord): Rows {
  if (read?.batch === undefined) return [];
  const { view, firstOffset, endOffset, firstByte, hasValidChecksum } = read.batch;
  return [
    [
      'batch',
      `offsets ${firstOffset} to ${endOffset - 1}, ${view.sizeBytes} bytes at ${firstByte}, ${recordsOf(view)}`,
    ],
    ['batch checksum', hasValidChecksum ? 'valid' : 'invalid'],
    ['compression', view.codec ?? `unknown (${view.codecId})`],
    [
      'timestamps',
      `${shownTimestamp(view.baseTimestamp)} to ${shownTimestamp(view.maxTimestamp)}, ${view.timestampType}`,
    ],
    ['producer', producerOf(view)],
    ['transaction', transaction ?? 'none'],
  ];
}

function recordsOf({ recordCount }: RecordBatchView): string {
  return recordCount === 1 ? '1 record' : `${recordCount} records`;
}

function producerOf({ producerId, producerEpoch, baseSequence, lastSequence }: RecordBatchView): string {
  if (producerId < 0n) return 'none';
  return `${producerId}, epoch ${producerEpoch}, sequences ${baseSequence} to ${lastSequence}`;
}

function recordRows({ read, decoded }: DiagnosedRecord): Rows {
  if (read?.outcome.kind !== 'record') return [];
  const { record } = read.outcome;
  const { timestamp, key, value, headers } = record;
  return [
    ['timestamp', shownTimestamp(timestamp)],
    ['key', preview(key)],
    ...schemaRows('key', record, decoded),
    ['value', preview(value)],
    ...schemaRows('value', record, decoded),
    ...headers.map((header): [string, string] => ['header', `${header.key}: ${preview(header.value)}`]),
  ];
}

function schemaRows(part: 'key' | 'value', record: BatchRecord, decoded: DecodedRecord | undefined): Rows {
  const schema = shownSchema(part, record, decoded);
  const rows: Rows = schema === undefined ? [] : [[`${part} schema`, schema]];
  const found = decoded?.[part];
  if (found?.kind === 'decoded') rows.push([`${part} decoded`, cut(found.json)]);
  return rows;
}

function cut(text: string): string {
  return text.length > previewMax ? `${text.slice(0, previewMax)}…` : text;
}

function preview(bytes: Buffer | null): string {
  if (bytes === null) return '(null)';
  const size = `${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
  const text = isUtf8(bytes) ? bytes.toString() : undefined;
  const isCut = (text?.length ?? bytes.length) > previewMax;
  const shown = text?.slice(0, previewMax) ?? shownBytes(bytes.subarray(0, previewMax));
  return `${shown}${isCut ? '…' : ''} (${size})`;
}

/** The same for programs, with keys and values in full. */
export function diagnosisJson(diagnosis: DiagnosedRecord) {
  const { clusterId, topic, partition, offset, located, metadata, bucket, read, transaction } = diagnosis;
  return {
    cluster: clusterId,
    topic,
    partition,
    offset,
    metadata,
    ...located,
    bucket: bucket ?? null,
    file: read?.file === undefined ? null : { bytes: read.file.bytes, problem: read.file.problem ?? null },
    batch: read?.batch === undefined ? null : batchJson(read.batch, transaction),
    record: recordJson(diagnosis),
    outcome: diagnosis.outcome,
    explanation: diagnosis.explanation,
  };
}

function batchJson(
  { view, firstOffset, endOffset, firstByte, hasValidChecksum }: FoundBatch,
  transaction: Diagnosis['transaction'],
) {
  return {
    first_offset: firstOffset,
    end_offset: endOffset,
    first_byte: firstByte,
    byte_count: view.sizeBytes,
    record_count: view.recordCount,
    checksum_right: hasValidChecksum,
    compression: view.codec ?? String(view.codecId),
    base_timestamp: view.baseTimestamp,
    max_timestamp: view.maxTimestamp,
    timestamp_type: view.timestampType,
    producer_id: view.producerId,
    producer_epoch: view.producerEpoch,
    base_sequence: view.baseSequence,
    is_control: view.isControl,
    transaction: transaction ?? 'none',
  };
}

function recordJson({ read, decoded }: DiagnosedRecord) {
  if (read?.outcome.kind !== 'record') return null;
  const { record } = read.outcome;
  const { timestamp, key, value, headers } = record;
  return {
    timestamp,
    key: jsonBytes(key),
    value: jsonBytes(value),
    headers: headers.map((header) => ({ key: header.key, value: jsonBytes(header.value) })),
    key_bytes: key?.length ?? null,
    value_bytes: value?.length ?? null,
    key_schema: schemaJson('key', record, decoded),
    value_schema: schemaJson('value', record, decoded),
  };
}
