import { nearestName } from '@weir/core';
import type { ConfigResourceKind } from '../calls/admin-calls.ts';
import { type ConfigCatalogue, configCatalogues, ourPrefix } from './config-catalogues.ts';
import type { ConfigProblem, ConfigRow } from './config-row.ts';
import { shownText } from './config-type.ts';
import type { ConfigTexts } from './config-value.ts';

/** Of more problems than this, the others are not looked for. */
const problemsMax = 10;
/** So many unknown names of one resource are compared with those that there are, which takes long. */
const hintsMax = 3;

interface CheckedConfigs<Value extends string | null> {
  /** Configs to store: canonical names in the order of the catalogue, then unknown names that are unset. */
  readonly configs: Readonly<Record<string, Value>>;
  /** The first ones, if there are many. */
  readonly problems: readonly ConfigProblem[];
}

export function checkTopicConfigs(texts: ConfigTexts): CheckedConfigs<string> {
  return check('topic', texts);
}

/** `null` unsets. */
export function checkClusterConfigs(
  texts: Readonly<Record<string, string | null>>,
): CheckedConfigs<string | null> {
  return check('cluster', texts);
}

/** `null` unsets. */
export function checkConfigs(
  kind: ConfigResourceKind,
  texts: Readonly<Record<string, string | null>>,
): CheckedConfigs<string | null> {
  return check(kind, texts);
}

function check<Value extends string | null>(
  kind: ConfigResourceKind,
  texts: Readonly<Record<string, Value>>,
): CheckedConfigs<Value> {
  const catalogue = configCatalogues[kind];
  const { rows, aliases } = catalogue;
  const problems: ConfigProblem[] = [];
  const found = new Map<string, Value>();
  const unknown = new Map<string, Value>();
  const problem = (name: string, rule: string, error: ConfigProblem['error'] = 'INVALID_CONFIG') =>
    problems.push({ name, value: texts[name] ?? 'null', rule, error });

  for (const [name, text] of Object.entries(texts)) {
    if (problems.length === problemsMax) break;
    if (Object.hasOwn(rows, name)) {
      const row = rows[name]!;
      const fixed = fixedRule(kind, row);
      if (fixed !== undefined) problem(name, fixed, 'INVALID_REQUEST');
      else if (text !== null && row.type.parse(text) === undefined) {
        const isOutside = kind === 'clientMetrics' && /^[+-]?\d+$/.test(text.trim());
        problem(name, `must be ${row.type.rule}`, isOutside ? 'INVALID_REQUEST' : 'INVALID_CONFIG');
      } else if (text !== null && refusalOf(row, text) !== undefined) problem(name, refusalOf(row, text)!);
      else found.set(name, text);
    } else if (Object.hasOwn(aliases, name)) {
      const fixed = fixedRule(kind, rows[aliases[name]!.of]!);
      if (fixed !== undefined) problem(name, fixed, 'INVALID_REQUEST');
    } else if (catalogue.isUnchangeable(name)) {
      problem(name, 'cannot be set here: it is set by agent flags, or not supported', 'INVALID_REQUEST');
    } else if (text === null && !name.startsWith(ourPrefix)) {
      // As in Kafka; it also allows removing what an older release stored.
      unknown.set(name, text);
    } else {
      // As in Kafka, where each kind of resource has its own error.
      const error = kind === 'clientMetrics' ? 'INVALID_REQUEST' : 'INVALID_CONFIG';
      problem(name, unknownRule(catalogue, name, problems.length < hintsMax), error);
    }
  }
  // In the order of the catalogue, and only if neither the canonical name nor a preceding alias is set.
  for (const [name, { of, times = 1 }] of Object.entries(aliases)) {
    if (problems.length === problemsMax) break;
    if (!Object.hasOwn(texts, name) || fixedRule(kind, rows[of]!) !== undefined) continue;
    const { type } = rows[of]!;
    const canonical = scale(texts[name]!, times);
    if (canonical !== null && type.parse(canonical) === undefined) {
      problem(name, `${of} would be ${canonical} and must be ${type.rule}`);
    } else if (!found.has(of)) {
      found.set(of, canonical);
    }
  }

  const configs: Record<string, Value> = {};
  for (const name of Object.keys(rows)) {
    if (found.has(name)) configs[name] = found.get(name)!;
  }
  for (const [name, text] of unknown) configs[name] = text;
  return { configs, problems };
}

/** Returns why a config cannot be set for this kind of resource; `undefined` if it can. */
function fixedRule(kind: ConfigResourceKind, row: ConfigRow): string | undefined {
  if (row.readOnly) {
    return row.default === undefined
      ? 'cannot be updated dynamically'
      : `is read-only; its value is ${row.default}`;
  }
  if (kind !== 'broker' || row.withoutEffect || row.perBroker) return undefined;
  return 'cannot be set per broker; use the default broker resource (empty name)';
}

/** Returns why this release refuses a well-formed value. */
function refusalOf({ type, refusedValues = {} }: ConfigRow, text: string): string | undefined {
  const value = shownText(type, text);
  return Object.hasOwn(refusedValues, value) ? refusedValues[value] : undefined;
}

function unknownRule({ noun, rows, aliases }: ConfigCatalogue, name: string, isHinted: boolean): string {
  const near = isHinted ? nearestName(name, [...Object.keys(rows), ...Object.keys(aliases)]) : undefined;
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `unknown ${noun} config${hint}`;
}

function scale<Value extends string | null>(text: Value, times: number): Value {
  if (text === null || times === 1 || !/^[+-]?\d+$/.test(text.trim())) return text;
  const amount = Number(text);
  return String(amount < 0 ? amount : amount * times) as Value;
}
