import { finds, type LazySearch } from './string-checks.ts';
import type { Check, ValidationRun } from './validation-run.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

interface PropertyChecks {
  readonly named: ReadonlyMap<string, Check>;
  readonly patterns: readonly {
    readonly search: LazySearch;
    readonly pattern: string;
    readonly check: Check;
  }[];
  readonly additional: Check | undefined;
}

/** `properties`, `patternProperties` and `additionalProperties`. */
export function propertiesCheck({ named, patterns, additional }: PropertyChecks): Check {
  return (value, run) => {
    const record = value as JsonRecord;
    for (const name of run.namesOf(record)) {
      run.work(1);
      const check = named.get(name);
      let isNamed = check !== undefined;
      if (check !== undefined && !run.applyTo(check, record[name], name)) return false;
      for (const { search, pattern, check: patternCheck } of patterns) {
        const found = finds(search, name, run);
        if (typeof found === 'string') return failPattern(run, pattern, found);
        if (!found) continue;
        isNamed = true;
        if (!run.applyTo(patternCheck, record[name], name)) return false;
      }
      if (!isNamed && additional !== undefined) {
        isNamed = true;
        if (!run.applyTo(additional, record[name], name)) return false;
      }
      if (isNamed) run.evaluated?.names.add(name);
    }
    return true;
  };
}

function failPattern(run: ValidationRun, pattern: string, problem: string): false {
  const shown = JSON.stringify(pattern.slice(0, 100));
  return run.fail(`cannot be checked: RE2 cannot evaluate the pattern ${shown}: ${problem}`);
}

export function requiredCheck(names: readonly string[]): Check {
  return (value, run) => {
    const missing = names.find((name) => {
      run.work(1 / 2);
      return !Object.hasOwn(value as object, name);
    });
    return (
      missing === undefined ||
      run.fail(`lacks the required property ${JSON.stringify(missing.slice(0, 100))}`)
    );
  };
}

export function propertyCountCheck(limit: number, kind: 'max' | 'min'): Check {
  return (value, run) => {
    const count = run.namesOf(value).length;
    if (kind === 'max') return count <= limit || run.fail(`has more than ${limit} properties`);
    return count >= limit || run.fail(`has fewer than ${limit} properties`);
  };
}

export function propertyNamesCheck(check: Check): Check {
  return (value, run) => {
    for (const name of run.namesOf(value)) {
      if (!run.tries(check, name))
        return run.fail(`has the property ${JSON.stringify(name.slice(0, 100))}, whose name is not allowed`);
    }
    return true;
  };
}

export function dependentRequiredCheck(property: string, names: readonly string[]): Check {
  const required = requiredCheck(names);
  return (value, run) => !Object.hasOwn(value as object, property) || required(value, run);
}

export function dependentSchemaCheck(property: string, check: Check): Check {
  return (value, run) => !Object.hasOwn(value as object, property) || run.apply(check, value);
}

export function unevaluatedPropertiesCheck(check: Check): Check {
  return (value, run) => {
    const { evaluated } = run;
    if (evaluated === undefined || evaluated.hasAllNames) return true;
    const record = value as JsonRecord;
    for (const name of run.namesOf(record)) {
      run.work(1);
      if (!evaluated.names.has(name) && !run.applyTo(check, record[name], name)) return false;
    }
    evaluated.hasAllNames = true;
    return true;
  };
}
