/** One line of a log as it becomes a record. */
export interface LogLine {
  /** When it was logged, in nanoseconds; the time of its receipt if absent. */
  readonly timeNs: bigint | undefined;
  /** Lines with the same key stay in order. */
  readonly key: string | null;
  readonly fields: LogFields;
}

/** A line that is left out, and why, for the answer. */
export interface RefusedLine {
  readonly refusal: string;
}

/** Yielded where the caller may let other requests run. */
export const pausePoint = 'pause';

/** What a decoder of a protocol finds, one after the other. */
export type FoundLine = LogLine | RefusedLine | typeof pausePoint;

/** Fields of the JSON of a record besides its time, in their order. Each is JSON, or absent. */
export const logFieldNames = [
  'observed_timestamp',
  'message',
  'severity',
  'severity_number',
  'service',
  'host',
  'source',
  'tags',
  'labels',
  'attributes',
  'dropped_attributes',
  'event_name',
  'trace_id',
  'span_id',
  'trace_flags',
  'scope',
  'resource',
  'tenant',
] as const;

export type LogFields = Readonly<Partial<Record<(typeof logFieldNames)[number], string | undefined>>>;

/** Returns the value of the record of a line. */
export function valueJson(timeNs: bigint, fields: LogFields): string {
  let json = `{"timestamp":"${timeText(timeNs)}"`;
  for (const name of logFieldNames) {
    const value = fields[name];
    if (value !== undefined) json += `,"${name}":${value}`;
  }
  return `${json}}`;
}

/** The JSON of a text; absent if it is empty. */
export function jsonText(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : JSON.stringify(text);
}

/** An object of names and JSON; absent if it is empty. */
export function jsonObject(members: ReadonlyMap<string, string>): string | undefined {
  if (members.size === 0) return undefined;
  let json = '';
  for (const [name, value] of members) json += `${json === '' ? '{' : ','}${JSON.stringify(name)}:${value}`;
  return `${json}}`;
}

/** A time as RFC 3339 has it: with nanoseconds if it has any. */
export function timeText(timeNs: bigint): string {
  const text = new Date(Number(timeNs / 1_000_000n)).toISOString();
  const restNs = timeNs % 1_000_000n;
  return restNs === 0n ? text : `${text.slice(0, -1)}${String(restNs).padStart(6, '0')}Z`;
}
