import { jsonObject, jsonText, type LogFields, type LogLine, timeText } from './log-line.ts';
import type { Attributes } from './otlp-attributes.ts';

/** What all lines of one resource share. It may be large, and have very many scopes. */
export class OtlpResource {
  readonly key: string | null;
  readonly fields: LogFields;

  constructor(attributes: Attributes) {
    const service = attributes.get('service.name');
    const host = attributes.get('host.name');
    const serviceText = textIn(service);
    const hostText = textIn(host);
    this.key = serviceText ?? hostText ?? null;
    this.fields = {
      service: serviceText === undefined ? undefined : service,
      host: hostText === undefined ? undefined : host,
      resource: jsonObject(attributes),
    };
  }
}

/** What all lines of one scope of one resource share. */
export class OtlpScope {
  readonly key: string | null;
  readonly fields: LogFields;

  constructor(
    resource: OtlpResource,
    {
      name,
      version,
      attributes,
    }: { readonly name: string; readonly version: string; readonly attributes: Attributes },
  ) {
    const scope = new Map<string, string>();
    if (name !== '') scope.set('name', JSON.stringify(name));
    if (version !== '') scope.set('version', JSON.stringify(version));
    const attributesJson = jsonObject(attributes);
    if (attributesJson !== undefined) scope.set('attributes', attributesJson);
    this.key = resource.key;
    this.fields = { ...resource.fields, scope: jsonObject(scope) };
  }
}

/** `LogRecord` of OpenTelemetry; what is zero or empty was not set. */
export interface OtlpRecord {
  readonly timeNs: bigint;
  readonly observedNs: bigint;
  readonly severityNumber: number;
  readonly severityText: string;
  /** JSON. */
  readonly body: string | undefined;
  readonly attributes: Attributes;
  readonly droppedAttributes: number;
  readonly flags: number;
  /** As hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly eventName: string;
}

export const emptyOtlpRecord: OtlpRecord = {
  timeNs: 0n,
  observedNs: 0n,
  severityNumber: 0,
  severityText: '',
  body: undefined,
  attributes: new Map(),
  droppedAttributes: 0,
  flags: 0,
  traceId: '',
  spanId: '',
  eventName: '',
};

export function otlpLine(scope: OtlpScope, record: OtlpRecord): LogLine {
  const { timeNs, observedNs, severityNumber, droppedAttributes, flags } = record;
  const setTimeNs = timeNs > 0n ? timeNs : observedNs;
  return {
    timeNs: setTimeNs > 0n ? setTimeNs : undefined,
    key: scope.key,
    fields: {
      ...scope.fields,
      observed_timestamp: observedNs > 0n ? `"${timeText(observedNs)}"` : undefined,
      message: record.body,
      severity: jsonText(record.severityText),
      severity_number: numberJson(severityNumber),
      attributes: jsonObject(record.attributes),
      dropped_attributes: numberJson(droppedAttributes),
      event_name: jsonText(record.eventName),
      trace_id: jsonText(record.traceId),
      span_id: jsonText(record.spanId),
      trace_flags: numberJson(flags & 0xff),
    },
  };
}

function numberJson(value: number): string | undefined {
  return value === 0 ? undefined : String(value);
}

/** The text of an attribute; undefined if it is another value, or empty. */
function textIn(json: string | undefined): string | undefined {
  return json === undefined || !json.startsWith('"') || json === '""'
    ? undefined
    : (JSON.parse(json) as string);
}
