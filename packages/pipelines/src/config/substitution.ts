import { SecretMissing, withSecrets } from '@weir/core';
import type { ConfigurationProblem, YamlScalar, YamlValue } from '../yaml/index.ts';

/** What a configuration may refer to. Without values, references stay open: the text is only checked. */
export interface References {
  /** The value of a variable of the environment; `undefined` if it is not set or may not be read. */
  variable(name: string): string | undefined;
  /** Values of named secrets. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * `${NAME}` and `${NAME:default}`, of which `${secret:NAME}` is a secret; `${{NAME}}` stands for `${NAME}` itself.
 * Queries begin with `${!` and are none of these.
 */
const reference =
  /\$\{\{([A-Za-z0-9_.]{1,200}(?::[^{}]{0,2000})?)\}\}|\$\{([A-Za-z0-9_.]{1,200})(?::([^{}]{0,2000}))?\}/g;

interface Substituted {
  readonly value: YamlValue;
  readonly problems: readonly ConfigurationProblem[];
  /** Scalars whose references have no values yet. */
  readonly open: ReadonlySet<YamlValue>;
}

/**
 * Puts values in the place of references. Only texts have them, and a value never becomes YAML: it cannot add fields.
 */
export function substituted(value: YamlValue, references: References | undefined): Substituted {
  const problems: ConfigurationProblem[] = [];
  const open = new Set<YamlValue>();
  const seen = new Map<YamlValue, YamlValue>();
  const visit = (node: YamlValue): YamlValue => {
    // An alias is the same object as what it stands for.
    const found = seen.get(node) ?? replaced(node);
    seen.set(node, found);
    return found;
  };
  const replaced = (node: YamlValue): YamlValue => {
    if (node.kind === 'list') return { ...node, items: node.items.map(visit) };
    if (node.kind === 'mapping')
      return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: visit(entry.value) })) };
    return typeof node.value === 'string' && node.value.includes('${') ? text(node, node.value) : node;
  };
  const text = (node: YamlScalar, found: string): YamlScalar => {
    const result = textWithValues(found, references, (message) =>
      problems.push({ place: node.place, message }),
    );
    const scalar = { ...node, value: result ?? found };
    if (result === undefined) open.add(scalar);
    return scalar;
  };
  return { value: visit(value), problems, open };
}

/** The text with values; `undefined` if there are none to put in. */
function textWithValues(
  text: string,
  references: References | undefined,
  problem: (message: string) => void,
): string | undefined {
  let isOpen = false;
  const result = text.replaceAll(reference, (whole, escaped?: string, name = '', otherwise?: string) => {
    if (escaped !== undefined) return `\${${escaped}}`;
    if (references === undefined) {
      if (name !== 'secret' && otherwise !== undefined) return otherwise;
      isOpen = true;
      return whole;
    }
    if (name === 'secret') return secretIn(whole, references, problem);
    const value = references.variable(name) ?? otherwise;
    if (value === undefined)
      problem(`the variable ${name} is not set, or may not be read, and has no default`);
    return value ?? whole;
  });
  return isOpen ? undefined : result;
}

function secretIn(whole: string, { secrets }: References, problem: (message: string) => void): string {
  try {
    return withSecrets(whole, secrets);
  } catch (error) {
    if (!(error instanceof SecretMissing)) throw error;
    problem(error.message);
    return '';
  }
}
