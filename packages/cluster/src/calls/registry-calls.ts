import { column, list, nullable, object, text, tuple, whole } from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';

/** An entry of the registry to put or, with `null`, to remove. The cluster does not interpret values. */
export interface RegistryEntryChange {
  readonly key: string;
  readonly value: Uint8Array | null;
}

export interface RegistryChangeRequest {
  /** The revision on which the changes were decided. */
  readonly expectedRevision: number;
  /** All or none take effect. */
  readonly changes: readonly RegistryEntryChange[];
}

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

export interface RegistryReadRequest {
  /** Entries that changed after this revision; 0 for all. */
  readonly afterRevision: number;
  /**
   * The revision of the registry when the reader began with nothing, from the first answer; 0 before that. What was
   * removed earlier does not concern the reader.
   */
  readonly startRevision: number;
  /** The answer has at least one entry, and no more once its keys and values exceed this. */
  readonly bytesMax: number;
}

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
    tuple(
      object<RegistryChangeRequest>({
        expectedRevision: whole,
        changes: list(object<RegistryEntryChange>({ key: text, value: nullable(column(Uint8Array)) })),
      }),
    ),
  ),
  readRegistry: query<[request: RegistryReadRequest], RegistryPage>(
    tuple(
      object<RegistryReadRequest>({
        afterRevision: whole,
        startRevision: whole,
        bytesMax: whole,
      }),
    ),
  ),
  /** Returns those of some secrets that exporters may not name, because there is none or it is for others. */
  unusableSecrets: leaderCall<[names: readonly string[]], readonly string[]>(tuple(list(text)), {
    onRetry: 'reexecute',
  }),
  /** Seals secrets of the config of an exporter, in their order; none of them if there are no sealing keys. */
  sealSettings: leaderCall<[exporter: string, settings: readonly SettingToSeal[]], readonly string[] | null>(
    tuple(text, list(object<SettingToSeal>({ setting: text, value: text }))),
    { onRetry: 'reexecute' },
  ),
};
