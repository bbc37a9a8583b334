import type { CallOf, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { parseSubject } from '@weir/registry';
import type { DesiredRegistry, DesiredSchema, DesiredSettings } from '../desired.ts';
import { orderedSchemas, subjectOfReference } from '../document/schema-order.ts';

export type RegistryChange = CallOf<'check_registry_changes'>['changes'][number];
export type RegistryOutcome = OutputOf<'check_registry_changes'>['outcomes'][number];

/** A change of a registry, and the part of the documents that asks for it. */
export type RegistryItem = { readonly change: RegistryChange } & (
  | {
      readonly kind: 'settings';
      readonly settings: DesiredSettings;
      /** A mode that forbids changes is set after all others. */
      readonly isLate: boolean;
    }
  | { readonly kind: 'schema'; readonly schema: DesiredSchema }
);

/** What the documents ask for, in the order in which it is done. */
export function registryItems({ settings, contexts = [], subjects = [] }: DesiredRegistry): RegistryItem[] {
  const all = [settings, ...contexts, ...subjects.map((one) => one.settings)].filter(
    (one) => one !== undefined,
  );
  return [
    ...all.flatMap((one) => settingsItem(one, false) ?? []),
    ...orderedSchemas(subjects).schemas.map((schema) => ({
      kind: 'schema' as const,
      schema,
      change: schemaChange(schema),
    })),
    ...all.flatMap((one) => settingsItem(one, true) ?? []),
  ];
}

function settingsItem(settings: DesiredSettings, isLate: boolean): RegistryItem | undefined {
  const { scope, level, mode, normalize } = settings;
  const isModeLate = mode !== undefined && mode !== null && mode !== 'READWRITE';
  const given = {
    ...(isLate || level === undefined ? {} : { compatibility_level: level }),
    ...(isLate || normalize === undefined ? {} : { normalize }),
    ...(mode === undefined || isModeLate !== isLate ? {} : { mode }),
  };
  if (Object.keys(given).length === 0) return undefined;
  const change = { ...(scope === undefined ? {} : { subject: scope }), ...given };
  return { kind: 'settings', settings, isLate, change };
}

/** The input of the registration, which is also what is checked. */
export function schemaChange({ subject, text, type, references, metadata }: DesiredSchema) {
  return {
    subject,
    schema: text,
    schema_type: type,
    references: [...references],
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** A request may have 2 MiB; the rest is for what is around the changes. */
const checkBytesMax = apiLimits.apiRequestBytesMax - 64 * 1024;

/**
 * Divides items into parts that one call can check. Schemas that refer to each other stay together, and the settings of
 * the registry and of contexts are in every part. Returns `undefined` if that is too much for a call.
 */
export function checkParts(items: readonly RegistryItem[]): RegistryItem[][] | undefined {
  const families = familiesOf(items);
  const shared = items.filter((item) => families.get(item) === undefined);
  const parts: Set<RegistryItem>[] = [];
  let bytes = 0;
  const byFamily = Map.groupBy(
    items.filter((item) => families.get(item) !== undefined),
    (item) => families.get(item),
  );
  const sharedBytes = bytesOf(shared);
  for (const family of byFamily.values()) {
    const familyBytes = bytesOf(family);
    const last = parts.at(-1);
    const isFull =
      last === undefined ||
      last.size + family.length > apiLimits.checkedRegistryChangesMax ||
      bytes + familyBytes > checkBytesMax;
    if (isFull) {
      if (shared.length + family.length > apiLimits.checkedRegistryChangesMax) return undefined;
      if (sharedBytes + familyBytes > checkBytesMax) return undefined;
      parts.push(new Set([...shared, ...family]));
      bytes = sharedBytes + familyBytes;
    } else {
      for (const item of family) last.add(item);
      bytes += familyBytes;
    }
  }
  if (parts.length === 0 && shared.length > 0) {
    if (shared.length > apiLimits.checkedRegistryChangesMax || sharedBytes > checkBytesMax) return undefined;
    parts.push(new Set(shared));
  }
  return parts.map((part) => items.filter((item) => part.has(item)));
}

function bytesOf(items: readonly RegistryItem[]): number {
  return items.reduce((sum, { change }) => sum + Buffer.byteLength(JSON.stringify(change)) + 1, 0);
}

/** A number for each item of a subject that is the same for subjects which refer to each other. */
function familiesOf(items: readonly RegistryItem[]): Map<RegistryItem, string> {
  const parents = new Map<string, string>();
  const rootOf = (subject: string): string => {
    let root = subject;
    while (parents.has(root)) root = parents.get(root)!;
    if (root !== subject) parents.set(subject, root);
    return root;
  };
  for (const item of items) {
    if (item.kind !== 'schema') continue;
    const { subject, references } = item.schema;
    for (const reference of references) {
      const [from, to] = [rootOf(subject), rootOf(subjectOfReference(subject, reference.subject))];
      if (from !== to) parents.set(from, to);
    }
  }
  const families = new Map<RegistryItem, string>();
  for (const item of items) {
    const subject = item.kind === 'schema' ? item.schema.subject : item.settings.scope;
    if (subject !== undefined && !isOuter(subject)) families.set(item, rootOf(subject));
  }
  return families;
}

/** Whether a scope is that of the registry or of a context. */
export function isOuter(scope: string | undefined): boolean {
  return scope === undefined || parseSubject(scope).subject === '';
}
