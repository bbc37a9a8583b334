import type { ErrorCode, InputOf, OutputOf } from '@weir/api';
import {
  clusterConfigValue,
  maskedFieldsOf,
  type PartToWrite,
  type ProduceRecordAnswer,
  type ProduceRecordQuery,
  produceRecordKind,
  type ReadRecordsAnswer,
  type ReadRecordsQuery,
  type RecordCaller,
  type RecordRefusal,
  readRecordsKind,
  type ShownPart,
  type ShownRecord,
} from '@weir/cluster';
import { timeText } from '@weir/core';
import { parseFilter, pointAt } from '@weir/events';
import { isAllowed } from '../../accounts/access/permissions.ts';
import { auditReadOf } from '../../accounts/audit/audit-read.ts';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readClusterConfigs, readTopic } from './cluster-reads.ts';
import { askAgent } from './event-queries.ts';
import { printRecordCursor, readRecordCursor } from './record-cursors.ts';
import type { ClusterServices } from './services.ts';

type ReadInput = InputOf<'read_records'>;
type ProduceInput = InputOf<'produce_record'>;
type RecordResponse = OutputOf<'read_records'>['records'][number];
type PartResponse = NonNullable<RecordResponse['value']>;

/** Partitions that an agent reads side by side. */
const partitionsMax = 500;

/** The fields of a record in filters. */
const filterFields = ['key', 'key.*', 'value', 'value.*', 'headers.*', 'partition', 'offset', 'timestamp'];

/** An agent of an earlier release ignores masks. */
const unmasked =
  'The topic has masked fields, and an agent of an earlier release answered, which cannot mask them; update all agents.';

const codes: Readonly<Record<RecordRefusal, ErrorCode>> = {
  loginRequired: 'kafka_credential_required',
  loginWrong: 'invalid_kafka_credential',
  denied: 'kafka_access_denied',
  notFound: 'not_found',
  invalid: 'invalid_request',
  refused: 'record_refused',
  unavailable: 'unavailable',
};

/**
 * Reads and writes records by an agent. A caller with a Kafka credential has the rights of that; a read without one was
 * authorized by the grants of the caller (`authorize.ts`).
 */
export function recordDataOperations({ clusterPort, freshUuid }: ClusterServices) {
  async function partitionCountOf(input: ReadInput | ProduceInput, context: CallContext): Promise<number> {
    const { virtual_cluster_id, topic_name } = input;
    const topic = await readTopic(clusterPort(virtual_cluster_id), topic_name, context);
    if (topic === undefined) throw new OperationFailed('not_found', `Topic ${topic_name} not found.`);
    return topic.partitionCount;
  }

  /** The fields of the topic that the caller may not see. Who may change the cluster may change the rules too. */
  async function masksFor({ virtual_cluster_id, topic_name }: ReadInput, context: CallContext) {
    const { actor, accountId, cluster } = context;
    const { workspaceId } = cluster!;
    const need = {
      scope: 'cluster',
      access: 'write',
      accountId,
      workspaceId,
      clusterId: cluster!.id,
    } as const;
    if (isAllowed(actor, need)) return [];
    const configs = await readClusterConfigs(clusterPort(virtual_cluster_id), context);
    return [...maskedFieldsOf(topic_name, clusterConfigValue('service.record.masks', configs))];
  }

  return {
    read_records: async (input, context) => {
      checkFilter(input.filter);
      const caller = callerOf(input, context);
      const partitionCount = await partitionCountOf(input, context);
      const masks = await masksFor(input, context);
      const query: ReadRecordsQuery = {
        kind: readRecordsKind,
        caller: { ...caller, mayReadAll: caller.login === undefined },
        topic: input.topic_name,
        ...startOf(input, partitionCount),
        limit: input.limit,
        contains: input.contains,
        ignoresCase: input.ignore_case,
        filter: input.filter,
        masks,
        keyFormat: input.key_format,
        valueFormat: input.value_format,
        isWhole: input.whole,
        scannedRecordsMax: input.scan_records,
        scannedBytesMax: input.scan_bytes,
        scanMsMax: input.scan_ms,
      };
      if (input.whole && input.limit !== 1)
        throw new OperationFailed('invalid_request', 'whole: goes with a limit of 1');
      const port = clusterPort(input.virtual_cluster_id);
      const answer = (await askAgent(port, query, {
        queryId: freshUuid(),
        stop: context.stop,
      })) as ReadRecordsAnswer;
      if (answer.kind === 'refused') throw new OperationFailed(codes[answer.reason], answer.message);
      if (masks.length > 0 && answer.areMasksApplied !== true)
        throw new OperationFailed('unavailable', unmasked);
      context.read(auditReadOf(answer.records, answer.scanned));
      const { older, newer } = answer;
      return {
        records: answer.records.map(toRecordResponse),
        scanned_records: answer.scanned,
        scanned_bytes: answer.scannedBytes,
        matched_records: answer.matched,
        ms: answer.ms,
        older_cursor: older && printRecordCursor({ direction: 'older', positions: older }),
        newer_cursor: newer && printRecordCursor({ direction: 'newer', positions: newer }),
        cut: answer.cut,
        problem: answer.problem,
      };
    },

    produce_record: async (input, context) => {
      const { topic_name: topic, partition = null } = input;
      const caller = callerOf(input, context);
      const partitionCount = await partitionCountOf(input, context);
      if (partition !== null && partition >= partitionCount)
        throw new OperationFailed('not_found', `The topic ${topic} has no partition ${partition}.`);
      const port = clusterPort(input.virtual_cluster_id);
      const query: ProduceRecordQuery = {
        kind: produceRecordKind,
        caller,
        topic,
        partitionCount,
        partition,
        key: toWrite(input.key),
        value: toWrite(input.value),
        headers: input.headers.map(({ key, value }) => ({ name: key, value: toWrite(value) })),
        timestampMs: input.time === undefined ? context.clock.nowMs() : Date.parse(input.time),
        producerId: await port.allocateProducerIds(1),
      };
      const answer = (await askAgent(port, query, {
        queryId: freshUuid(),
        stop: context.stop,
      })) as ProduceRecordAnswer;
      if (answer.kind === 'refused') throw new OperationFailed(codes[answer.reason], answer.message);
      const { offset, timestampMs } = answer;
      return { partition: answer.partition, offset, ...timestampsOf(timestampMs) };
    },
  } satisfies SomeHandlers;
}

