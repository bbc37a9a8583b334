import { apiLimits } from '@weir/api/limits';
import { readYaml, type YamlScalar, type YamlValue } from '@weir/pipelines/yaml';
import { maskedValue } from './mask-secrets.ts';

export interface Setting {
  /** `input.kafka_franz.topics` */
  readonly path: string;
  /** In one line. */
  readonly value: string;
}

interface ConfigurationSummary {
  readonly settings: readonly Setting[];
  /** The number of omitted settings. */
  readonly leftOut: number;
}

/**
 * Summarizes a configuration, one line per setting and without secrets; `undefined` for a text that cannot be parsed.
 */
export function summaryOf(yaml: string): ConfigurationSummary | undefined {
  const reading = readYaml(yaml);
  if ('problems' in reading) return undefined;
  const settings: Setting[] = [];
  let leftOut = 0;
  for (const { keys, path, text } of settingsIn(reading.value, [], '')) {
    if (settings.length < apiLimits.pipelineSummaryRowsMax)
      settings.push({ path: oneLine(path), value: oneLine(firstLine(maskedValue(keys, text), text)) });
    else leftOut++;
  }
  return { settings, leftOut };
}

interface Found {
  readonly keys: readonly string[];
  readonly path: string;
  readonly text: string;
}

function* settingsIn(value: YamlValue, keys: readonly string[], path: string): Generator<Found> {
  if (value.kind === 'scalar') {
    yield { keys, path, text: textOf(value) };
  } else if (value.kind === 'mapping') {
    if (value.entries.length === 0) yield { keys, path, text: '{}' };
    for (const entry of value.entries) {
      const inner = path === '' ? entry.key : `${path}.${entry.key}`;
      yield* settingsIn(entry.value, [...keys, entry.key], inner);
    }
  } else if (value.items.every((item) => item.kind === 'scalar')) {
    yield { keys, path, text: value.items.map(textOf).join(', ') };
  } else {
    for (const [index, item] of value.items.entries()) yield* settingsIn(item, keys, `${path}[${index}]`);
  }
}

function textOf({ value }: YamlScalar): string {
  return value === null ? '' : String(value);
}

/** Returns the first line of a multi-line text: programs and schemas are too long for a summary. */
function firstLine(masked: string, text: string): string {
  const lineCount = linesOf(text).length;
  return lineCount === 1 ? masked : `${linesOf(masked)[0]} … (${lineCount} lines)`;
}

function linesOf(text: string): string[] {
  return text.trim().split(/\r\n|[\r\n]/);
}

/** After masking: a secret that is cut before it would be half visible. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\p{Cc}/gu, ' ').toWellFormed();
  return line.length <= apiLimits.pipelineSummaryCharsMax
    ? line
    : `${line.slice(0, apiLimits.pipelineSummaryCharsMax - 1)}…`.toWellFormed();
}
