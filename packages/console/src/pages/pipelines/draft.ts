import type { OutputOf } from '@weir/api/client';

/** A part of a configuration; part names are unique. */
export interface Part {
  readonly name: string;
  readonly yaml: string;
}

/** A configuration as a person edits it: one text, or several parts that the control plane merges. */
export interface Draft {
  readonly yaml?: string;
  readonly parts?: readonly Part[];
}

type Configuration = OutputOf<'describe_pipeline'>['pipeline_configurations'][number];

export const partNamePattern = /^[a-zA-Z0-9_./-]{1,128}$/;
export const partNameRule = '1 to 128 letters, digits, dots, underscores, hyphens and slashes';

export function draftOf(configuration: Configuration | undefined): Draft {
  if (configuration === undefined) return { yaml: '' };
  const { configuration_inputs: parts, configuration_yaml: yaml } = configuration;
  return parts === undefined ? { yaml } : { parts };
}

/** As the operations take it. */
export function inputOf({ yaml = '', parts }: Draft) {
  return parts === undefined ? { configuration_yaml: yaml } : { configuration_inputs: [...parts] };
}

export function isEmptyDraft({ yaml = '', parts }: Draft): boolean {
  return parts === undefined ? yaml.trim() === '' : parts.every((part) => part.yaml.trim() === '');
}

export function isSameDraft(one: Draft, other: Draft): boolean {
  return JSON.stringify(inputOf(one)) === JSON.stringify(inputOf(other));
}

interface TextChange {
  /** The part; absent for a configuration in one piece. */
  readonly part?: string;
  readonly before: string;
  readonly after: string;
}

/** What deploying changes, text by text. A configuration that becomes parts is compared with the first of them. */
export function changesOf(before: Draft, after: Draft): readonly TextChange[] {
  if (before.parts === undefined && after.parts === undefined)
    return [{ before: before.yaml ?? '', after: after.yaml ?? '' }];
  const [firstName] = [...(after.parts ?? []), ...(before.parts ?? [])].map(({ name }) => name);
  const partsOf = ({ yaml = '', parts }: Draft) => parts ?? [{ name: firstName!, yaml }];
  const [old, next] = [partsOf(before), partsOf(after)];
  const textIn = (parts: readonly Part[], name: string) =>
    parts.find((part) => part.name === name)?.yaml ?? '';
  return [...new Set([...next, ...old].map(({ name }) => name))]
    .map((part) => ({ part, before: textIn(old, part), after: textIn(next, part) }))
    .filter((change) => change.before !== change.after);
}

/** A name for a new part. */
export function freePartName(parts: readonly Part[]): string {
  for (let number = parts.length + 1; ; number++) {
    const name = `part-${number}`;
    if (!parts.some((part) => part.name === name)) return name;
  }
}
