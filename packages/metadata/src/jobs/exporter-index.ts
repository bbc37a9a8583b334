import { exporterKeys, isExportedKey, type RegistryEntry } from '@weir/cluster';
import { sealedTextsIn, secretNamesIn } from '@weir/core';
import type { AskMachine } from './ask-machine.ts';
import type { SealedSetting } from './exporter-secrets.ts';

/** What an exporter of the registry says about itself. */
interface ExporterStatus {
  readonly state: string;
  /** The revision up to which it copied everything. */
  readonly offset: number;
  readonly generation: number;
}

/** The secrets of the config of an exporter. */
interface ExporterSecretUse {
  /** The named secrets that it refers to. */
  readonly secretNames: readonly string[];
  /** The sealed ones that it contains. */
  readonly sealedSettings: readonly SealedSetting[];
}

/** An exporter that is not paused. */
export interface RunningExporter extends ExporterStatus, ExporterSecretUse {
  readonly name: string;
}

/** The exporters of the registry of a cluster. It reads each change of the registry once. */
export class ExporterIndex {
  readonly #ask: AskMachine;
  /** By name. */
  readonly #exporters = new Map<string, ExporterSecretUse>();
  readonly #statuses = new Map<string, ExporterStatus>();
  #revision = 0;
  #startRevision = 0;
  #changedRevision = 0;

  constructor(ask: AskMachine) {
    this.#ask = ask;
  }

  /** The revision of the last change that exporters may have to copy. */
  get changedRevision(): number {
    return this.#changedRevision;
  }

  /** Those that are not paused. */
  *running(): Generator<RunningExporter> {
    for (const [name, secrets] of this.#exporters) {
      const status = this.#statuses.get(name);
      if (status !== undefined && status.state !== 'PAUSED') yield { name, ...secrets, ...status };
    }
  }

  async refresh(): Promise<void> {
    for (;;) {
      const { revision, entries, isComplete, restarts } = await this.#ask((machine) =>
        machine.readRegistry({
          afterRevision: this.#revision,
          startRevision: this.#startRevision,
          bytesMax: Number.MAX_SAFE_INTEGER,
        }),
      );
      if (restarts) this.#clear();
      if (this.#startRevision === 0) this.#startRevision = revision;
      for (const entry of entries) this.#apply(entry);
      this.#revision = isComplete ? revision : entries.at(-1)!.revision;
      if (isComplete) return;
    }
  }

  #clear(): void {
    this.#exporters.clear();
    this.#statuses.clear();
    this.#startRevision = 0;
    this.#changedRevision = 0;
  }

  #apply({ key, value, revision }: RegistryEntry): void {
    if (isExportedKey(key)) {
      this.#changedRevision = revision;
      return;
    }
    const { definitions, statuses } = exporterKeys;
    if (key.startsWith(definitions)) {
      const name = key.slice(definitions.length);
      if (value === null) this.#exporters.delete(name);
      else this.#exporters.set(name, readSecretUse(value));
      return;
    }
    const name = key.slice(statuses.length);
    const status = value === null ? undefined : readStatus(value);
    if (status === undefined) this.#statuses.delete(name);
    else this.#statuses.set(name, status);
  }
}

function readStatus(value: Uint8Array): ExporterStatus | undefined {
  try {
    const { state, offset, generation = 0 } = JSON.parse(Buffer.from(value).toString()) as ExporterStatus;
    return { state, offset, generation };
  } catch {
    // Of a later release.
    return undefined;
  }
}

function readSecretUse(value: Uint8Array): ExporterSecretUse {
  try {
    const { config = {} } = JSON.parse(Buffer.from(value).toString()) as { config?: Record<string, unknown> };
    const texts = Object.entries(config).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return {
      secretNames: secretNamesIn(texts.map(([, text]) => text)),
      sealedSettings: texts.flatMap(([setting, text]) =>
        sealedTextsIn(text).map((sealed) => ({ setting, sealed })),
      ),
    };
  } catch {
    // Of a later release.
    return { secretNames: [], sealedSettings: [] };
  }
}
