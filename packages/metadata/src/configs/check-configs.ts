import type { ConfigResourceKind } from '../cluster/admin-port.ts';
import { type ConfigCatalogue, configCatalogues, ourPrefix } from './config-catalogues.ts';
import type { ConfigProblem } from './config-row.ts';
import type { ConfigTexts } from './config-value.ts';

export interface CheckedConfigs<Value extends string | null> {
  /** What is to be stored: canonical names in the order of the catalogue. Unknown names are left out. */
  readonly configs: Readonly<Record<string, Value>>;
  readonly problems: readonly ConfigProblem[];
}

export function checkTopicConfigs(texts: ConfigTexts): CheckedConfigs<string> {
  return check(configCatalogues.topic, texts);
}

/** `null` unsets. */
export function checkClusterConfigs(
  texts: Readonly<Record<string, string | null>>,
): CheckedConfigs<string | null> {
  return check(configCatalogues.cluster, texts);
}

/** `null` unsets. */
export function checkConfigs(
  kind: ConfigResourceKind,
  texts: Readonly<Record<string, string | null>>,
): CheckedConfigs<string | null> {
  return check(configCatalogues[kind], texts);
}

function check<Value extends string | null>(
  { noun, rows, aliases, knowsAll }: ConfigCatalogue,
  texts: Readonly<Record<string, Value>>,
): CheckedConfigs<Value> {
  const problems: ConfigProblem[] = [];
  const found = new Map<string, Value>();
  const problem = (name: string, rule: string) => problems.push({ name, value: texts[name] ?? 'null', rule });

  for (const [name, text] of Object.entries(texts)) {
    if (Object.hasOwn(rows, name)) {
      const row = rows[name]!;
      if (row.readOnly) problem(name, `cannot be set; it is always ${row.default}`);
      else if (text !== null && row.type.parse(text) === undefined) problem(name, `must be ${row.type.rule}`);
      else found.set(name, text);
    } else if (!Object.hasOwn(aliases, name) && (knowsAll || name.startsWith(ourPrefix))) {
      problem(name, `there is no such ${noun} config`);
    }
  }
  // In the order of the catalogue, and only where no better name was given.
  for (const [name, { of, times = 1 }] of Object.entries(aliases)) {
    if (!Object.hasOwn(texts, name)) continue;
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
  return { configs, problems };
}

function scale<Value extends string | null>(text: Value, times: number): Value {
  if (text === null || times === 1 || !/^[+-]?\d+$/.test(text.trim())) return text;
  const amount = Number(text);
  return String(amount < 0 ? amount : amount * times) as Value;
}
