import { parseEntry, parseKey, parseNumbered } from './registry-entries.ts';

/** What an entry says about levels and versions, for readers that need no more of a registry. */
type EntryFacts =
  /** The level of a scope (a subject, `:.context:`, or nothing for the default context); `undefined` if it has none. */
  | { readonly kind: 'config'; readonly scope: string; readonly level: string | undefined }
  | {
      readonly kind: 'version';
      readonly subject: string;
      readonly version: number;
      readonly isLive: boolean;
    };

/** Returns `undefined` for entries of other kinds. */
export function registryEntryIn(key: string, value: Uint8Array | null): EntryFacts | undefined {
  const parsed = parseKey(key);
  if (parsed?.kind === 'config') {
    const config = value === null ? undefined : parseEntry('config', value);
    return { kind: 'config', scope: parsed.name, level: config?.compatibilityLevel };
  }
  if (parsed?.kind !== 'version') return undefined;
  const { number: version, rest: subject } = parseNumbered(parsed.name);
  const isLive = value !== null && parseEntry('version', value).deleted !== true;
  return { kind: 'version', subject, version, isLive };
}
