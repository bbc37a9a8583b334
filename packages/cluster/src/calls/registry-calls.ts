import * as s from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';

/** An entry of the registry to put or, with `null`, to remove. The cluster does not interpret values. */
const registryEntryChange = s.struct({
  key: s.text,
  value: s.nullable(s.column(Uint8Array)),
});
export type RegistryEntryChange = s.TypeOf<typeof registryEntryChange>;

const registryChangeRequest = s.struct({
  /** The revision on which the changes were decided. */
  expectedRevision: s.whole,
  /** All or none take effect. */
  changes: s.list(registryEntryChange),
});
export type RegistryChangeRequest = s.TypeOf<typeof registryChangeRequest>;

export interface RegistryChangeResult {
  readonly error:
    | 'NONE'
    /** The registry has another revision: read what changed, decide again. */
    | 'STALE'
    /** The changes exceed a limit. */
    | 'POLICY_VIOLATION';
  /** What was wrong and what to do, for the user. */
  readonly message: string | null;
  /** The revision of the registry, with these changes if there is no error. */
  readonly revision: number;
}

const registryReadRequest = s.struct({
  /** Entries that changed after this revision; 0 for all. */
  afterRevision: s.whole,
  /**
   * The revision of the registry when the reader began with nothing, from the first answer; 0 before that. What was
   * removed earlier does not concern the reader.
   */
  startRevision: s.whole,
  /** The answer has at least one entry, and no more once its keys and values exceed this. */
  bytesMax: s.whole,
});
export type RegistryReadRequest = s.TypeOf<typeof registryReadRequest>;

/** An entry with the revision of its last change; without a value if that removed it. */
export interface RegistryEntry extends RegistryEntryChange {
  readonly revision: number;
}

export interface RegistryPage {
  /** The revision of the registry. */
  readonly revision: number;
  /** In order of revision. */
  readonly entries: readonly RegistryEntry[];
  /** Without further changes the reader has all entries now. Otherwise it continues after the last one. */
  readonly isComplete: boolean;
  /** Removals that the reader misses are forgotten: it drops what it has. The page begins with the first entry. */
  readonly restarts: boolean;
}

/** A secret in a setting of an exporter. */
export interface SettingToSeal {
  readonly setting: string;
  readonly value: string;
}

/** Calls about the schema registry of a cluster: entries by key, whose changes are numbered. */
export const registryCalls = {
  changeRegistry: command<[request: RegistryChangeRequest], RegistryChangeResult>(
    s.tuple(registryChangeRequest),
  ),
  readRegistry: query<[request: RegistryReadRequest], RegistryPage>(s.tuple(registryReadRequest)),
  /** Returns those of some secrets that exporters may not name, because there is none or it is for others. */
  unusableSecrets: leaderCall<[names: readonly string[]], readonly string[]>(s.tuple(s.list(s.text)), {
    onRetry: 'reexecute',
  }),
  /** Seals secrets of the config of an exporter, in their order; none of them if there are no sealing keys. */
  sealSettings: leaderCall<[exporter: string, settings: readonly SettingToSeal[]], readonly string[] | null>(
    s.tuple(s.text, s.list(s.object<SettingToSeal>({ setting: s.text, value: s.text }))),
    { onRetry: 'reexecute' },
  ),
};