function callerOf(
  { kafka_user_name: username, kafka_password: password }: ReadInput | ProduceInput,
  { remoteAddress }: CallContext,
): RecordCaller {
  if ((username === undefined) !== (password === undefined))
    throw new OperationFailed('invalid_request', 'kafka_user_name and kafka_password: go together');
  // Agents check it as HTTP Basic.
  if (username?.includes(':') === true)
    throw new OperationFailed('invalid_request', 'kafka_user_name: has a colon');
  return {
    remoteAddress,
    ...(username === undefined || password === undefined ? {} : { login: { username, password } }),
  };
}

function checkFilter(text: string): void {
  const { problems } = parseFilter(text, { fields: filterFields });
  if (problems === undefined) return;
  const [first] = problems as [(typeof problems)[number]];
  const { line, column, message, suggestion } = first;
  const hint = suggestion === undefined ? '' : ` (write ${suggestion})`;
  throw new OperationFailed(
    'filter_syntax',
    `line ${line}, column ${column}: ${message}${hint}\n${pointAt(text, first)}`,
  );
}

type Start = Pick<
  ReadRecordsQuery,
  'partitions' | 'start' | 'offset' | 'timestampMs' | 'positions' | 'direction'
>;

function startOf(input: ReadInput, partitionCount: number): Start {
  const { cursor, start, offset, time, topic_name } = input;
  if (cursor !== undefined) {
    const { direction, positions } = readRecordCursor(cursor, partitionCount);
    return {
      partitions: positions.map(({ partition }) => partition),
      start: 'positions',
      positions,
      direction,
    };
  }
  const partitions = [...new Set(input.partitions)];
  const outside = partitions.find((partition) => partition >= partitionCount);
  if (outside !== undefined)
    throw new OperationFailed('not_found', `The topic ${topic_name} has no partition ${outside}.`);
  if (partitions.length === 0 && partitionCount > partitionsMax)
    throw new OperationFailed(
      'invalid_request',
      `partitions: the topic ${topic_name} has ${partitionCount}; name up to ${partitionsMax} of them`,
    );
  if (start === 'offset' && offset === undefined)
    throw new OperationFailed('invalid_request', 'offset: goes with the start offset');
  if (start === 'time' && time === undefined)
    throw new OperationFailed('invalid_request', 'time: goes with the start time');
  return {
    partitions: partitions.length > 0 ? partitions : Array.from({ length: partitionCount }, (_, nth) => nth),
    start,
    direction: start === 'newest' ? 'older' : 'newer',
    ...(start === 'offset' ? { offset } : {}),
    ...(start === 'time' ? { timestampMs: Date.parse(time!) } : {}),
  };
}

function toWrite(part: ProduceInput['value']): PartToWrite | null {
  if (part === null) return null;
  const { text, format, schema_id } = part;
  return { text, format, ...(schema_id === undefined ? {} : { schemaId: schema_id }) };
}

function toRecordResponse(record: ShownRecord): RecordResponse {
  const { partition, offset, timestampMs, key, value, headers, headerCount, bytes } = record;
  return {
    partition,
    offset,
    ...timestampsOf(timestampMs),
    key: toPartResponse(key),
    value: toPartResponse(value),
    headers: headers.map((header) => ({ key: header.name, value: toPartResponse(header.value) })),
    header_count: headerCount,
    bytes,
  };
}

function toPartResponse(part: ShownPart | null): PartResponse | null {
  if (part === null) return null;
  const {
    text,
    format,
    bytes,
    isCut,
    isMasked = false,
    schemaId,
    schemaGuid,
    schemaType,
    subjects = [],
    problem,
  } = part;
  return {
    text,
    format,
    bytes,
    is_cut: isCut,
    is_masked: isMasked,
    schema_id: schemaId ?? null,
    schema_guid: schemaGuid ?? null,
    schema_type: schemaType ?? null,
    subjects: [...subjects],
    problem: problem ?? null,
  };
}

/** The first millisecond of the year 10000. */
const calendarEndMs = 253_402_300_800_000;

function timestampsOf(timestampMs: number): Pick<RecordResponse, 'timestamp' | 'timestamp_ms'> {
  const isTime = timestampMs >= 0 && timestampMs < calendarEndMs;
  return { timestamp: isTime ? timeText(timestampMs) : null, timestamp_ms: timestampMs };
}
