import type { LogLevel } from '@weir/core';
import type { EventData } from '@weir/events/emission';
import type { EventEmitter } from './event-emitter.ts';

/** What every line of something that runs says. */
export interface RunLine {
  readonly level: Exclude<LogLevel, 'debug'>;
  readonly message: string;
  /** The part of the program that says so. */
  readonly module: string;
  /** Whatever else there is to say. It cannot replace what the type demands. */
  readonly more?: EventData;
}

export interface PipelineLine extends RunLine {
  readonly pipelineName: string;
  readonly stage: string;
}

export interface OrbitLine extends RunLine {
  /** What happened. */
  readonly type: string;
  readonly pipelineName: string;
  /** Left out where it is about the whole migration. */
  readonly topic?: string;
}

export interface TableflowLine extends RunLine {
  /** What happened; `record_ingestion_failed` for a record that could not be decoded. */
  readonly type: string;
  readonly tableName: string;
  readonly tableUuid: string;
}

export function emitPipelineLine(emitter: EventEmitter, line: PipelineLine): void {
  const { pipelineName, stage } = line;
  emitter.emit('pipeline_logs', { ...said(line), pipeline_name: pipelineName, stage });
}

export function emitOrbitLine(emitter: EventEmitter, line: OrbitLine): void {
  const { type, pipelineName, topic } = line;
  emitter.emit('orbit_logs', { ...said(line), type, pipeline_name: pipelineName, topic });
}

export function emitTableflowLine(emitter: EventEmitter, line: TableflowLine): void {
  const { type, tableName, tableUuid } = line;
  emitter.emit('tableflow_logs', { ...said(line), type, table_name: tableName, table_uuid: tableUuid });
}

function said({ level, message, module, more }: RunLine): EventData {
  return { ...more, log_level: level, message, module };
}
